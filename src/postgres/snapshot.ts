import type { Snapshot } from '../storage/queryable.ts';
import type { Connections } from './connection.ts';
import { queryableOf } from './queryable.ts';

/** For reading a table of any size. */
const statementMillisecondsMax = 6 * 60 * 60_000;

/** Between reads, earlier rows may be written to a slow disk. */
const idleMillisecondsMax = 60_000;

/** Opens a connection that sees the state of one moment. */
export async function openSnapshot(connections: Connections): Promise<Snapshot> {
  const client = await connections.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SET LOCAL statement_timeout = ${statementMillisecondsMax}`);
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${idleMillisecondsMax}`);
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
  return {
    ...queryableOf(client, statementMillisecondsMax),
    [Symbol.asyncDispose]: () => client.end(),
  };
}
