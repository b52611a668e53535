import { turn } from '../context/deadline.ts';
import { type Int64, int64Min } from '../domain/values/int64.ts';
import type { Queryable } from './queryable.ts';
import type { Statement } from './statement.ts';

/** The rows that are in memory at once. */
export const pageRowsMax = 500;

/**
 * Returns every row of a table of workspaces, in the order of its key. `select` reads the next page after a workspace (`$1`)
 * and an id in it (`$2`).
 */
export async function* readRows<Row extends { readonly workspaceId: Int64 }>(
  queryable: Queryable,
  select: Statement<Row>,
  idOf: (row: Row) => Int64,
): AsyncGenerator<Row, undefined> {
  let position: readonly Int64[] | undefined = [int64Min, int64Min];
  while (position !== undefined) {
    const page: readonly Row[] = await queryable.all(select, position);
    yield* page;
    const last = page.at(-1);
    position = last && [last.workspaceId, idOf(last)];
  }
  return undefined;
}

/**
 * Returns every row of a table in pages. `select` reads the next page after a position (`$1`), which is the value of `positionOf` of
 * the last row.
 */
export async function* readPages<Row extends object>(
  queryable: Queryable,
  select: Statement<Row>,
  positionOf: (row: Row) => number,
  first: number | bigint,
): AsyncGenerator<readonly Row[], undefined> {
  for (let position = first; ; ) {
    const page: readonly Row[] = await queryable.all(select, [position]);
    const last = page.at(-1);
    if (last === undefined) return undefined;
    yield page;
    position = positionOf(last);
    // On SQLite, all rows are ready at once, and a signal would otherwise wait for the last page.
    await turn();
  }
}
