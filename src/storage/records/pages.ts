import type { Page, PageAfterItem, PageRequest, SortOrder } from '../../domain/page.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import { assignedIdMax, type Int64 } from '../../domain/values/int64.ts';
import type { Queryable } from '../queryable.ts';
import type { RecordTable, StoredRecord } from './record-kind.ts';

/** Which records a page contains. Absent members do not restrict it. */
interface PageFilter {
  readonly status?: string | undefined;
  /** What the records belong to: one, or distinct ones, at most a hundred. */
  readonly parents?: readonly Int64[] | undefined;
  /** At most a hundred. */
  readonly ids?: readonly Int64[] | undefined;
}

/**
 * The statements that read a page in one order. Each reads adjacent entries of one index, and one row more than the page holds,
 * which shows whether another page follows.
 */
export function pageStatements<Item extends StoredRecord>(
  { table, columns, select }: RecordTable<Item>,
  /** Every status of a record. The index is named after the table and the column. */
  statuses: readonly string[],
  /** The column of what a record belongs to, and its index, in which the records of each status are adjacent. */
  { column, index }: { readonly column: string; readonly index: string },
  sort: SortOrder,
) {
  const isDescending = sort === '-id';
  const [beyond, upTo, farthestId, direction] = isDescending
    ? (['<', '>=', 0n, 'DESC'] as const)
    : (['>', '<=', assignedIdMax, 'ASC'] as const);
  const from = (indexed = '') => `SELECT ${columns} FROM ${table} ${indexed}
    WHERE workspace_id = $1 AND id ${beyond} $2`;
  const order = `ORDER BY id ${direction} LIMIT $3`;
  // Without INDEXED BY, SQLite's planner reads the primary key, with every record of another status.
  const byStatus = `INDEXED BY ${table}_by_status`;
  const byParent = `INDEXED BY ${index}`;
  const ofParent = (indexed: string, status: string) =>
    `${from(indexed)} AND ${column} = $4 AND status = ${status}`;
  const ofEachStatus = (page: (status: string) => string) =>
    statuses.map((status) => page(`'${status}'`)).join(' UNION ALL ');
  const isWanted = (status: string) => `coalesce(CAST($5 AS text), ${status}) = ${status}`;
  const byIds = `${from()} AND id = ANY ($4::bigint[]) AND ${isWanted('status')}`;
  return {
    /** The first page starts after this id, which no record has. */
    beforeFirst: isDescending ? assignedIdMax + 1n : 0n,
    all: select(`${from()} ${order}`),
    byStatus: select({
      sqlite: `${from(byStatus)} AND status = $4 ${order}`,
      postgres: `${from()} AND status = $4 ${order}`,
    }),
    byParentAndStatus: select({
      sqlite: `${ofParent(byParent, '$5')} ${order}`,
      postgres: `${ofParent('', '$5')} ${order}`,
    }),
    // SQLite merges the entries of each status and stops at the end of the page. PostgreSQL might read all of them, so its
    // statement takes a page of each status.
    byParent: select({
      sqlite: `${ofEachStatus((status) => ofParent(byParent, status))} ${order}`,
      postgres: `${ofEachStatus((status) => `(${ofParent('', status)} ${order})`)} ${order}`,
    }),
    // Reads at most a page of each status of each parent, so that their other records cost nothing. SQLite has no lateral join: its
    // statement finds the last id of each of these pages first.
    byParents: select({
      sqlite: `SELECT ${columns} FROM ${table} WHERE workspace_id = $1 AND id IN (
        SELECT found.id FROM json_each($4) AS parent CROSS JOIN json_each('${JSON.stringify(statuses)}') AS each_status
          CROSS JOIN ${table} AS found ${byParent}
        WHERE found.workspace_id = $1 AND found.${column} = parent.value AND found.status = each_status.value AND found.id ${beyond} $2
          AND ${isWanted('each_status.value')} AND found.id ${upTo} coalesce((
            SELECT id FROM ${table} ${byParent} WHERE workspace_id = $1 AND id ${beyond} $2
              AND ${column} = parent.value AND status = each_status.value ORDER BY id ${direction} LIMIT 1 OFFSET $3 - 1
          ), ${farthestId})
        ORDER BY found.id ${direction} LIMIT $3
      ) ${order}`,
      postgres: `SELECT page.* FROM pg_catalog.unnest($4::bigint[]) AS parent (value) CROSS JOIN LATERAL (
        ${ofEachStatus((status) => `(${from()} AND ${column} = parent.value AND status = ${status} AND ${isWanted(status)} ${order})`)}
      ) AS page ${order}`,
    }),
    // The other filters are checked on the rows of the ids.
    byIds: select({
      sqlite: `${byIds} AND ($6 IS NULL OR ${column} IN (SELECT value FROM json_each($6))) ${order}`,
      postgres: `${byIds} AND ($6::bigint[] IS NULL OR ${column} = ANY ($6)) ${order}`,
    }),
  };
}

/** Reads the rows of a page, and one more if another page follows. */
export function selectPage<Item extends StoredRecord>(
  queryable: Queryable,
  statements: ReturnType<typeof pageStatements<Item>>,
  workspaceId: Int64,
  { limit, afterId = statements.beforeFirst }: PageRequest,
  { status, parents, ids }: PageFilter,
): Awaitable<readonly Item[]> {
  const position = [workspaceId, afterId, limit + 1] as const;
  const { all, byStatus, byParent, byParentAndStatus, byParents, byIds } = statements;
  if (ids !== undefined) {
    return queryable.all(byIds, [...position, ids, status ?? null, parents ?? null]);
  }
  if (parents === undefined) {
    return status === undefined
      ? queryable.all(all, position)
      : queryable.all(byStatus, [...position, status]);
  }
  const [parent, another] = parents;
  if (parent === undefined || another !== undefined) {
    return queryable.all(byParents, [...position, parents, status ?? null]);
  }
  return status === undefined
    ? queryable.all(byParent, [...position, parent])
    : queryable.all(byParentAndStatus, [...position, parent, status]);
}

// Lists are read with one row more than their limit. If that row exists, another page follows.

/** The items of a page, and the last of them if another page follows. */
export function cutPage<Item>(rows: readonly Item[], limit: number): PageAfterItem<Item> {
  if (rows.length <= limit) return { items: rows, next: undefined };
  return { items: rows.slice(0, limit), next: rows[limit - 1] };
}

/** Makes a page of rows. */
export function toPage<Item extends { readonly id: Int64 }>(
  rows: readonly Item[],
  limit: number,
): Page<Item> {
  const { items, next } = cutPage(rows, limit);
  return { items, nextAfterId: next?.id };
}
