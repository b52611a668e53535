import type { WorkspaceReads } from '../../domain/access/workspace.ts';
import type { DataVersion } from '../../domain/database/database.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { Representation } from './representation.ts';

/**
 * Memory of the process that an entry takes beside its body. Its objects, headers and prepared responses take about 3.5 KB. The
 * rest is for replaced entries that the garbage collector has not freed yet (docs/decisions/caching.md).
 */
const overheadBytes = 16_384;

/** A body is held as bytes and in the prepared response, perhaps also compressed. The rest is for replaced entries. */
const copiesOfBody = 4;

/** Of what an answer was made. They are read before the answer is, so that it can only be too old. */
export interface Versions {
  readonly dataVersion: number;
  readonly workspaceVersion: number;
}

/** What queries ask for, however they are written. */
export interface KnownQueries {
  /** What a query that was sent before asks for, as `formatQuery` writes it. */
  knownQuery(operationId: string, search: string): string | undefined;
  /** Remembers what a query asks for, so that the next of its kind need not be read. */
  learnQuery(operationId: string, search: string, query: string): void;
}

/**
 * Answers that are made of a workspace's records alone, kept as bytes and given again as long as the database says that
 * they are what it would answer. The least recently used go first when they outgrow their bound.
 */
export interface ResponseCache extends KnownQueries {
  /** The answer cached under this key, where it still holds. */
  find(key: string, workspaceId: Int64): Awaitable<Representation | undefined>;
  /**
   * Counts a miss, and returns whether the answer is worth caching. It is if the key was requested shortly before: a client that
   * requests new filters without end then adds no entries and evicts none.
   */
  admit(key: string): boolean;
  /** To be asked before an answer is read that will be cached. */
  readVersions(workspaceId: Int64): Awaitable<Versions>;
  add(key: string, versions: Versions, representation: Representation): void;
  /** Bytes held now, never above the bound. */
  readonly bytes: number;
  /** Answers held now. */
  readonly entries: number;
  /** How often an answer was given again. */
  readonly hits: number;
  /** How often an answer that may be cached had to be read. */
  readonly misses: number;
}

/** Everything that an answer depends on beside the records. `query` is the parsed query (docs/decisions/caching.md). */
export function cacheKey(operationId: string, workspaceIdText: string, query: string): string {
  return `${operationId} ${workspaceIdText} ${query}`;
}

/** A query that was read, as one text: equal for those that ask for the same. */
export function formatQuery(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.toString();
}

/** Ways of asking that are remembered. A caller with ever other ones costs the others no more than reading theirs anew. */
const knownQueriesMax = 1000;
const searchLengthMax = 200;

interface Entry {
  readonly representation: Representation;
  readonly workspaceVersion: number;
  dataVersion: number;
  readonly bytes: number;
}

export function createResponseCache(
  database: DataVersion & Pick<WorkspaceReads, 'readWorkspaceVersion'>,
  bytesMax: number,
): ResponseCache {
  // A Map remembers the order of insertion: what was used is put at its end, what is first goes first.
  const entries = new Map<string, Entry>();
  const admission = createAdmission(bytesMax);
  let bytes = 0;
  let hits = 0;
  let lastUsed = '';

  function touch(key: string, entry: Entry): void {
    if (key === lastUsed) return;
    entries.delete(key);
    entries.set(key, entry);
    lastUsed = key;
  }

  function drop(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    bytes -= entry.bytes;
  }

  function check(
    key: string,
    entry: Entry,
    dataVersion: number,
    workspaceVersion: number,
  ): Representation | undefined {
    if (entry.workspaceVersion !== workspaceVersion) {
      drop(key);
      return undefined;
    }
    entry.dataVersion = dataVersion;
    hits += 1;
    return entry.representation;
  }

  return {
    ...createKnownQueries(),
    find(key, workspaceId) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      touch(key, entry);
      const dataVersion = database.dataVersion();
      if (entry.dataVersion === dataVersion) {
        hits += 1;
        return entry.representation;
      }
      // Something was committed. Where it was in another workspace, the answer still holds.
      return andThen(database.readWorkspaceVersion(workspaceId), (found) =>
        check(key, entry, dataVersion, found),
      );
    },
    admit: admission.admit,
    readVersions(workspaceId) {
      const dataVersion = database.dataVersion();
      return andThen(database.readWorkspaceVersion(workspaceId), (workspaceVersion) => ({
        dataVersion,
        workspaceVersion,
      }));
    },
    add(key, versions, representation) {
      drop(key);
      const entryBytes = bytesOf(key, representation);
      if (entryBytes > bytesMax) return;
      entries.set(key, { representation, ...versions, bytes: entryBytes });
      lastUsed = key;
      bytes += entryBytes;
      for (const oldest of entries.keys()) {
        if (bytes <= bytesMax) break;
        drop(oldest);
      }
    },
    get bytes() {
      return bytes;
    },
    get entries() {
      return entries.size;
    },
    get hits() {
      return hits;
    },
    get misses() {
      return admission.misses;
    },
  };
}

/** A key is remembered until another key takes its slot. All slots together take 256 KiB. */
const requestedSlots = 2 ** 16;

/** Remembers keys as hashes. If two keys have one hash, the second is cached at its first request. */
function createAdmission(bytesMax: number): Pick<ResponseCache, 'admit' | 'misses'> {
  const hashes = new Uint32Array(requestedSlots);
  let misses = 0;
  return {
    admit(key) {
      misses += 1;
      const hash = Bun.hash.xxHash32(key);
      const slot = hash % requestedSlots;
      const wasRequested = hashes[slot] === hash;
      hashes[slot] = hash;
      return wasRequested && bytesMax > 0;
    },
    get misses() {
      return misses;
    },
  };
}

function bytesOf(key: string, { bytes }: Representation): number {
  return overheadBytes + 2 * key.length + copiesOfBody * bytes;
}

function createKnownQueries(): KnownQueries {
  const known = new Map<string, string>();
  return {
    knownQuery: (operationId, search) => known.get(`${operationId} ${search}`),
    learnQuery(operationId, search, query) {
      if (search.length > searchLengthMax) return;
      if (known.size >= knownQueriesMax) known.clear();
      known.set(`${operationId} ${search}`, query);
    },
  };
}
