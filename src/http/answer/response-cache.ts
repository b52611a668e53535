import type { WorkspaceReads } from '../../domain/access/workspace.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import type { Context } from '../../domain/values/context.ts';
import type { Database, DataVersion } from '../../storage/contract/database.ts';
import type { Caller } from '../access/caller.ts';
import { type Failure, isFailure } from '../failure.ts';
import type { Members } from '../operation.ts';
import type { Representation } from './answer.ts';

/**
 * Memory of the process that an entry takes beside its body. Its objects, headers and prepared responses take about 3.5 KB. The
 * rest is for replaced entries that the garbage collector has not freed yet (docs/decisions/caching.md). It is rather too much, so that
 * the cache holds fewer entries and the process does not exceed its memory.
 */
const overheadBytes = 16_384;

/** A body is held as bytes and in the prepared response, perhaps also compressed. The rest is for replaced entries. */
const copiesOfBody = 4;

/** Reads the response to a query. `reused` if it will be sent many times. */
type ReadRepresentation = (reused: boolean) => Awaitable<Representation | Failure>;

/** A request that the cache may answer. */
export interface CacheableRequest {
  readonly context: {
    readonly call: Context;
    readonly caller: Pick<Caller, 'workspaceId' | 'workspaceIdText' | 'sessionId'>;
    readonly target: { readonly search: string };
  };
  readonly operation: { readonly operationId: string };
}

/**
 * Caches responses that depend only on the records of a workspace. A response is returned again until one of these records
 * changes. The least recently used are evicted first.
 */
export interface ResponseCache {
  /** Finds the response to a query that was sent in the same form before, so that it need not be parsed. */
  find(request: CacheableRequest): Awaitable<Representation | undefined>;
  /**
   * Finds the response to a parsed query, or reads it. A response is cached if the same query was read shortly before: a client
   * that requests new filters without end then adds no entries and evicts none.
   */
  findOrRead(
    request: CacheableRequest,
    query: Members,
    read: ReadRepresentation,
  ): Promise<Representation | Failure>;
  /** Bytes held now, never above the bound. */
  readonly bytes: number;
  /** Responses held now. */
  readonly entries: number;
  /** How many requests were answered from the cache. */
  readonly hits: number;
  /** How many requests that the cache may answer were read from the database. */
  readonly misses: number;
}

/** If clients send more different queries than this, known queries are parsed again. */
const knownQueriesMax = 1000;
const searchLengthMax = 200;

type CachedDatabase = DataVersion &
  Pick<WorkspaceReads, 'readWorkspaceVersion'> &
  Pick<Database, 'standbyReads'>;

export function createResponseCache(database: CachedDatabase, bytesMax: number): ResponseCache {
  const counts = { bytes: 0, entries: 0, hits: 0, misses: 0 };
  const entries = createEntries(bytesMax, counts);
  const wasRequested = createAdmission();
  /** What `formatQuery` returned for a query as it was sent. */
  const queries = new Map<string, string>();

  function findEntry(
    context: Context,
    key: string,
    { workspaceId, sessionId }: CacheableRequest['context']['caller'],
  ): Awaitable<Representation | undefined> {
    const entry = entries.find(key);
    if (entry === undefined) return undefined;
    const dataVersion = database.dataVersion();
    if (!mustCompare(database, sessionId) && entry.dataVersion === dataVersion) {
      counts.hits += 1;
      return entry.representation;
    }
    // A commit in another workspace does not change this response.
    return andThen(database.readWorkspaceVersion(context, workspaceId), (workspaceVersion) => {
      if (entry.workspaceVersion !== workspaceVersion) {
        entries.delete(key);
        return undefined;
      }
      entry.dataVersion = dataVersion;
      counts.hits += 1;
      return entry.representation;
    });
  }

  return Object.assign(counts, {
    find({ context: { call, caller, target }, operation: { operationId } }: CacheableRequest) {
      const query = queries.get(`${operationId} ${target.search}`);
      return query === undefined
        ? undefined
        : findEntry(call, `${operationId} ${caller.workspaceIdText} ${query}`, caller);
    },
    async findOrRead(
      { context: { call, caller, target }, operation: { operationId } }: CacheableRequest,
      query: Members,
      read: ReadRepresentation,
    ) {
      const { workspaceId, workspaceIdText } = caller;
      const { search } = target;
      const queryText = formatQuery(query);
      if (search.length <= searchLengthMax) {
        if (queries.size >= knownQueriesMax) queries.clear();
        queries.set(`${operationId} ${search}`, queryText);
      }
      const key = `${operationId} ${workspaceIdText} ${queryText}`;
      const found = await findEntry(call, key, caller);
      if (found !== undefined) return found;
      counts.misses += 1;
      if (!wasRequested(key) || bytesMax === 0) return read(false);
      // The versions are read first, so that the response can only be newer than they say.
      const standbyCount = database.standbyReads?.count();
      const dataVersion = database.dataVersion();
      const workspaceVersion = await database.readWorkspaceVersion(call, workspaceId);
      const representation = await read(true);
      // Two reads from standbys can be of two states.
      const isOfPrimary = database.standbyReads?.count() === standbyCount;
      if (!isFailure(representation) && isOfPrimary) {
        entries.add(key, { representation, dataVersion, workspaceVersion });
      }
      return representation;
    },
  });
}

/** The console shows its own changes, and all before a position of the feed, whichever server committed them. */
function mustCompare({ staleMillisecondsMax }: DataVersion, sessionId: string | undefined) {
  return sessionId !== undefined && staleMillisecondsMax > 0;
}

/** A parsed query as one text. Queries that request the same have the same text, so that they share one entry. */
function formatQuery(query: Members): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.toString();
}

interface Entry {
  readonly representation: Representation;
  readonly workspaceVersion: number;
  dataVersion: number;
}

/** Holds entries up to a number of bytes, and counts them. */
function createEntries(bytesMax: number, counts: { bytes: number; entries: number }) {
  // A Map keeps the order of insertion. An entry that is used moves to the end, so the first is the least recently used.
  const entries = new Map<string, Entry>();
  let lastUsed = '';

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    counts.bytes -= bytesOf(key, entry);
    counts.entries -= 1;
  }

  return {
    find(key: string): Entry | undefined {
      const entry = entries.get(key);
      if (entry === undefined || key === lastUsed) return entry;
      entries.delete(key);
      entries.set(key, entry);
      lastUsed = key;
      return entry;
    },
    delete: remove,
    add(key: string, entry: Entry): void {
      remove(key);
      if (bytesOf(key, entry) > bytesMax) return;
      entries.set(key, entry);
      lastUsed = key;
      counts.bytes += bytesOf(key, entry);
      counts.entries += 1;
      for (const oldest of entries.keys()) {
        if (counts.bytes <= bytesMax) break;
        remove(oldest);
      }
    },
  };
}

function bytesOf(key: string, { representation }: Entry): number {
  return overheadBytes + 2 * key.length + copiesOfBody * representation.bytes;
}

/** A key is remembered until another key takes its slot. All slots together take 256 KiB. */
const requestedSlots = 2 ** 16;

/** Returns whether a key was requested before. If two keys have one hash, the answer for the second is wrong once. */
function createAdmission(): (key: string) => boolean {
  const hashes = new Uint32Array(requestedSlots);
  return (key) => {
    const hash = Bun.hash.xxHash32(key);
    const slot = hash % requestedSlots;
    const isKnown = hashes[slot] === hash;
    hashes[slot] = hash;
    return isKnown;
  };
}
