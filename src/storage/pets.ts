import { type Awaitable, andThen } from '../domain/awaitable.ts';
import type { CommandInput, CommandOutcome } from '../domain/commands.ts';
import { assignedIdMax, type Int64 } from '../domain/int64.ts';
import { type PageRequest, toPage } from '../domain/page.ts';
import type { Pet, PetFilter, PetReads } from '../domain/pet.ts';
import { defaultPetStatus } from '../domain/pet-status.ts';
import { changeWorkspace } from './changes.ts';
import type { CommandTable } from './command-table.ts';
import type { Session, Transaction } from './session.ts';
import { statement } from './statement.ts';
import type { TableRow } from './tables.ts';

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

/** Adds animals in order: many at once cost little more than one. Those of a workspace share one change of it. */
async function createEach(
  transaction: Transaction,
  inputs: readonly CommandInput<'createPet'>[],
): Promise<readonly CommandOutcome<'createPet'>[]> {
  const counts = new Map<Int64, number>();
  for (const { workspaceId } of inputs) {
    counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
  }
  const nextIds = new Map<Int64, Int64 | undefined>();
  for (const [workspaceId, count] of counts) {
    const changed = await changeWorkspace(transaction, workspaceId, { pets: count });
    nextIds.set(workspaceId, changed?.firstIds.pets);
  }
  const rows: TableRow<'pets'>[] = [];
  const outcomes = inputs.map(({ workspaceId, pet }) => {
    const id = nextIds.get(workspaceId);
    if (id === undefined) return workspaceGone;
    nextIds.set(workspaceId, id + 1n);
    const { name, categoryId, status = defaultPetStatus } = pet;
    rows.push({ workspace_id: workspaceId, id, name, category_id: categoryId, status });
    return { ok: { id, name, categoryId, status } };
  });
  transaction.insert('pets', rows);
  return outcomes;
}

const workspaceGone = { refused: 'no_such_workspace' } as const;

export const petCommands: CommandTable<'createPet' | 'createPets'> = {
  createPet: { runMany: createEach },
  createPets: {
    async run(transaction, { workspaceId, pets }) {
      const inputs = pets.map((pet) => ({ workspaceId, pet }));
      const outcomes = await createEach(transaction, inputs);
      return outcomes.includes(workspaceGone) ? workspaceGone : { ok: outcomes.length };
    },
  },
};
