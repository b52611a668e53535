import { createContext } from '../../context/context.ts';
import { after } from '../../context/deadline.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Context } from '../../domain/values/context.ts';
import type { DataVersion } from '../../storage/contract/database.ts';

/** Secrets in the cache. Beyond this the oldest is looked up again. */
const entriesMax = 10_000;
/** Secrets that one query looks up. */
const batchMax = 10_000;
/** After this, the next query starts beside one that has not returned, so that a slow query does not delay the others further. */
const batchMillisecondsMax = 1000;

interface SecretLookup<Found> {
  /** Secrets that cannot exist are not looked up. */
  readonly canExist?: (text: string) => boolean;
  readonly findOne: (context: Context, digest: string) => Awaitable<Found | undefined>;
  /** Finds several with one query. Those that do not exist are missing in the result. */
  readonly findMany: (
    context: Context,
    digests: readonly string[],
  ) => Awaitable<ReadonlyMap<string, Found>>;
}

/** Looks a secret up by the digest of its text. Undefined if it is not valid. */
export type SecretCache<Found> = (
  context: Context,
  digest: string,
  text: string,
) => Awaitable<Found | undefined>;

/**
 * Caches a valid secret until a commit of any process that can have changed access. So a revoked secret is rejected at the next
 * request (or within the engine's bound of staleness), and a busy caller causes no query.
 */
export function createSecretCache<Found extends { readonly validUntil: number }>(
  database: DataVersion,
  now: () => number,
  lookup: SecretLookup<Found>,
): SecretCache<Found> {
  const { canExist = () => true } = lookup;
  const entries = new Map<string, { readonly found: Found; readonly accessVersion: number }>();
  const misses = createMisses(database);
  const batches = createBatches(database, lookup, cache);

  function cache(
    digest: string,
    found: Found | undefined,
    accessVersion: number,
  ): Found | undefined {
    entries.delete(digest);
    if (found === undefined) {
      misses.add(digest, accessVersion);
      return undefined;
    }
    const [oldest] = entries.keys();
    if (entries.size >= entriesMax && oldest !== undefined) entries.delete(oldest);
    entries.set(digest, { found, accessVersion });
    return unlessEnded(found);
  }

  function unlessEnded(found: Found): Found | undefined {
    return now() < found.validUntil ? found : undefined;
  }

  return (context, digest, text) => {
    const accessVersion = database.accessVersion();
    const known = entries.get(digest);
    if (known?.accessVersion === accessVersion) return unlessEnded(known.found);
    if (misses.has(digest, accessVersion) || !canExist(text)) return undefined;
    if (batches.isBusy()) return batches.join(digest);
    const found = lookup.findOne(context, digest);
    return found instanceof Promise
      ? batches.start(found.then((late) => cache(digest, late, accessVersion)))
      : cache(digest, found, accessVersion);
  };
}

/**
 * Secrets that do not exist, until access can have changed. An engine that sees the commits of other servers late caches none, so
 * that a new secret is valid on every server at once.
 */
function createMisses({ staleMillisecondsMax }: DataVersion) {
  const digests = new Set<string>();
  let missesVersion = Number.NaN;
  return {
    has: (digest: string, accessVersion: number) =>
      missesVersion === accessVersion && digests.has(digest),
    add(digest: string, accessVersion: number) {
      if (staleMillisecondsMax > 0) return;
      if (missesVersion !== accessVersion || digests.size >= entriesMax) digests.clear();
      missesVersion = accessVersion;
      digests.add(digest);
    },
  };
}

/**
 * One query runs at a time. Secrets that arrive during it wait, and the next query looks all of them up, in the order of their
 * arrival. So any number of unknown secrets use one connection, and delay a valid one by little more than a query.
 */
function createBatches<Found>(
  database: DataVersion,
  { findMany }: SecretLookup<Found>,
  cache: (digest: string, found: Found | undefined, accessVersion: number) => Found | undefined,
) {
  const waiting = new Map<string, PromiseWithResolvers<Found | undefined>>();
  /** The query that must end before the next starts. */
  let running: object | undefined;

  function next(): void {
    running = undefined;
    const batch = [...waiting].slice(0, batchMax);
    if (batch.length === 0) return;
    for (const [digest] of batch) waiting.delete(digest);
    void start(findBatch(batch));
  }

  async function findBatch(
    batch: readonly [string, PromiseWithResolvers<Found | undefined>][],
  ): Promise<void> {
    try {
      // Read before the query, so that what it returns can only be newer.
      const accessVersion = database.accessVersion();
      const found = await findMany(
        createContext({ millisecondsMax: batchMillisecondsMax }),
        batch.map(([digest]) => digest),
      );
      for (const [digest, { resolve }] of batch) {
        resolve(cache(digest, found.get(digest), accessVersion));
      }
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
  }

  function start<Result>(query: Promise<Result>): Promise<Result> {
    const timer = after(batchMillisecondsMax, next);
    const current = {};
    running = current;
    const end = () => {
      timer[Symbol.dispose]();
      if (running === current) next();
    };
    query.then(end, end);
    return query;
  }

  return {
    isBusy: () => running !== undefined,
    start,
    join(digest: string): Promise<Found | undefined> {
      let joined = waiting.get(digest);
      if (joined === undefined) {
        joined = Promise.withResolvers<Found | undefined>();
        waiting.set(digest, joined);
      }
      return joined.promise;
    },
  };
}
