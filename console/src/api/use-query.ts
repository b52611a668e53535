// Binds the query cache to preact.

import { notifyManager, QueryObserver, type QueryObserverResult } from '@tanstack/query-core';
import { useEffect, useMemo, useReducer } from 'preact/hooks';
import { cache, followQueries, optionsOf, type Query } from './cache.ts';

/** Draws the component again. */
function useDraw(): () => void {
  const [, draw] = useReducer((count: number, _: undefined) => count + 1, 0);
  return () => draw(undefined);
}

/** Reads something, and keeps it current while the component is shown. */
export function useQuery<Data>(query: Query<Data>): QueryObserverResult<Data> {
  const options = cache.defaultQueryOptions(optionsOf(query));
  const observer = useMemo(() => new QueryObserver<Data>(cache, options), []);
  const draw = useDraw();
  useEffect(() => observer.subscribe(notifyManager.batchCalls(draw)), [observer]);
  useEffect(() => observer.setOptions(options));
  return observer.getOptimisticResult({ ...options, _optimisticResults: 'optimistic' });
}

/** Keeps several queries current while the component is shown. The data are found by `cached`. */
export function useQueries(queries: readonly Query<unknown>[]): void {
  const draw = useDraw();
  const followed = useMemo(() => followQueries(draw), []);
  useEffect(() => followed.set(queries));
  useEffect(() => followed.stop, [followed]);
}
