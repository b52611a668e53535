import {
  type Category,
  type CategoryCommands,
  type CategoryReads,
  categoryToJson,
  type NewCategory,
} from '../../domain/category.ts';
import { findNameFault } from '../../domain/name.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import { type Int64, int64Max } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import type { Transaction } from '../queryable.ts';
import { statement } from '../statement.ts';
import type { Within } from '../within.ts';
import { changeEach, createEach } from './change-records.ts';
import { toPage } from './pages.ts';
import { newId, type RecordKind, recordTable } from './record-kind.ts';
import { withDigest } from './row-digest.ts';
import { saveRecords } from './save.ts';

const categoryTable = recordTable<Category>('categories');
const { columns, select } = categoryTable;

// Ids of categories may be the ends of an int64, so that the bound of a page is `<=`.
const selectPage = select(
  `SELECT ${columns} FROM categories WHERE workspace_id = $1 AND id <= $2 ORDER BY id DESC LIMIT $3`,
);

/** A shop has far fewer. Each costs a search of the index. */
const searchedIdsMax = 2000;

// Each step finds the next number in the index, so that the cost does not depend on the number of animals.
const selectUnnamedIds = statement<{ id: Int64 }>(
  'WITH RECURSIVE used (id, step) AS (' +
    'SELECT (SELECT min(category_id) FROM pets WHERE workspace_id = $1), 1 UNION ALL ' +
    'SELECT (SELECT min(category_id) FROM pets WHERE workspace_id = $1 AND category_id > used.id), step + 1 ' +
    `FROM used WHERE id IS NOT NULL AND step < ${searchedIdsMax}) ` +
    'SELECT id FROM used WHERE id IS NOT NULL AND NOT EXISTS ' +
    '(SELECT 1 FROM categories WHERE workspace_id = $1 AND categories.id = used.id) ORDER BY step LIMIT $2',
);

export function createCategoryReads(within: Within): CategoryReads {
  return {
    readCategoryPage(context, workspaceId, { limit, afterId }) {
      const highestId = afterId === undefined ? int64Max : afterId - 1n;
      return andThen(within(context).all(selectPage, [workspaceId, highestId, limit + 1]), (rows) =>
        toPage(rows, limit),
      );
    },
    readCategory: (context, workspaceId, id) =>
      categoryTable.readById(within(context), workspaceId, id),
    readUnnamedCategoryIds: (context, workspaceId, limit) =>
      andThen(within(context).all(selectUnnamedIds, [workspaceId, limit]), (rows) =>
        rows.map(({ id }) => id),
      ),
  };
}

const lockNextId = statement<{ id: Int64 }>(
  'SELECT next_category_id AS id FROM workspaces WHERE id = $1 FOR UPDATE',
);

const selectUsedIds = statement<{ id: Int64 }>(
  'SELECT id FROM categories WHERE workspace_id = $1 AND id >= $2 AND id < $3',
);

/** Clients may have chosen very many adjacent ids, so that they are read in parts. */
const idsAtOnce = 10_000n;

/** The next free ids that are not reserved, and the first id after them. */
async function findFreeIds(
  transaction: Transaction,
  workspaceId: Int64,
  firstId: Int64,
  count: number,
  reserved: ReadonlySet<Int64>,
) {
  const ids: Int64[] = [];
  let nextId = firstId;
  while (ids.length < count) {
    const end = nextId + idsAtOnce;
    const rows = await transaction.all(selectUsedIds, [workspaceId, nextId, end]);
    const used = new Set([...rows.map(({ id }) => id), ...reserved]);
    for (; ids.length < count && nextId < end; nextId += 1n) {
      if (!used.has(nextId)) ids.push(nextId);
    }
  }
  return { ids, nextId };
}

export const categoryKind: RecordKind<Category> = {
  ...categoryTable,
  toRow: (workspaceId, category) => withDigest('categories', { ...category, workspaceId }),
  toJson: categoryToJson,
  eventType(before, after) {
    if (after === undefined) return 'category.deleted';
    return before === undefined ? 'category.created' : 'category.updated';
  },
};

/** Saves new categories under the next ids that no client has chosen, unless they have their ids. */
const saveNewCategories: typeof saveRecords<Category> = async (
  transaction,
  workspaceId,
  kind,
  changes,
) => {
  const [first] = await transaction.all(lockNextId, [workspaceId]);
  if (first === undefined) return undefined;
  const wanted = changes.flatMap(({ after }) => after?.id ?? []);
  const reserved = new Set(wanted.filter((id) => id !== newId));
  const count = changes.length - reserved.size;
  const found = await findFreeIds(transaction, workspaceId, first.id, count, reserved);
  const ids = found.ids.values();
  const numbered = changes.map(({ after, origin }) => {
    const id = after?.id === newId ? ids.next().value : after?.id;
    return { after: after && { ...after, id: id ?? newId }, origin };
  });
  const takenIds = Number(found.nextId - first.id);
  return saveRecords(transaction, workspaceId, kind, numbered, { takenIds });
};

/** Saves new categories. One whose id another category has gets the next id. The workspace is locked. */
export const saveWantedCategories: typeof saveRecords<Category> = async (
  transaction,
  workspaceId,
  kind,
  changes,
) => {
  const wanted = changes.flatMap(({ after }) => after?.id ?? []);
  const found = await categoryTable.readByIds(
    transaction,
    workspaceId,
    wanted.filter((id) => id !== newId),
  );
  const taken = new Set(found.map(({ id }) => id));
  const possible = changes.map((change) => {
    const { after } = change;
    if (after === undefined || after.id === newId) return change;
    const isTaken = taken.has(after.id);
    taken.add(after.id);
    return isTaken ? { ...change, after: { ...after, id: newId } } : change;
  });
  return saveNewCategories(transaction, workspaceId, kind, possible);
};

function toCategory(id: Int64, { name, description }: NewCategory): Category {
  return { id, name, description };
}

export function toNewCategory(category: NewCategory, id = newId): Category {
  return toCategory(id, category);
}

export const categoryCommands: CommandTable<keyof CategoryCommands> = {
  createCategory: createEach(
    categoryKind,
    ({ category }) => toNewCategory(category),
    saveNewCategories,
  ),
  putCategory: changeEach<'putCategory', Category>(categoryKind, {
    missing: 'no_such_workspace',
    create({ id, category }) {
      if (findNameFault(category.name) !== undefined) return { refused: 'invisible_name' };
      const after = toCategory(id, category);
      return { ok: { category: after, isNew: true }, after };
    },
    decide(old, { id, category }) {
      const after = toCategory(id, category);
      // Earlier versions stored such names, which can be repeated.
      if (old.name !== after.name && findNameFault(after.name) !== undefined)
        return { refused: 'invisible_name' };
      const isSame = old.name === after.name && old.description === after.description;
      return { ok: { category: after, isNew: false }, after: isSame ? old : after };
    },
  }),
  deleteCategory: changeEach<'deleteCategory', Category>(categoryKind, {
    missing: 'no_such_category',
    decide: () => ({ ok: null, after: undefined }),
  }),
};
