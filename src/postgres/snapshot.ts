import type { Snapshot } from '../storage/queryable.ts';
import type { Connections } from './connection.ts';
import { translateError } from './errors.ts';
import { queryableOf } from './queryable.ts';

/** As long as reading a table of any size from end to end may take. */
const statementMillisecondsMax = 6 * 60 * 60_000;

/** While rows are read, those before them may be written to a slow disk. */
const idleMillisecondsMax = 60_000;

/** A connection of its own that sees all as it stands at one moment. */
export async function openSnapshot(connections: Connections): Promise<Snapshot> {
  const client = await connections.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SET LOCAL statement_timeout = ${statementMillisecondsMax}`);
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${idleMillisecondsMax}`);
  } catch (error) {
    client.end().catch(() => {});
    throw translateError(error);
  }
  const queryable = queryableOf(client, statementMillisecondsMax);
  return {
    async all(statement, values) {
      try {
        return await queryable.all(statement, values);
      } catch (error) {
        throw translateError(error);
      }
    },
    async [Symbol.asyncDispose]() {
      await client.end();
    },
  };
}
