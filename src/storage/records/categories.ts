import {
  type Category,
  type CategoryCommands,
  type CategoryReads,
  categoryDigest,
  categoryToJson,
} from '../../domain/category.ts';
import type { CommandInput, CommandOutcome } from '../../domain/database/commands.ts';
import { faultsMax } from '../../domain/database/verification.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import { type Int64, int64Max } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import { sha256 } from '../copies/sha256.ts';
import { appendEvents, type EventKind, eventsOf, type RecordChange } from '../feed/events.ts';
import type { Queryable, Transaction } from '../queryable.ts';
import { pageRowsMax, readRows } from '../read-rows.ts';
import type { TableRow } from '../schema/tables.ts';
import { forUpdate, statement } from '../statement.ts';
import { changeRecords, type RecordKind } from './change-records.ts';
import { changeWorkspace } from './changes.ts';
import { toPage } from './pages.ts';

interface CategoryRow {
  readonly id: Int64;
  readonly name: string;
  readonly description: string | null;
}

// Unlike assigned ids, these go to the ends of an int64: `<=` has a bound that means none.
const selectPage = statement<CategoryRow>(`
  SELECT id, name, description FROM categories
  WHERE workspace_id = $1 AND id <= $2
  ORDER BY id DESC LIMIT $3`);

const selectCategory = statement<CategoryRow>(`
  SELECT id, name, description FROM categories WHERE workspace_id = $1 AND id = $2`);

function toCategory({ id, name, description }: CategoryRow): Category {
  return { id, name, description: description ?? undefined };
}

export function createCategoryReads(queryable: Queryable): CategoryReads {
  return {
    readCategoryPage(workspaceId, { limit, belowId }) {
      const highestId = belowId === undefined ? int64Max : belowId - 1n;
      return andThen(queryable.all(selectPage, [workspaceId, highestId, limit + 1]), (rows) =>
        toPage(rows.map(toCategory), limit),
      );
    },
    readCategory: (workspaceId, id) =>
      andThen(queryable.all(selectCategory, [workspaceId, id]), ([row]) => row && toCategory(row)),
  };
}

const holdNextId = statement<{ id: Int64 }>(
  forUpdate('SELECT next_category_id AS id FROM workspaces WHERE id = $1'),
);

const selectUsedIds = statement<{ id: Int64 }>(
  'SELECT id FROM categories WHERE workspace_id = $1 AND id >= $2 AND id < $3',
);

/** So many ids are looked at together: those in a row that clients chose may be very many. */
const idsAtOnce = 10_000n;

/** The next free ids, from one on, and the first that comes after them. */
async function findFreeIds(
  transaction: Transaction,
  workspaceId: Int64,
  firstId: Int64,
  count: number,
) {
  const ids: Int64[] = [];
  let nextId = firstId;
  while (ids.length < count) {
    const end = nextId + idsAtOnce;
    const rows = await transaction.all(selectUsedIds, [workspaceId, nextId, end]);
    const used = new Set(rows.map(({ id }) => id));
    for (; ids.length < count && nextId < end; nextId += 1n) {
      if (!used.has(nextId)) ids.push(nextId);
    }
  }
  return { ids, nextId };
}

async function createEach(
  transaction: Transaction,
  inputs: readonly CommandInput<'createCategory'>[],
): Promise<readonly CommandOutcome<'createCategory'>[]> {
  const outcomes = new Map<CommandInput<'createCategory'>, CommandOutcome<'createCategory'>>();
  for (const [workspaceId, own] of Map.groupBy(inputs, (input) => input.workspaceId)) {
    const [first] = await transaction.all(holdNextId, [workspaceId]);
    if (first === undefined) continue;
    const { ids, nextId } = await findFreeIds(transaction, workspaceId, first.id, own.length);
    const created = own.flatMap((input, index): RecordChange<Category>[] => {
      const id = ids[index];
      if (id === undefined) return [];
      const { name, description } = input.category;
      const category = { id, name, description };
      outcomes.set(input, { ok: category });
      return [{ before: undefined, after: category, origin: input.origin }];
    });
    await storeAll(transaction, workspaceId, created, Number(nextId - first.id));
  }
  return inputs.map((input) => outcomes.get(input) ?? workspaceGone);
}

