import { turn } from '../context/deadline.ts';
import { type Int64, int64Min } from '../domain/values/int64.ts';
import type { Queryable, Value } from './queryable.ts';
import type { Statement } from './statement.ts';

/** The rows that are in memory at once. */
export const pageRowsMax = 500;

/**
 * Returns every row of a table in pages. `select` reads the next page after a position, which `positionOf` makes of the last row of
 * the page before.
 */
export async function* readPages<Row extends object>(
  queryable: Queryable,
  select: Statement<Row>,
  positionOf: (row: Row) => readonly Value[],
  first: readonly Value[],
): AsyncGenerator<readonly Row[], undefined> {
  for (let position = first; ; ) {
    const page: readonly Row[] = await queryable.all(select, position);
    const last = page.at(-1);
    if (last === undefined) return undefined;
    yield page;
    position = positionOf(last);
    // On SQLite, all rows are ready at once, and a signal would otherwise wait for the last page.
    await turn();
  }
}

/** Returns every row of a table of workspaces. Positions are a workspace and an id in it. */
export async function* readRows<Row extends { readonly workspaceId: Int64 }>(
  queryable: Queryable,
  select: Statement<Row>,
  idOf: (row: Row) => Int64,
): AsyncGenerator<Row, undefined> {
  const positionOf = (row: Row) => [row.workspaceId, idOf(row)];
  const pages = readPages(queryable, select, positionOf, [int64Min, int64Min]);
  for await (const page of pages) yield* page;
  return undefined;
}
