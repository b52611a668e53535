import type { Client } from 'pg';
import { DatabaseUnusable } from '../domain/database/database-error.ts';
import type { CopySource, CopyTarget } from '../storage/copies/copy.ts';
import { openConnections, openSnapshot } from './connection.ts';
import { sqlState } from './errors.ts';
import { noDataLine, openExisting, prepareTables } from './migrate.ts';
import { runTransaction } from './transaction.ts';

/** The advisory lock of copies ("ANSU"). */
export const copyLockId = 0x414e5355;

/** The last statement of a killed copy can run for this long. */
const lockMillisecondsMax = 2500;

/**
 * Opens a PostgreSQL database to be copied from.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openPostgresSource(url: string): Promise<CopySource> {
  // Nothing is written, so data loss is no risk.
  const connections = await openExisting(url, {
    allowDataLoss: true,
    refusalIfMissing: `${noDataLine} to copy from`,
  });
  return {
    openSnapshot: () => openSnapshot(connections),
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

/**
 * Opens a PostgreSQL database to be copied to, and creates missing tables.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openPostgresTarget(
  url: string,
  { allowDataLoss, now }: { readonly allowDataLoss: boolean; readonly now: number },
): Promise<CopyTarget> {
  await using opening = new AsyncDisposableStack();
  const connections = opening.use(openConnections(url, { allowDataLoss }));
  await prepareTables(connections, { unfinishedCopy: 'taken', now });
  const client = await connections.connect();
  opening.defer(() => client.end());
  await lock(client);
  const open = opening.move();
  return {
    openSnapshot: () => openSnapshot(connections),
    transact: async (run) => (await runTransaction(client, run)).result,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/**
 * Lets only one copy write. Its writes use the connection that holds the lock, so when the lock is free, the last write of a
 * killed copy has ended too.
 */
async function lock(client: Client): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL lock_timeout = ${lockMillisecondsMax}`);
    await client.query(`SET LOCAL statement_timeout = ${lockMillisecondsMax + 1000}`);
    const take = {
      text: `SELECT pg_advisory_lock(${copyLockId})`,
      query_timeout: lockMillisecondsMax + 2000,
    };
    await client.query(take);
    await client.query('COMMIT');
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error;
    throw new DatabaseUnusable('Another copy to this database is running: wait until it ends', {
      cause: error,
    });
  }
}
