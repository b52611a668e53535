import type { Client } from 'pg';
import { background } from '../context/context.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../storage/contract/database-error.ts';
import type { Durability } from '../storage/contract/durability.ts';
import type { CopySource, CopyTarget } from '../storage/copies/copy-database.ts';
import { type Statement, statement } from '../storage/statement.ts';
import { beginWriting, type TransactionLimits } from './begin-writing.ts';
import { toQuery } from './client-queryable.ts';
import { openConnections, openSnapshot } from './connections.ts';
import { sqlState } from './driver-errors.ts';
import { noDataLine, openExisting, prepareTables } from './prepare-tables.ts';
import { runTransaction } from './run-transaction.ts';

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
    durability: 'unchecked',
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
  { durability, now }: { readonly durability: Durability; readonly now: number },
): Promise<CopyTarget> {
  await using opening = new AsyncDisposableStack();
  const connections = opening.use(openConnections(url, { durability }));
  await prepareTables(connections, { unfinishedCopy: 'taken', now });
  const keeper = await connections.connect();
  opening.defer(() => keeper.end());
  const writer = await connections.connect();
  opening.defer(() => writer.end());
  let isAlone = true;
  keeper.once('end', () => {
    isAlone = false;
  });
  await lockCopies(keeper);
  await takeWriteLock(writer);
  const open = opening.move();
  return {
    openSnapshot: () => openSnapshot(connections),
    async transact(run) {
      if (!isAlone)
        throw new DatabaseUnavailable('The connection that keeps out other copies ended');
      const { result } = await runTransaction(writer, background, async (transaction) => {
        await transaction.all(selectWriteLock);
        return run(transaction);
      });
      return result;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/**
 * Lets only one copy run, as long as a transaction of this connection is open. Behind a connection pooler, a lock of a session
 * would stay after the copy.
 */
async function lockCopies(keeper: Client): Promise<void> {
  try {
    await beginWithLock(keeper, selectCopyLock, { idleMilliseconds: 0 });
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error;
    throw new DatabaseUnusable('Another copy to this database is running: wait until it ends', {
      cause: error,
    });
  }
}

const selectCopyLock = statement(`SELECT pg_advisory_xact_lock(${copyLockId})`);

// Every write of a copy takes this lock, so when it is free, the last write of a killed copy has ended.
const selectWriteLock = statement(`SELECT pg_advisory_xact_lock(${copyLockId}, 1)`);

async function takeWriteLock(writer: Client): Promise<void> {
  await beginWithLock(writer, selectWriteLock);
  await writer.query('ROLLBACK');
}

async function beginWithLock(client: Client, lock: Statement, limits?: TransactionLimits) {
  const statementMilliseconds = lockMillisecondsMax + 1000;
  const lockMilliseconds = lockMillisecondsMax;
  await beginWriting(client, { statementMilliseconds, lockMilliseconds, ...limits });
  await client.query(toQuery(lock, [], lockMillisecondsMax + 2000));
}
