import { andThen } from '../domain/awaitable.ts';
import {
  type Category,
  type CategoryCommands,
  type CategoryReads,
  categoryToJson,
} from '../domain/category.ts';
import type { CommandInput, CommandOutcome } from '../domain/commands.ts';
import { type Int64, int64Max } from '../domain/int64.ts';
import { toPage } from '../domain/page.ts';
import { changeRecords, type RecordKind } from './change-records.ts';
import { changeWorkspace, holdWorkspace } from './changes.ts';
import type { CommandTable } from './command-table.ts';
import type { Session, Transaction } from './session.ts';
import { statement } from './statement.ts';

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

export function createCategoryReads(session: Session): CategoryReads {
  return {
    readCategoryPage(workspaceId, { limit, belowId }) {
      const lastId = belowId === undefined ? int64Max : belowId - 1n;
      return andThen(session.all(selectPage, [workspaceId, lastId, limit + 1]), (rows) =>
        toPage(rows.map(toCategory), limit),
      );
    },
    readCategory: (workspaceId, id) =>
      andThen(session.all(selectCategory, [workspaceId, id]), ([row]) => row && toCategory(row)),
  };
}

const selectNextId = statement<{ id: Int64 }>(
  'SELECT next_category_id AS id FROM workspaces WHERE id = $1',
);

const selectUsedIds = statement<{ id: Int64 }>(`
  SELECT id FROM categories WHERE workspace_id = $1 AND id >= $2 ORDER BY id LIMIT $3`);

/** More rows than this are not read at once. */
const usedIdsMax = 10_000;

/** The next free ids, and the first that is to come after them. Ids that clients chose are passed by once. */
async function findFreeIds(transaction: Transaction, workspaceId: Int64, count: number) {
  const [next] = await transaction.all(selectNextId, [workspaceId]);
  if (next === undefined) return undefined;
  const ids: Int64[] = [];
  let id = next.id;
  while (ids.length < count) {
    const used = await transaction.all(selectUsedIds, [workspaceId, id, usedIdsMax]);
    const last = used.length < usedIdsMax ? undefined : used.at(-1)?.id;
    const taken = new Set(used.map((row) => row.id));
    for (; ids.length < count && (last === undefined || id <= last); id += 1n) {
      if (!taken.has(id)) ids.push(id);
    }
  }
  return { ids, passedBy: Number(id - next.id) };
}

async function createEach(
  transaction: Transaction,
  inputs: readonly CommandInput<'createCategory'>[],
): Promise<readonly CommandOutcome<'createCategory'>[]> {
  const freeIds = new Map<Int64, Int64[]>();
  for (const [workspaceId, own] of Map.groupBy(inputs, (input) => input.workspaceId)) {
    await holdWorkspace(transaction, workspaceId);
    const found = await findFreeIds(transaction, workspaceId, own.length);
    if (found === undefined) continue;
    await changeWorkspace(transaction, workspaceId, { ids: { categories: found.passedBy } });
    freeIds.set(workspaceId, found.ids);
  }
  return inputs.map(({ workspaceId, category: { name, description } }) => {
    const id = freeIds.get(workspaceId)?.shift();
    if (id === undefined) return workspaceGone;
    const category = { id, name, description };
    insertCategory(transaction, workspaceId, category);
    return { ok: category };
  });
}

const workspaceGone = { refused: 'no_such_workspace' } as const;

function insertCategory(
  transaction: Transaction,
  workspaceId: Int64,
  { id, name, description }: Category,
): void {
  transaction.insert('categories', [
    { workspace_id: workspaceId, id, name, description: description ?? null },
  ]);
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
  UPDATE categories SET name = $3, description = $4 WHERE workspace_id = $1 AND id = $2`);

const deleteRow = statement('DELETE FROM categories WHERE workspace_id = $1 AND id = $2');

const categoryRecords: RecordKind<Category> = {
  async read(transaction, workspaceId, ids) {
    return (await transaction.all(selectCategories, [workspaceId, ids])).map(toCategory);
  },
  toJson: categoryToJson,
  async store(transaction, workspaceId, changes) {
    await changeWorkspace(transaction, workspaceId);
    for (const { before, after } of changes) {
      if (before === undefined && after !== undefined) {
        insertCategory(transaction, workspaceId, after);
      } else if (after !== undefined) {
        const { id, name, description } = after;
        transaction.send(updateRow, [workspaceId, id, name, description ?? null]);
      } else if (before !== undefined) {
        transaction.send(deleteRow, [workspaceId, before.id]);
      }
    }
  },
};

const noSuchCategory = { refused: 'no_such_category' } as const;

export const categoryCommands: CommandTable<keyof CategoryCommands> = {
  createCategory: { runMany: createEach },
  putCategory: {
    runMany: (transaction, inputs) =>
      changeRecords<'putCategory', Category>(transaction, inputs, categoryRecords, {
        gone: workspaceGone,
        decide(old, { id, category: { name, description } }) {
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
