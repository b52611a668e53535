import type { Awaitable, Database } from '../domain/database.ts';
import type { Int64 } from '../domain/int64.ts';
import { andThen } from './awaitable.ts';
import type { Representation } from './representation.ts';

/** What an answer weighs beside its bytes: objects, headers, its place in the map. */
const overheadBytes = 2048;

/** When an answer was true. It is taken before the answer is read, so that it can only be too old. */
export interface Moment {
  readonly freshness: number;
  readonly revision: number;
}

/**
 * Answers about a workspace's animals, kept as bytes and given again as long as the database says that they
 * are what it would answer. The least recently used go first when they outgrow their bound.
 */
export interface KeptAnswers {
  /** What a query that was sent before asks for, as `formatQuery` writes it. */
  knownQuery(operationId: string, search: string): string | undefined;
  /** Remembers what a query asks for, so that the next of its kind need not be read. */
  learnQuery(operationId: string, search: string, query: string): void;
  /** The answer kept under this key, where it still holds. */
  find(key: string, workspaceId: Int64): Awaitable<Representation | undefined>;
  /** To be asked before an answer is read that will be kept. */
  moment(workspaceId: Int64): Awaitable<Moment>;
  keep(key: string, moment: Moment, representation: Representation): void;
  /** Bytes held now, never above the bound. */
  readonly bytes: number;
  /** Answers held now. */
  readonly count: number;
  /** How often an answer was given again. */
  readonly hits: number;
  /** How often an answer that is worth keeping had to be read. */
  readonly misses: number;
}

/**
 * What an answer is kept under: all that it depends on beside the animals themselves. However a query is written, and
 * whatever address it is sent to, there is one entry for what it asks for: so nobody can push out others' pages by
 * asking for the same in ever other words.
 */
export function keptKey(operationId: string, workspaceId: Int64, query: string): string {
  return `${operationId} ${workspaceId} ${query}`;
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
  readonly revision: number;
  freshness: number;
  readonly bytes: number;
}

export function createKeptAnswers(database: Database, bytesMax: number): KeptAnswers {
  // A Map remembers the order of insertion: what was used is put at its end, what is first goes first.
  const entries = new Map<string, Entry>();
  const knownQueries = new Map<string, string>();
  let bytes = 0;
  let hits = 0;
  let misses = 0;
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
    freshness: number,
    revision: number,
  ): Representation | undefined {
    if (entry.revision !== revision) {
      drop(key);
      return undefined;
    }
    entry.freshness = freshness;
    hits += 1;
    return entry.representation;
  }

  return {
    knownQuery: (operationId, search) => knownQueries.get(`${operationId} ${search}`),
    learnQuery(operationId, search, query) {
      if (search.length > searchLengthMax) return;
      if (knownQueries.size >= knownQueriesMax) knownQueries.clear();
      knownQueries.set(`${operationId} ${search}`, query);
    },
    find(key, workspaceId) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      touch(key, entry);
      const freshness = database.freshness();
      if (entry.freshness === freshness) {
        hits += 1;
        return entry.representation;
      }
      // Something was committed. Where it was in another workspace, the answer still holds.
      const revision = database.readRevision(workspaceId);
      return andThen(revision, (found) => check(key, entry, freshness, found));
    },
    moment(workspaceId) {
      misses += 1;
      const freshness = database.freshness();
      const revision = database.readRevision(workspaceId);
      return andThen(revision, (found) => ({ freshness, revision: found }));
    },
    keep(key, moment, representation) {
      drop(key);
      // Room for the compressed form is counted from the start.
      const entryBytes = overheadBytes + 2 * key.length + 2 * representation.body.length;
      if (entryBytes > bytesMax) return;
      entries.set(key, { representation, ...moment, bytes: entryBytes });
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
    get count() {
      return entries.size;
    },
    get hits() {
      return hits;
    },
    get misses() {
      return misses;
    },
  };
}
