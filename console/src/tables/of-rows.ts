import { useRef } from 'preact/hooks';
import { cached, cachedError, type Query } from '../api/cache.ts';
import { useQueries } from '../api/use-query.ts';
import type { Identified } from '../lists/list-place.ts';

type Values<Value> = ReadonlyMap<bigint, Value>;

/** Finds a value by an id. */
export type Lookup<Value> = Pick<Values<Value>, 'get'>;

/** What belongs to rows, by an id: one query for each page of rows. What was read before stays. */
export function useOfRows<Row extends Identified, Value>(
  pages: readonly (readonly Row[])[],
  queryOf: (rows: readonly Row[]) => Query<Values<Value>>,
): { readonly found: Lookup<Value>; readonly hasFailed: boolean } {
  const found = useRef(new Map<bigint, Value>()).current;
  const taken = useRef(new WeakSet<Values<Value>>()).current;
  const queries = pages.map(queryOf).filter(({ isEnabled = true }) => isEnabled);
  useQueries(queries);
  for (const { key } of queries) {
    const values = cached<Values<Value>>(key);
    if (values === undefined || taken.has(values)) continue;
    taken.add(values);
    for (const [id, value] of values) found.set(id, value);
  }
  return {
    found: { get: (id) => found.get(id) },
    hasFailed: queries.some(({ key }) => cachedError(key) !== undefined),
  };
}
