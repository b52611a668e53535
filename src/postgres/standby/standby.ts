import { type ClientConfig, Pool, type PoolClient } from 'pg';
import { DatabaseUnavailable } from '../../storage/contract/database-error.ts';
import type { Queryable } from '../../storage/queryable.ts';
import { statement } from '../../storage/statement.ts';
import { createQueryable, toQuery } from '../client-queryable.ts';
import { failureOfConnecting, failureOfQuery } from '../driver-errors.ts';
import { tableOids } from '../identity.ts';

const connectionsMax = 5;
const idleMilliseconds = 10_000;

/** How long the check of a standby holds for a connection and a position. What a standby has replayed, it keeps. */
const holdsMilliseconds = 1000;

const checkMillisecondsMax = 1500;

interface StandbyState {
  readonly isStandby: boolean;
  readonly isCurrent: boolean | null;
  readonly isSame: boolean | null;
}

const selectStandbyState = statement<StandbyState>(`
  SELECT pg_is_in_recovery() AS "isStandby", pg_last_wal_replay_lsn() >= $1::pg_lsn AS "isCurrent",
    (SELECT table_oids = ${tableOids} FROM meta) AS "isSame"`);

/** Opens one host, which can be a standby. */
export function openStandby(config: ClientConfig) {
  const pool = new Pool({ ...config, max: connectionsMax, idleTimeoutMillis: idleMilliseconds });
  pool.on('error', () => {});
  // Without a listener, the end of a connection that is in use would end the process. The next query reports it.
  pool.on('connect', (client) => client.on('error', () => {}));
  /** The last check of each connection. */
  const checks = new WeakMap<object, { readonly position: string; readonly at: number }>();

  async function check(client: PoolClient, position: string): Promise<void> {
    const last = checks.get(client);
    const isRecent = last !== undefined && performance.now() - last.at < holdsMilliseconds;
    if (isRecent && last.position === position) return;
    const select = toQuery(selectStandbyState, [position], checkMillisecondsMax);
    const [state] = (await client.query<StandbyState>(select)).rows;
    if (state?.isStandby !== true || state.isCurrent !== true || state.isSame !== true) {
      throw new DatabaseUnavailable('It is no standby with everything that was seen');
    }
    checks.set(client, { position, at: performance.now() });
  }

  return {
    /**
     * Reads if the standby has replayed everything up to this position.
     * @throws DatabaseUnavailable if it has not, is no standby, or does not answer.
     */
    async read(position: string | undefined, ...input: Parameters<Queryable['all']>) {
      if (position === undefined) throw new DatabaseUnavailable('The primary was never seen');
      const client = await pool.connect().catch((error: unknown) => {
        throw failureOfConnecting(error);
      });
      try {
        await check(client, position);
        const rows = await createQueryable(client).all(...input);
        client.release();
        return rows;
      } catch (error) {
        client.release(true);
        throw failureOfQuery(error);
      }
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}
