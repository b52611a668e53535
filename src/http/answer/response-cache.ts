import type { WorkspaceReads } from '../../domain/access/workspace.ts';
import type { DataVersion } from '../../domain/database/database.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { type Failure, isFailure } from './answer.ts';
import type { Representation } from './representation.ts';

/**
 * Memory of the process that an entry takes beside its body. Its objects, headers and prepared responses take about 3.5 KB. The
 * rest is for replaced entries that the garbage collector has not freed yet (docs/decisions/caching.md).
 */
const overheadBytes = 16_384;

/** A body is held as bytes and in the prepared response, perhaps also compressed. The rest is for replaced entries. */
const copiesOfBody = 4;

/** A request that the cache may answer. */
export interface CacheableRequest {
  readonly operationId: string;
  readonly workspaceId: Int64;
  /** The same as text, because to format a bigint is slow. */
  readonly workspaceIdText: string;
  /** The query as it was sent. */
  readonly search: string;
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
    query: Readonly<Record<string, unknown>>,
    read: (reused: boolean) => Awaitable<Representation | Failure>,
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

export function createResponseCache(
  database: DataVersion & Pick<WorkspaceReads, 'readWorkspaceVersion'>,
  bytesMax: number,
): ResponseCache {
  const entries = createEntries(bytesMax);
  const admission = createAdmission(bytesMax);
  const queries = createKnownQueries();
  let hits = 0;

  function findEntry(key: string, workspaceId: Int64): Awaitable<Representation | undefined> {
    const entry = entries.find(key);
    if (entry === undefined) return undefined;
    const dataVersion = database.dataVersion();
    if (entry.dataVersion === dataVersion) {
      hits += 1;
      return entry.representation;
    }
    // A commit in another workspace does not change this response.
    return andThen(database.readWorkspaceVersion(workspaceId), (workspaceVersion) => {
      if (entry.workspaceVersion !== workspaceVersion) {
        entries.delete(key);
        return undefined;
      }
      entry.dataVersion = dataVersion;
      hits += 1;
      return entry.representation;
    });
  }

  return {
    find({ operationId, workspaceId, workspaceIdText, search }) {
      const query = queries.find(operationId, search);
      return query === undefined
        ? undefined
        : findEntry(`${operationId} ${workspaceIdText} ${query}`, workspaceId);
    },
    async findOrRead({ operationId, workspaceId, workspaceIdText, search }, query, read) {
      const queryText = formatQuery(query);
      queries.add(operationId, search, queryText);
      const key = `${operationId} ${workspaceIdText} ${queryText}`;
      const found = await findEntry(key, workspaceId);
      if (found !== undefined) return found;
      if (!admission.admit(key)) return read(false);
      // The versions are read first, so that the response can only be newer than they say.
      const dataVersion = database.dataVersion();
      const workspaceVersion = await database.readWorkspaceVersion(workspaceId);
      const representation = await read(true);
      if (!isFailure(representation)) {
        entries.add(key, { representation, dataVersion, workspaceVersion });
      }
      return representation;
    },
    get bytes() {
      return entries.bytes;
    },
    get entries() {
      return entries.count;
    },
    get hits() {
      return hits;
    },
    get misses() {
      return admission.misses;
    },
  };
}

/** A parsed query as one text. Queries that request the same have the same text, so that they share one entry. */
function formatQuery(query: Readonly<Record<string, unknown>>): string {
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

/** Entries up to a number of bytes. */
function createEntries(bytesMax: number) {
  // A Map keeps the order of insertion. An entry that is used moves to the end, so the first is the least recently used.
  const entries = new Map<string, Entry>();
  let bytes = 0;
  let lastUsed = '';

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    bytes -= bytesOf(key, entry);
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
      bytes += bytesOf(key, entry);
      for (const oldest of entries.keys()) {
        if (bytes <= bytesMax) break;
        remove(oldest);
      }
    },
    get bytes() {
      return bytes;
    },
    get count() {
      return entries.size;
    },
  };
}

function bytesOf(key: string, { representation }: Entry): number {
  return overheadBytes + 2 * key.length + copiesOfBody * representation.bytes;
}

/** A key is remembered until another key takes its slot. All slots together take 256 KiB. */
const requestedSlots = 2 ** 16;

/** Counts misses, and admits keys that were requested before. If two keys have one hash, the second is admitted at once. */
function createAdmission(bytesMax: number) {
  const hashes = new Uint32Array(requestedSlots);
  let misses = 0;
  return {
    admit(key: string): boolean {
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

/** A client that sends ever new queries costs other clients no more than the parsing of their queries. */
const knownQueriesMax = 1000;
const searchLengthMax = 200;

/** Remembers what `formatQuery` returned for a query as it was sent. */
function createKnownQueries() {
  const known = new Map<string, string>();
  return {
    find: (operationId: string, search: string) => known.get(`${operationId} ${search}`),
    add(operationId: string, search: string, queryText: string): void {
      if (search.length > searchLengthMax) return;
      if (known.size >= knownQueriesMax) known.clear();
      known.set(`${operationId} ${search}`, queryText);
    },
  };
}
