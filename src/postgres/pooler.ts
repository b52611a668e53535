import type { Client } from 'pg';
import { DatabaseUnusable } from '../storage/contract/database-error.ts';
import { connectionOf } from './begin-writing.ts';
import type { Connections } from './connections.ts';
import { describeError, sqlState } from './driver-errors.ts';

const selectProbe = { name: 'animal_store_probe', text: 'SELECT 1' };

/**
 * Checks that a connection pooler, if there is one, keeps transactions and prepared statements. Two connections prepare the same
 * statement, and one is in a transaction during that, so that a pooler that lends sessions gives the other one another session.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function checkPooler(connections: Connections, client: Client): Promise<void> {
  if (!connectionOf(client).isPooled) return;
  await client.query(selectProbe);
  const other = await connections.connect();
  try {
    await begin(other);
    await other.query(selectProbe);
    // It waits for the other one if the pooler has one session for both.
    const answer = client.query(selectProbe);
    // Its error is thrown below.
    answer.catch(() => {});
    await other.query('ROLLBACK');
    await answer;
  } finally {
    await other.end();
  }
}

const notAllowedState = '08P01';

async function begin(client: Client): Promise<void> {
  try {
    await client.query('BEGIN');
  } catch (error) {
    if (sqlState(error) !== notAllowedState) throw error;
    const place = `${client.host}:${client.port}`;
    throw new DatabaseUnusable(
      `The connection pooler at ${place} allows no transaction (${describeError(error)}): set pool_mode = session or transaction`,
      { cause: error },
    );
  }
}
