import type { ClientBase } from 'pg';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../domain/database.ts';
import { type Connections, retryMillisecondsMax } from './connection.ts';
import { isConflict, isDisconnection, translateError } from './errors.ts';
import type { Session } from './statement.ts';

/** How often a transaction is tried that met another one, or whose connection ended before its commit. */
const attemptsMax = 5;

/**
 * Runs a transaction, and returns once it is on disk. It is tried again where that cannot do it twice.
 * @throws DatabaseUnavailable when nothing was done, DatabaseOutcomeUnknown when the commit was under way.
 */
export async function transact<Result>(
  connections: Connections,
  run: (session: Session) => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + retryMillisecondsMax;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptTransaction(connections, run);
    } catch (error) {
      const harmless = isConflict(error) || isDisconnection(error);
      if (!harmless || attempt === attemptsMax || performance.now() > deadline) {
        throw translateError(error);
      }
    }
  }
}

async function attemptTransaction<Result>(
  connections: Connections,
  run: (session: Session) => Promise<Result>,
): Promise<Result> {
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

/**
 * The same on one connection, which is of no more use where this fails. What is thrown is not translated yet.
 */
export async function runTransaction<Result>(
  client: ClientBase,
  run: (session: Session) => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN');
  const result = await run(sessionOf(client));
  await commit(client);
  return result;
}

/** Where statements run inside the transaction that a connection is in, for longer than others where that is said. */
export function sessionOf(client: ClientBase, queryMillisecondsMax?: number): Session {
  const limits = queryMillisecondsMax === undefined ? {} : { query_timeout: queryMillisecondsMax };
  return {
    async run({ name, text }, values = []) {
      const config = { name, text, values: [...values], ...limits };
      const { rows, rowCount } = await client.query(config);
      return { rows, count: rowCount ?? 0 };
    },
  };
}

/**
 * Begins a snapshot on a connection: all as it stands at one moment, in statements that may each take so long. What is
 * thrown is not translated yet.
 */
export async function beginLongReads(
  client: ClientBase,
  statementMillisecondsMax: number,
): Promise<Session> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(`SET LOCAL statement_timeout = ${statementMillisecondsMax}`);
  return sessionOf(client, statementMillisecondsMax);
}

/**
 * From here on, a failure leaves open whether it is done, unless the server says that it is not. Where the
 * server gives up waiting for its synchronous standby, it says so in a warning and reports success: the
 * transaction would be lost with this server, so this is no success.
 */
async function commit(client: ClientBase): Promise<void> {
  let standbyLeftOut = false;
  const onNotice = ({ routine }: { routine?: string | undefined }) => {
    standbyLeftOut ||= routine === 'SyncRepWaitForLSN';
  };
  client.on('notice', onNotice);
  try {
    const { command } = await client.query('COMMIT');
    if (standbyLeftOut) throw new Error('The synchronous standby did not answer');
    if (command !== 'COMMIT') throw new DatabaseUnavailable('PostgreSQL rolled back instead');
  } catch (error) {
    if (isConflict(error) || error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseOutcomeUnknown('The commit was under way when the connection failed', {
      cause: error,
    });
  } finally {
    client.off('notice', onNotice);
  }
}
