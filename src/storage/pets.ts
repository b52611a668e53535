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
  petStatuses,
  petToJson,
} from '../domain/pet.ts';
import { changeRecords, type RecordKind } from './change-records.ts';
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

const inCategory = (index: string, status: string) => `
  SELECT ${columns} FROM pets ${index}
  WHERE workspace_id = $1 AND id < $2 AND category_id = $4 AND status = ${status}`;

export const selectPageByCategoryAndStatus = statement<Pet>({
  sqlite: `${inCategory('INDEXED BY pets_by_category', '$5')} ORDER BY id DESC LIMIT $3`,
  postgres: `${inCategory('', '$5')} ORDER BY id DESC LIMIT $3`,
});

const ofEachStatus = (select: (status: string) => string) =>
  petStatuses.map((status) => select(`'${status}'`)).join(' UNION ALL ');

// The index has a run for each status. SQLite merges them and goes no further than the page; PostgreSQL, which might read all
// of them, is told to take a page of each.
export const selectPageByCategory = statement<Pet>({
  sqlite: `
    ${ofEachStatus((status) => inCategory('INDEXED BY pets_by_category', status))}
    ORDER BY id DESC LIMIT $3`,
  postgres: `
    ${ofEachStatus((status) => `(${inCategory('', status)} ORDER BY id DESC LIMIT $3)`)}
    ORDER BY id DESC LIMIT $3`,
});

// A hundred ids at most: what else restricts the list is looked for among them.
const byIds = (isOneOf: string) => `
  SELECT ${columns} FROM pets
  WHERE workspace_id = $1 AND id < $2 AND id ${isOneOf}
    AND (CAST($5 AS text) IS NULL OR status = $5) AND (CAST($6 AS bigint) IS NULL OR category_id = $6)
  ORDER BY id DESC LIMIT $3`;

export const selectPageByIds = statement<Pet>({
  sqlite: byIds('IN (SELECT value FROM json_each($4))'),
  postgres: byIds('= ANY ($4::bigint[])'),
});

const selectPet = statement<Pet>(`
  SELECT ${columns} FROM pets WHERE workspace_id = $1 AND id = $2`);

export function createPetReads(session: Session): PetReads {
  function select(workspaceId: Int64, request: PageRequest & PetFilter): Awaitable<readonly Pet[]> {
    const { status, categoryId, ids, limit, belowId = assignedIdMax + 1n } = request;
    const place = [workspaceId, belowId, limit + 1] as const;
    if (ids !== undefined) {
      return session.all(selectPageByIds, [...place, ids, status ?? null, categoryId ?? null]);
    }
    if (categoryId === undefined) {
      return status === undefined
        ? session.all(selectPage, place)
        : session.all(selectPageByStatus, [...place, status]);
    }
    return status === undefined
      ? session.all(selectPageByCategory, [...place, categoryId])
      : session.all(selectPageByCategoryAndStatus, [...place, categoryId, status]);
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

const selectPets = statement<Pet>({
  sqlite: `
    SELECT ${columns} FROM pets
    WHERE workspace_id = $1 AND id IN (SELECT value FROM json_each($2))`,
  postgres: `SELECT ${columns} FROM pets WHERE workspace_id = $1 AND id = ANY ($2::bigint[])`,
});

const updateRow = statement(`
  UPDATE pets SET name = $3, category_id = $4, status = $5 WHERE workspace_id = $1 AND id = $2`);

const deleteRow = statement('DELETE FROM pets WHERE workspace_id = $1 AND id = $2');

const petRecords: RecordKind<Pet> = {
  read: (transaction, workspaceId, ids) => transaction.all(selectPets, [workspaceId, ids]),
  toJson: petToJson,
  async store(transaction, workspaceId, changes) {
    await changeWorkspace(transaction, workspaceId);
    for (const { before, after } of changes) {
      if (after !== undefined) {
        const { id, name, categoryId, status } = after;
        transaction.send(updateRow, [workspaceId, id, name, categoryId, status]);
      } else if (before !== undefined) {
        transaction.send(deleteRow, [workspaceId, before.id]);
      }
    }
  },
};

const noSuchPet = { refused: 'no_such_pet' } as const;

const workspaceGone = { refused: 'no_such_workspace' } as const;

export const petCommands: CommandTable<keyof PetCommands> = {
  createPet: { runMany: createEach },
  updatePet: {
    runMany: (transaction, inputs) =>
      changeRecords<'updatePet', Pet>(transaction, inputs, petRecords, {
        gone: noSuchPet,
        missing: noSuchPet,
        decide(old, { changes }) {
          if (old === undefined) return { outcome: noSuchPet };
          const { name = old.name, categoryId = old.categoryId, status = old.status } = changes;
          const isSame =
            name === old.name && categoryId === old.categoryId && status === old.status;
          if (isSame) return { outcome: { ok: old } };
          const after = { id: old.id, name, categoryId, status };
          return { outcome: { ok: after }, change: { after } };
        },
      }),
  },
  deletePet: {
    runMany: (transaction, inputs) =>
      changeRecords<'deletePet', Pet>(transaction, inputs, petRecords, {
        gone: noSuchPet,
        missing: noSuchPet,
        decide: () => ({ outcome: { ok: null }, change: { after: undefined } }),
      }),
  },
  createPets: {
    async run(transaction, { workspaceId, pets }) {
      const inputs = pets.map((pet) => ({ workspaceId, pet }));
      const outcomes = await createEach(transaction, inputs);
      return outcomes.includes(workspaceGone) ? workspaceGone : { ok: outcomes.length };
    },
  },
};
