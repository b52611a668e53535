// What the page has read, by key. changes.ts says what is old, and what is in use is read again.

import {
  QueriesObserver,
  QueryClient,
  type QueryKey,
  type QueryObserverOptions,
  type QueryObserverResult,
} from '@tanstack/query-core';
import { type Change, connection, listen } from './announce.ts';
import { session } from './session.ts';

/** What changes mean for the data of a query. */
interface ChangeRules<Data> {
  /** It is read again after a change with one of these tags (`tagsOf` in changes.ts). */
  tags?(data: Data): Iterable<string>;
  /** The data after a change by this page, until they are read again. */
  patch?(data: Data, change: Change): Data;
}

/** Something that the page reads. */
export interface Query<Data> extends ChangeRules<Data> {
  /** Strings, of which the first names the kind of data. */
  readonly key: readonly string[];
  /** `before` is what was read last. */
  read(signal: AbortSignal, before: Data | undefined): Promise<Data>;
  /** False if it is not read now. */
  readonly isEnabled?: boolean;
  /** Whether it stays until `forget`, and is read again only after changes. Others go a minute after they were in use. */
  readonly isKept?: boolean;
}

declare module '@tanstack/query-core' {
  interface Register {
    queryMeta: { readonly rules: ChangeRules<unknown> };
  }
}

/** What nothing shows is forgotten after this time. */
const unusedMilliseconds = 60_000;

export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // The client of the service retries.
      retry: false,
      staleTime: Number.POSITIVE_INFINITY,
      networkMode: 'always',
      refetchOnWindowFocus: false,
      // The client knows the version of each record by the object that it returned.
      structuralSharing: false,
    },
  },
});

/** The kind of the keys of pages of lists, whose rows stay until the list is opened again. */
export const pageKind = 'page';

/** In another workspace, a key is another one. */
const keyOf = (key: readonly string[]): QueryKey => [session.peek()?.workspace, ...key];

/** A query in the terms of the library. */
export function optionsOf<Data>(query: Query<Data>) {
  const { key, isEnabled = true, isKept = false, tags } = query;
  const queryKey = keyOf(key);
  // Without the stream, nothing says what is old.
  const isFollowed = tags !== undefined && connection.peek() === 'live';
  return {
    queryKey,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      readWithOwnChanges(query, signal, cache.getQueryData<Data>(queryKey)),
    enabled: isEnabled,
    meta: { rules: query },
    refetchOnMount: isFollowed || isKept || 'always',
    gcTime: isKept ? Number.POSITIVE_INFINITY : isFollowed ? unusedMilliseconds : 0,
  } satisfies QueryObserverOptions<Data>;
}

/** The answer can be older than a change by this page during the read, which would be taken back until the next read. */
async function readWithOwnChanges<Data>(
  query: Query<Data>,
  signal: AbortSignal,
  before: Data | undefined,
): Promise<Data> {
  const changes: Change[] = [];
  const stopListening = listen((update) => {
    if (update !== 'reset' && update.isOwn) changes.push(update.event);
  });
  try {
    let data: Data = await query.read(signal, before);
    for (const change of changes) data = query.patch?.(data, change) ?? data;
    return data;
  } finally {
    stopListening();
  }
}

/** What was read for a key, if anything was. */
export function cached<Data>(key: readonly string[]): Data | undefined {
  return cache.getQueryData<Data>(keyOf(key));
}

/** Why a key could not be read the last time. */
export const cachedError = (key: readonly string[]): Error | undefined =>
  cache.getQueryState(keyOf(key))?.error ?? undefined;

/** Reads it unless it is cached and current. */
export function fetchOnce<Data>(query: Query<Data>): Promise<Data> {
  return cache.fetchQuery(optionsOf(query));
}

/** Drops what was read for the keys that begin with this one, and stops their reads. */
export function forget(key: readonly string[]): void {
  void cache.cancelQueries({ queryKey: keyOf(key) });
  cache.removeQueries({ queryKey: keyOf(key) });
}

/** Reads again what is in use and could not be read. */
export const retryFailed = (): void =>
  void cache.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });

/** Keeps several queries current, also outside of components. Calls `changed` after each change of a result. */
export function followQueries(changed: (results: readonly QueryObserverResult[]) => void) {
  const observer = new QueriesObserver(cache, []);
  const stop = observer.subscribe((results) => changed(results));
  let last = '';
  return {
    /** Those of the same keys stay as they are. */
    set(queries: readonly Query<unknown>[]): void {
      const keys = queries.map(({ key }) => key.join(' ')).join('\n');
      if (keys === last) return;
      last = keys;
      observer.setQueries(queries.map(optionsOf));
    },
    stop,
  };
}
