import type { Client } from 'pg';
import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database.ts';
import type { Connections } from './connection.ts';
import { translateError } from './errors.ts';
import { migrate, readVersion } from './migrate.ts';

export interface PrepareOptions {
  /** Refuses a database without our tables, and makes none there. */
  readonly mustExist?: boolean;
  /** A store that holds a part of a copy is only for the rest of it. */
  readonly unfinishedCopy?: 'refused' | 'taken';
}

/**
 * Brings a database to this program's schema.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function prepareTables(
  connections: Connections,
  options: PrepareOptions = {},
): Promise<void> {
  try {
    const client = await connections.connect();
    try {
      await prepare(client, options);
    } finally {
      await client.end();
    }
  } catch (error) {
    const translated = translateError(error);
    if (translated instanceof DatabaseUnusable || translated instanceof DatabaseUnavailable) {
      throw translated;
    }
    throw new DatabaseUnusable(
      `The database cannot be prepared: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

async function prepare(
  client: Client,
  { mustExist = false, unfinishedCopy = 'refused' }: PrepareOptions,
): Promise<void> {
  if (mustExist && (await readVersion(client)) === 0) {
    throw new DatabaseUnusable('The database holds no store to copy from');
  }
  await migrate(client);
  if (unfinishedCopy === 'taken') return;
  const { rows } = await client.query('SELECT 1 FROM store WHERE unfinished_copy_of IS NOT NULL');
  if (rows.length > 0) throw new DatabaseUnusable(unfinishedCopyLine);
}

export const unfinishedCopyLine =
  'The database holds an unfinished copy: start the same copy again';
