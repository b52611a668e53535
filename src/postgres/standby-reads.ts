import { type ClientConfig, Pool, type PoolClient } from 'pg';
import { DatabaseUnavailable } from '../domain/database/database-error.ts';
import type { Queryable, Value } from '../storage/queryable.ts';
import { type Statement, statement, toRows } from '../storage/statement.ts';
import { failureOfConnecting, failureOfQuery } from './errors.ts';
import { tableOids } from './identity.ts';
import type { Host } from './location.ts';
import { toQuery } from './queryable.ts';

/** For each standby. */
const connectionsMax = 5;
const idleMilliseconds = 10_000;

/** How long the check of a standby holds, how often the primary is looked at, and how long it is not tried after it failed. */
const holdsMilliseconds = 1000;

/** Answers are marked for longer than a read and its answer take, so that none is without a mark. */
const markedMilliseconds = 3000;

const checkMillisecondsMax = 1500;

interface StandbyState {
  readonly isStandby: boolean;
  readonly isCurrent: boolean | null;
  readonly isSame: boolean | null;
}

const selectStandbyState = statement<StandbyState>(`
  SELECT pg_is_in_recovery() AS "isStandby", pg_last_wal_replay_lsn() >= $1::pg_lsn AS "isCurrent",
    (SELECT table_oids = ${tableOids} FROM meta) AS "isSame"`);

interface Primary {
  /** The position in the write-ahead log that this process last saw; undefined before that. */
  readonly lastWord: () => string | undefined;
  /** Looks at the primary, if it answers. */
  readonly look: () => Promise<void>;
}

/**
 * Reads from a standby while no host accepts writes. It must have replayed everything that this process last saw of the primary, so
 * that nothing is older than that, and no key that was revoked before it is valid.
 */
export function createStandbyReads(
  hosts: readonly Host[],
  config: ClientConfig,
  { lastWord, look }: Primary,
) {
  const standbys = hosts.map((host) => openStandby({ ...config, ...host }, lastWord));
  let isAwayUntil = Number.NEGATIVE_INFINITY;
  let isMarkedUntil = Number.NEGATIVE_INFINITY;
  // Otherwise the last word of an idle server would be old.
  const heartbeat = setInterval(() => look().catch(() => {}), holdsMilliseconds);
  heartbeat.unref();

  /** @throws DatabaseUnavailable if no standby can be read. */
  async function read(...input: Input): Promise<readonly object[]> {
    for (const standby of standbys) {
      try {
        const rows = await standby.read(...input);
        const now = performance.now();
        isAwayUntil = now + holdsMilliseconds;
        isMarkedUntil = now + markedMilliseconds;
        return rows;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
      }
    }
    throw new DatabaseUnavailable('No standby can be read');
  }

  async function readFromEither(primary: Queryable, input: Input): Promise<readonly object[]> {
    if (performance.now() < isAwayUntil) {
      // The primary failed a moment ago. If no standby answers either, it can be back.
      const rows = await read(...input).catch(() => undefined);
      if (rows !== undefined) return rows;
    }
    try {
      return await primary.all(...input);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      return await read(...input).catch(() => {
        throw error;
      });
    }
  }

  return {
    /** Whether an answer of this moment can have been read from a standby. */
    isInUse: () => performance.now() < isMarkedUntil,
    /** Reads from the primary, and then from a standby. */
    after: (primary: Queryable): Queryable => ({
      all: (...input) => readFromEither(primary, input as Input) as Promise<never>,
    }),
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat);
      await Promise.all(standbys.map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

type Input = [read: Statement<object>, values?: readonly Value[]];

/** One host, which can be a standby. */
function openStandby(config: ClientConfig, lastWord: Primary['lastWord']) {
  const pool = new Pool({ ...config, max: connectionsMax, idleTimeoutMillis: idleMilliseconds });
  pool.on('error', () => {});
  const checkedAt = new WeakMap<object, number>();

  async function check(client: PoolClient): Promise<void> {
    const found = checkedAt.get(client) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - found < holdsMilliseconds) return;
    const word = lastWord();
    if (word === undefined) throw new DatabaseUnavailable('The primary was never seen');
    const select = toQuery(selectStandbyState, [word], checkMillisecondsMax);
    const [state] = (await client.query<StandbyState>(select)).rows;
    if (state?.isStandby !== true || state.isCurrent !== true || state.isSame !== true) {
      throw new DatabaseUnavailable('It is no standby with everything that was seen');
    }
    checkedAt.set(client, performance.now());
  }

  return {
    async read(...[read, values]: Input): Promise<readonly object[]> {
      const client = await pool.connect().catch((error: unknown) => {
        throw failureOfConnecting(error);
      });
      try {
        await check(client);
        const { rows } = await client.query<object>(toQuery(read, values));
        client.release();
        return toRows(read, rows);
      } catch (error) {
        client.release(true);
        throw failureOfQuery(error);
      }
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
