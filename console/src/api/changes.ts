// What changes mean for what the page has read: own writes are shown at once, and what is in sight is read again after a change.

import { type Change, connection, listen } from './announce.ts';
import { cache, pageKind, retryFailed } from './cache.ts';

/** After a change, what is in sight is read again at most once in this time. */
const rereadMilliseconds = 1000;

/** The tags of a change: the kind of its record, the record, and the animal of an order. */
export function tagsOf({ type, data }: Pick<Change, 'type' | 'data'>): readonly string[] {
  const [kind = ''] = type.split('.');
  const tags = [kind];
  if ('id' in data) tags.push(tagOf(kind, data.id));
  if ('petId' in data) tags.push(tagOf('orders-of', data.petId));
  return tags;
}

/** The tag of a record, or of the orders of an animal. */
export const tagOf = (kind: string, id: unknown) => `${kind}:${id}`;

/** Tags of changes since the last time that queries were read again. */
const changed = new Set<string>();
/** Tags of changes while a query was being read, by its hash. The answer may be older, and says which of them matter. */
const duringRead = new Map<string, Set<string>>();
let timer: ReturnType<typeof setTimeout> | undefined;
/** By a clock that only runs forwards. */
let rereadAt = Number.NEGATIVE_INFINITY;

function schedule(): void {
  timer ??= setTimeout(
    rereadChanged,
    Math.max(0, rereadAt + rereadMilliseconds - performance.now()),
  );
}

/** Reads again what has one of these tags: soon if it is in use, and otherwise when it is used next. */
export function markOld(tags: readonly string[]): void {
  for (const tag of tags) changed.add(tag);
  schedule();
}

function rereadChanged(): void {
  timer = undefined;
  rereadAt = performance.now();
  for (const { meta, state, queryHash, queryKey } of cache.getQueryCache().getAll()) {
    const tags = new Set([...changed, ...(duringRead.get(queryHash) ?? [])]);
    duringRead.delete(queryHash);
    if (meta?.rules.tags === undefined || tags.size === 0) continue;
    if (state.fetchStatus !== 'idle') duringRead.set(queryHash, tags);
    else if (hasAny(meta.rules.tags(state.data), tags)) {
      void cache.invalidateQueries({ queryKey, exact: true });
    }
  }
  changed.clear();
  if (duringRead.size > 0) schedule();
}

function hasAny(tags: Iterable<string>, wanted: ReadonlySet<string>): boolean {
  for (const tag of tags) if (wanted.has(tag)) return true;
  return false;
}

/** Shows a change by this page in what was read. */
function patch(change: Change): void {
  for (const { meta, state, queryKey } of cache.getQueryCache().getAll()) {
    if (meta?.rules.patch === undefined || state.data === undefined) continue;
    const data = meta.rules.patch(state.data, change);
    if (data === state.data) continue;
    cache.setQueryData(queryKey, data);
  }
}

/** Follows changes as long as the page shows one user. Returns what ends this and forgets what was read. */
export function followChanges(): () => void {
  const stopListening = listen((update) => {
    if (update === 'reset') {
      void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] !== pageKind });
      return;
    }
    markOld(tagsOf(update.event));
    if (update.isOwn) patch(update.event);
  });
  const stopWatching = connection.subscribe((state) => {
    if (state === 'live') retryFailed();
  });
  return () => {
    stopListening();
    stopWatching();
    clearTimeout(timer);
    timer = undefined;
    rereadAt = Number.NEGATIVE_INFINITY;
    changed.clear();
    duringRead.clear();
    cache.clear();
  };
}
