import { useRef } from 'preact/hooks';
import { cached, cachedError, type Query } from '../api/cache.ts';
import { useQueries } from '../api/use-query.ts';
import type { Identified } from '../lists/list-place.ts';

/** What belongs to rows, by an id: one query for each page of rows. What was read before stays. */
export function useOfRows<Row extends Identified, Value>(
  pages: readonly (readonly Row[])[],
  queryOf: (rows: readonly Row[]) => Query<ReadonlyMap<bigint, Value>>,
): { readonly found: ReadonlyMap<bigint, Value>; readonly hasFailed: boolean } {
  const found = useRef(new Map<bigint, Value>()).current;
  const queries = pages.map(queryOf).filter(({ isEnabled = true }) => isEnabled);
  useQueries(queries);
  for (const { key } of queries) {
    for (const [id, value] of cached<ReadonlyMap<bigint, Value>>(key) ?? []) found.set(id, value);
  }
  return {
    found: new Map(found),
    hasFailed: queries.some(({ key }) => cachedError(key) !== undefined),
  };
}