const workspaceGone = { refused: 'no_such_workspace' } as const;

function toRow(workspaceId: Int64, category: Category): TableRow<'categories'> {
  const { id, name, description } = category;
  const digest = categoryDigest(workspaceId, category, sha256);
  return { workspace_id: workspaceId, id, name, description: description ?? null, digest };
}

const selectCategories = statement<CategoryRow>({
  sqlite: `
    SELECT id, name, description FROM categories
    WHERE workspace_id = $1 AND id IN (SELECT value FROM json_each($2))`,
  postgres: `
    SELECT id, name, description FROM categories
    WHERE workspace_id = $1 AND id = ANY ($2::bigint[])`,
});

const updateRow = statement(`
  UPDATE categories SET name = $3, description = $4, digest = $5 WHERE workspace_id = $1 AND id = $2`);

const deleteRow = statement('DELETE FROM categories WHERE workspace_id = $1 AND id = $2');

const categoryEvents: EventKind<Category> = { name: 'category', toJson: categoryToJson };

const categoryRecords: RecordKind<Category> = {
  ...categoryEvents,
  async read(transaction, workspaceId, ids) {
    return (await transaction.all(selectCategories, [workspaceId, ids])).map(toCategory);
  },
  store: storeAll,
};

/** Stores changes of one workspace, in order. `passedIds` is by how many the next id goes up. */
async function storeAll(
  transaction: Transaction,
  workspaceId: Int64,
  changes: readonly RecordChange<Category>[],
  passedIds = 0,
): Promise<void> {
  const events = eventsOf(categoryEvents, changes);
  const changed = await changeWorkspace(transaction, workspaceId, {
    ids: { categories: passedIds },
    eventCount: events.length,
  });
  if (changed === undefined) return;
  appendEvents(transaction, workspaceId, changed, events);
  for (const { before, after } of changes) {
    if (before === undefined && after !== undefined) {
      transaction.insert('categories', [toRow(workspaceId, after)]);
    } else if (after !== undefined) {
      const { id, name, description, digest } = toRow(workspaceId, after);
      transaction.runDeferred(updateRow, [workspaceId, id, name, description, digest]);
    } else if (before !== undefined) {
      transaction.runDeferred(deleteRow, [workspaceId, before.id]);
    }
  }
}

const noSuchCategory = { refused: 'no_such_category' } as const;

export const categoryCommands: CommandTable<keyof CategoryCommands> = {
  createCategory: { runMany: createEach },
  putCategory: {
    runMany: (transaction, inputs) =>
      changeRecords<'putCategory', Category>(transaction, inputs, categoryRecords, {
        gone: workspaceGone,
        decideAny(old, { id, category: { name, description } }) {
          const after = { id, name, description };
          const outcome = { ok: { category: after, isNew: old === undefined } };
          const isSame = old?.name === name && old.description === description;
          return { outcome, ...(isSame ? {} : { change: { after } }) };
        },
      }),
  },
  deleteCategory: {
    runMany: (transaction, inputs) =>
      changeRecords<'deleteCategory', Category>(transaction, inputs, categoryRecords, {
        gone: noSuchCategory,
        missing: noSuchCategory,
        decide: () => ({ outcome: { ok: null }, change: { after: undefined } }),
      }),
  },
};

interface CheckedRow extends CategoryRow {
  readonly workspaceId: Int64;
  readonly workspace: string;
  readonly digest: string;
}

const selectChecked = statement<CheckedRow>(`
  SELECT workspace_id AS "workspaceId", workspaces.name AS workspace, categories.id, categories.name, description, digest
  FROM categories JOIN workspaces ON workspaces.id = workspace_id
  WHERE (workspace_id, categories.id) > ($1, $2)
  ORDER BY workspace_id, categories.id LIMIT ${pageRowsMax}`);

/** A line for each category that was changed, except by a command. */
export async function findCategoryFaults(queryable: Queryable): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const row of readRows(queryable, selectChecked, ({ id }) => id)) {
    const { workspaceId, workspace, id, digest } = row;
    if (digest === categoryDigest(workspaceId, toCategory(row), sha256)) continue;
    faults.push(`Category ${id} of workspace ${workspace} was changed`);
    if (faults.length >= faultsMax) break;
  }
  return faults;
}
