import type { Client } from 'pg';
import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database.ts';
import type { OlderSchema } from '../domain/older-schema.ts';
import type { Connections } from './connection.ts';
import { sqlState, translateError } from './errors.ts';
import { migrate, readVersion } from './migrate.ts';

export interface PrepareOptions {
  /** What to say of a database without our tables; where there is nothing to say, they are made. */
  readonly refusalIfMissing?: string;
  readonly older?: OlderSchema;
  /** A store that holds a part of a copy is only for the rest of it. */
  readonly unfinishedCopy?: 'refused' | 'taken';
}

/**
 * Brings a database to this program's schema; returns the version that it had, 0 where it was new.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function prepareTables(
  connections: Connections,
  options: PrepareOptions = {},
): Promise<number> {
  try {
    const client = await connections.connect();
    try {
      return await prepare(client, options);
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
  { refusalIfMissing, older = 'refused', unfinishedCopy = 'refused' }: PrepareOptions,
): Promise<number> {
  if (refusalIfMissing !== undefined && (await readVersion(client)) === 0) {
    throw new DatabaseUnusable(refusalIfMissing);
  }
  const version = await migrateAsOwner(client, older);
  if (unfinishedCopy === 'taken') return version;
  const { rows } = await client.query('SELECT 1 FROM store WHERE unfinished_copy_of IS NOT NULL');
  if (rows.length > 0) throw new DatabaseUnusable(unfinishedCopyLine);
  return version;
}

/** Most roles need not make tables: those that serve find them as they should be. */
async function migrateAsOwner(client: Client, older: OlderSchema): Promise<number> {
  try {
    return await migrate(client, older);
  } catch (error) {
    if (sqlState(error) !== notPermittedState || !(error instanceof Error)) throw error;
    throw new DatabaseUnusable(
      `The database has not the tables of this program, and the role may not make them (${error.message}): run animal-store migrate as their owner`,
      { cause: error },
    );
  }
}

const notPermittedState = '42501';

export const noStoreLine = 'The database holds no store';

export const unfinishedCopyLine =
  'The database holds an unfinished copy: start the same copy again';
