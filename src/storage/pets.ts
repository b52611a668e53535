import { type Awaitable, andThen } from '../domain/awaitable.ts';
import type { CommandInput, CommandOutcome } from '../domain/commands.ts';
import { assignedIdMax, type Int64 } from '../domain/int64.ts';
import { type PageRequest, toPage } from '../domain/page.ts';
import {
  defaultPetStatus,
  type Pet,
  type PetCommands,
  type PetFilter,
  type PetReads,
  petToJson,
} from '../domain/pet.ts';
import { entityTag, isMet } from '../domain/precondition.ts';
import { changeWorkspace, holdWorkspace } from './changes.ts';
import type { CommandTable } from './command-table.ts';
import type { Session, Transaction } from './session.ts';
import { sha256 } from './sha256.ts';
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

const updateRow = statement(`
  UPDATE pets SET name = $3, category_id = $4, status = $5 WHERE workspace_id = $1 AND id = $2`);

const deleteRow = statement('DELETE FROM pets WHERE workspace_id = $1 AND id = $2');

/** The animal that a command is about, where it is as the caller expects it: nobody else changes it until the commit. */
async function holdPet(
  transaction: Transaction,
  { workspaceId, id, precondition }: CommandInput<'deletePet'>,
): Promise<{ readonly ok: Pet } | { readonly refused: 'no_such_pet' | 'precondition_failed' }> {
  await holdWorkspace(transaction, workspaceId);
  const [pet] = await transaction.all(selectPet, [workspaceId, id]);
  if (pet === undefined) return { refused: 'no_such_pet' };
  const tag = () => entityTag(JSON.stringify(petToJson(pet)), sha256);
  return isMet(precondition, tag) ? { ok: pet } : { refused: 'precondition_failed' };
}

const workspaceGone = { refused: 'no_such_workspace' } as const;

export const petCommands: CommandTable<keyof PetCommands> = {
  createPet: { runMany: createEach },
  updatePet: {
    async run(transaction, input) {
      const held = await holdPet(transaction, input);
      if ('refused' in held) return held;
      const { workspaceId, changes } = input;
      const { ok: old } = held;
      const { name = old.name, categoryId = old.categoryId, status = old.status } = changes;
      if (name === old.name && categoryId === old.categoryId && status === old.status) return held;
      await changeWorkspace(transaction, workspaceId);
      transaction.send(updateRow, [workspaceId, old.id, name, categoryId, status]);
      return { ok: { id: old.id, name, categoryId, status } };
    },
  },
  deletePet: {
    async run(transaction, input) {
      const held = await holdPet(transaction, input);
      if ('refused' in held) return held;
      const { workspaceId, id } = input;
      await changeWorkspace(transaction, workspaceId);
      transaction.send(deleteRow, [workspaceId, id]);
      return { ok: null };
    },
  },
  createPets: {
    async run(transaction, { workspaceId, pets }) {
      const inputs = pets.map((pet) => ({ workspaceId, pet }));
      const outcomes = await createEach(transaction, inputs);
      return outcomes.includes(workspaceGone) ? workspaceGone : { ok: outcomes.length };
    },
  },
};
