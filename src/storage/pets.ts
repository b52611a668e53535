import { type Awaitable, andThen } from '../domain/awaitable.ts';
import type { CommandOutcome } from '../domain/commands.ts';
import { assignedIdMax, type Int64 } from '../domain/int64.ts';
import { type PageRequest, toPage } from '../domain/page.ts';
import type { NewPet, Pet, PetFilter, PetReads } from '../domain/pet.ts';
import { defaultPetStatus } from '../domain/pet-status.ts';
import { changeWorkspace } from './changes.ts';
import type { CommandTable } from './command-table.ts';
import type { Session, Transaction } from './session.ts';
import { statement } from './statement.ts';

// Each page statement reads one row more than the page holds, which tells whether another page follows.

const columns = 'id, name, category_id AS "categoryId", status';

export const selectPage = statement<Pet>(`
  SELECT ${columns} FROM pets
  WHERE workspace_id = $1 AND id < $2
  ORDER BY id DESC LIMIT $3`);

// Without being told, SQLite's planner walks the primary key, through every animal of another status.
export const selectPageByStatus = statement<Pet>({
  sqlite: `
    SELECT ${columns} FROM pets INDEXED BY pets_by_status
    WHERE workspace_id = $1 AND id < $2 AND status = $4
    ORDER BY id DESC LIMIT $3`,
  postgres: `
    SELECT ${columns} FROM pets
    WHERE workspace_id = $1 AND id < $2 AND status = $4
    ORDER BY id DESC LIMIT $3`,
});

export const selectPageByIds = statement<Pet>({
  sqlite: `
    SELECT ${columns} FROM pets
    WHERE workspace_id = $1 AND id < $2 AND id IN (SELECT value FROM json_each($4))
    ORDER BY id DESC LIMIT $3`,
  postgres: `
    SELECT ${columns} FROM pets
    WHERE workspace_id = $1 AND id < $2 AND id = ANY ($4::bigint[])
    ORDER BY id DESC LIMIT $3`,
});

export const selectPageByIdsAndStatus = statement<Pet>({
  sqlite: `
    SELECT ${columns} FROM pets
    WHERE workspace_id = $1 AND id < $2 AND id IN (SELECT value FROM json_each($4)) AND status = $5
    ORDER BY id DESC LIMIT $3`,
  postgres: `
    SELECT ${columns} FROM pets
    WHERE workspace_id = $1 AND id < $2 AND id = ANY ($4::bigint[]) AND status = $5
    ORDER BY id DESC LIMIT $3`,
});

const selectPet = statement<Pet>(`
  SELECT ${columns} FROM pets WHERE workspace_id = $1 AND id = $2`);

export function createPetReads(session: Session): PetReads {
  function select(workspaceId: Int64, request: PageRequest & PetFilter): Awaitable<readonly Pet[]> {
    const { status, ids, limit, belowId = assignedIdMax + 1n } = request;
    if (ids === undefined) {
      return status === undefined
        ? session.all(selectPage, [workspaceId, belowId, limit + 1])
        : session.all(selectPageByStatus, [workspaceId, belowId, limit + 1, status]);
    }
    return status === undefined
      ? session.all(selectPageByIds, [workspaceId, belowId, limit + 1, ids])
      : session.all(selectPageByIdsAndStatus, [workspaceId, belowId, limit + 1, ids, status]);
  }

  return {
    readPetPage: (workspaceId, request) =>
      andThen(select(workspaceId, request), (rows) => toPage(rows, request.limit)),
    readPet: (workspaceId, id) =>
      andThen(session.all(selectPet, [workspaceId, id]), ([pet]) => pet),
  };
}

/** Adds animals to one workspace, in order; undefined where it is gone. */
async function addPets(
  transaction: Transaction,
  workspaceId: Int64,
  pets: readonly NewPet[],
): Promise<readonly Pet[] | undefined> {
  const changed = await changeWorkspace(transaction, workspaceId, { pets: pets.length });
  const firstId = changed?.firstIds.pets;
  if (firstId === undefined) return undefined;
  const added = pets.map(({ name, categoryId, status = defaultPetStatus }, index) => ({
    id: firstId + BigInt(index),
    name,
    categoryId,
    status,
  }));
  transaction.insert(
    'pets',
    added.map(({ id, name, categoryId, status }) => ({
      workspace_id: workspaceId,
      id,
      name,
      category_id: categoryId,
      status,
    })),
  );
  return added;
}

const workspaceGone = { refused: 'no_such_workspace' } as const;

export const petCommands: CommandTable<'createPet' | 'createPets'> = {
  createPet: {
    /** Adding an animal is what happens all the time: many at once cost little more than one. */
    async runMany(transaction, inputs) {
      const outcomes: CommandOutcome<'createPet'>[] = Array(inputs.length).fill(workspaceGone);
      const byWorkspace = Map.groupBy(inputs.entries(), ([, { workspaceId }]) => workspaceId);
      for (const [workspaceId, group] of byWorkspace) {
        const pets = group.map(([, { pet }]) => pet);
        const added = await addPets(transaction, workspaceId, pets);
        for (const [place, pet] of added?.entries() ?? []) {
          const [index] = group[place] ?? [-1];
          outcomes[index] = { ok: pet };
        }
      }
      return outcomes;
    },
  },
  createPets: {
    async run(transaction, { workspaceId, pets }) {
      const added = await addPets(transaction, workspaceId, pets);
      return added === undefined ? workspaceGone : { ok: added.length };
    },
  },
};
