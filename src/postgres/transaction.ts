import type { ClientBase } from 'pg';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../domain/database/database-error.ts';
import type { Transact, Transaction } from '../storage/queryable.ts';
import { newerWriterLine, writerVersion } from '../storage/schema/migrate.ts';
import { statement } from '../storage/statement.ts';
import { type Connections, retryMillisecondsMax } from './connection.ts';
import { isConflict, isDisconnection, isRefusal, sqlState, translateError } from './errors.ts';
import { type Progress, toQuery, transactionOf } from './queryable.ts';

/** How often a transaction is tried that met another one, or whose connection ended before its commit. */
const attemptsMax = 5;

/**
 * Runs transactions, and tries them again where that cannot do anything twice. `committed` is called before anybody is told
 * of a commit. It throws DatabaseUnavailable when nothing was done, and DatabaseOutcomeUnknown when the commit was under way.
 */
export function createTransact(connections: Connections, committed: () => void): Transact {
  return async (run) => {
    const deadline = performance.now() + retryMillisecondsMax;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { result, hasChanges } = await attemptTransaction(connections, run);
        if (hasChanges) committed();
        return result;
      } catch (error) {
        // A commit of which nothing is known may well have been one.
        if (error instanceof DatabaseOutcomeUnknown) committed();
        const harmless = isConflict(error) || isDisconnection(error);
        if (!harmless || attempt === attemptsMax || performance.now() > deadline) {
          throw translateError(error);
        }
      }
    }
  };
}

interface TransactionResult<Result> {
  readonly result: Result;
  readonly hasChanges: boolean;
}

async function attemptTransaction<Result>(
  connections: Connections,
  run: (transaction: Transaction) => Promise<Result>,
): Promise<TransactionResult<Result>> {
  const { client, release, destroy } = await connections.acquire();
  try {
    const result = await runTransaction(client, run);
    release();
    return result;
  } catch (error) {
    // Ending the connection rolls back whatever is open, and is right for a doubtful one as well.
    destroy();
    throw error;
  }
}

// Read by every transaction that writes: a migration that changes what a write has to maintain waits for all of them, and
// those that begin later see it.
const selectWriter = statement<{ version: bigint }>('SELECT writer_version AS version FROM meta');

/**
 * Runs a transaction on one connection, which is of no more use where this fails. Statements whose answers nobody waits
 * for are waited for with the commit; where nothing was changed, there is none. What is thrown is not translated yet.
 */
export async function runTransaction<Result>(
  client: ClientBase,
  run: (transaction: Transaction) => Promise<Result>,
  statementMillisecondsMax?: number,
): Promise<TransactionResult<Result>> {
  // Nothing is written before it is known that a transaction has begun: else it would be committed by itself.
  const [, { rows }] = await Promise.all([
    client.query('BEGIN'),
    client.query<{ version: bigint }>(toQuery(selectWriter)),
  ]);
  if ((rows[0]?.version ?? 0n) > writerVersion) throw new DatabaseUnavailable(newerWriterLine);
  if (statementMillisecondsMax !== undefined) {
    await client.query(`SET LOCAL statement_timeout = ${statementMillisecondsMax}`);
  }
  const progress: Progress = { sent: [], hasChanges: false };
  let result: Result;
  try {
    result = await run(transactionOf(client, progress, statementMillisecondsMax));
  } catch (error) {
    throw await findReason(error, progress.sent);
  }
  const { hasChanges, sent } = progress;
  // Rows that were only held would be flushed to disk all the same.
  if (hasChanges) await commit(client, sent);
  else await client.query('ROLLBACK');
  return { result, hasChanges };
}

const abortedState = '25P02';

/** Where the server says no more than that the transaction has failed before, what was sent before tells why. */
async function findReason(error: unknown, sent: readonly Promise<unknown>[]): Promise<unknown> {
  if (sqlState(error) !== abortedState) return error;
  const answers = await Promise.allSettled(sent);
  const failed = answers.find((answer) => answer.status === 'rejected');
  return failed === undefined ? error : failed.reason;
}

/** From here on, the outcome of a failure is unknown unless the server rejects the commit (docs/decisions/postgresql.md). */
async function commit(client: ClientBase, sent: readonly Promise<unknown>[]): Promise<void> {
  let standbyLeftOut = false;
  const onNotice = ({ routine }: { routine?: string | undefined }) => {
    standbyLeftOut ||= routine === 'SyncRepWaitForLSN';
  };
  client.on('notice', onNotice);
  try {
    const [committed, ...answers] = await Promise.allSettled([client.query('COMMIT'), ...sent]);
    for (const answer of answers) {
      if (answer.status === 'fulfilled') continue;
      const { reason } = answer;
      // What the server has refused, or has ended the connection at, it has not committed, whatever was sent after it.
      if (isRefusal(reason) || sqlState(reason)?.startsWith('57P0')) throw reason;
      if (committed.status === 'fulfilled') {
        throw new DatabaseOutcomeUnknown('A statement was not sent', { cause: reason });
      }
    }
    if (committed.status === 'rejected' && isConflict(committed.reason)) throw committed.reason;
    if (committed.status === 'rejected' || standbyLeftOut) {
      const cause = committed.status === 'rejected' ? committed.reason : undefined;
      const line = standbyLeftOut
        ? 'The synchronous standby did not answer'
        : 'The connection failed during the commit';
      throw new DatabaseOutcomeUnknown(line, { cause });
    }
    if (committed.value.command !== 'COMMIT') {
      throw new DatabaseUnavailable('PostgreSQL rolled the transaction back');
    }
  } finally {
    client.off('notice', onNotice);
  }
}
