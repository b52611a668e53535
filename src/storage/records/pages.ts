import type { Page, PageRequest } from '../../domain/page.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import { assignedIdMax, type Int64 } from '../../domain/values/int64.ts';
import type { Queryable } from '../queryable.ts';
import type { TableName } from '../schema/tables.ts';
import { statement } from '../statement.ts';

/** Of which records, with assigned ids, pages are read. */
export interface PagedTable {
  readonly table: TableName;
  /** As they are selected. */
  readonly columns: string;
  /** Every status that one may have. Its index is named after the table and the column. */
  readonly statuses: readonly string[];
  /** What they can be of besides, with its index, in which the statuses of each are runs. */
  readonly parent: { readonly column: string; readonly index: string };
}

/** Which records a page is about. Absent members do not restrict it. */
export interface PageFilter {
  readonly status?: string | undefined;
  readonly parent?: Int64 | undefined;
  /** A hundred at most. */
  readonly ids?: readonly Int64[] | undefined;
}

/**
 * The statements that read a page, newest first, each from an index that has the page as a run of neighbours. Each reads one
 * row more than the page holds, which tells whether another page follows.
 */
export function pageStatements<Row extends object>(
  { table, columns, statuses, parent: { column, index } }: PagedTable,
  numbers: readonly (keyof Row & string)[] = [],
) {
  const from = (indexed = '') => `SELECT ${columns} FROM ${table} ${indexed}
    WHERE workspace_id = $1 AND id < $2`;
  const order = 'ORDER BY id DESC LIMIT $3';
  // Without being told, SQLite's planner walks the primary key, through every record of another status.
  const byStatus = `INDEXED BY ${table}_by_status`;
  const byParent = `INDEXED BY ${index}`;
  const ofParent = (indexed: string, status: string) =>
    `${from(indexed)} AND ${column} = $4 AND status = ${status}`;
  const ofEachStatus = (select: (status: string) => string) =>
    statuses.map((status) => select(`'${status}'`)).join(' UNION ALL ');
  const ofIds = (isOneOf: string) => `
    ${from()} AND id ${isOneOf}
      AND (CAST($5 AS text) IS NULL OR status = $5) AND (CAST($6 AS bigint) IS NULL OR ${column} = $6)
    ${order}`;
  return {
    all: statement<Row>(`${from()} ${order}`, numbers),
    byStatus: statement<Row>(
      {
        sqlite: `${from(byStatus)} AND status = $4 ${order}`,
        postgres: `${from()} AND status = $4 ${order}`,
      },
      numbers,
    ),
    byParentAndStatus: statement<Row>(
      {
        sqlite: `${ofParent(byParent, '$5')} ${order}`,
        postgres: `${ofParent('', '$5')} ${order}`,
      },
      numbers,
    ),
    // SQLite merges the runs and goes no further than the page; PostgreSQL, which might read all of them, is told to take a
    // page of each.
    byParent: statement<Row>(
      {
        sqlite: `${ofEachStatus((status) => ofParent(byParent, status))} ${order}`,
        postgres: `${ofEachStatus((status) => `(${ofParent('', status)} ${order})`)} ${order}`,
      },
      numbers,
    ),
    // What else restricts the list is looked for among the ids.
    byIds: statement<Row>(
      {
        sqlite: ofIds('IN (SELECT value FROM json_each($4))'),
        postgres: ofIds('= ANY ($4::bigint[])'),
      },
      numbers,
    ),
  };
}

/** Reads the rows of a page, and one more where there is one. */
export function selectPage<Row extends object>(
  queryable: Queryable,
  statements: ReturnType<typeof pageStatements<Row>>,
  workspaceId: Int64,
  { limit, belowId = assignedIdMax + 1n }: PageRequest,
  { status, parent, ids }: PageFilter,
): Awaitable<readonly Row[]> {
  const place = [workspaceId, belowId, limit + 1] as const;
  const { all, byStatus, byParent, byParentAndStatus, byIds } = statements;
  if (ids !== undefined) {
    return queryable.all(byIds, [...place, ids, status ?? null, parent ?? null]);
  }
  if (parent === undefined) {
    return status === undefined
      ? queryable.all(all, place)
      : queryable.all(byStatus, [...place, status]);
  }
  return status === undefined
    ? queryable.all(byParent, [...place, parent])
    : queryable.all(byParentAndStatus, [...place, parent, status]);
}

/** Makes a page of rows, newest first. If there is one row more than the limit, another page follows. */
export function toPage<Item extends { readonly id: Int64 }>(
  rows: readonly Item[],
  limit: number,
): Page<Item> {
  const items = rows.length > limit ? rows.slice(0, limit) : rows;
  return { items, nextBelowId: rows.length > limit ? items.at(-1)?.id : undefined };
}
