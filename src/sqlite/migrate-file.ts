import { DatabaseUnusable } from '../domain/database/database-error.ts';
import {
  applyMigrations,
  type PrepareOptions,
  prepareSchema,
  readSchemaVersion,
  unreleasedLine,
} from '../storage/schema/migrate.ts';
import { type Connection, makeDurable, openWritableConnection } from './connection.ts';
import { toOperatorError } from './errors.ts';
import { createQueryable, createTransaction } from './queryable.ts';

/** Marks a file as ours ("ANS2"), so that another program's database is never migrated by mistake. */
const applicationId = 0x414e5332n;

/** "ANST" and "ANS1": files that were created before the first release. */
const unreleasedApplicationIds: readonly bigint[] = [0x414e5354n, 0x414e5331n];

/**
 * Brings a file to this program's schema in one transaction, or leaves it as it was; returns the version that it had, 0
 * where it was new. Safe when several processes start at once: the version is read again under the lock.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function prepareFile(path: string, options: PrepareOptions): Promise<number> {
  try {
    using connection = openWritableConnection(path);
    const schema = {
      queryable: createQueryable(connection),
      async readVersion() {
        connection.run('BEGIN');
        const version = await readFileVersion(connection, path);
        connection.run('COMMIT');
        return version;
      },
      migrate: () => migrate(connection, path, options.now),
    };
    return await prepareSchema(path, schema, options);
  } catch (error) {
    throw toOperatorError(`${path} cannot be opened`, error);
  }
}

async function migrate(connection: Connection, path: string, now: number): Promise<number> {
  makeDurable(connection);
  connection.run('BEGIN IMMEDIATE');
  try {
    const version = await readFileVersion(connection, path);
    const runScript = async (script: string) => connection.run(script);
    await applyMigrations('sqlite', createTransaction(connection), version, runScript, now);
    connection.run(`PRAGMA application_id = ${applicationId}`);
    connection.run('COMMIT');
    return version;
  } catch (error) {
    if (connection.inTransaction) connection.run('ROLLBACK');
    throw error;
  }
}

/**
 * The schema version of a file that is new or ours, 0 if it is new. To be read in a transaction, because the state during
 * another process's migration is neither. `path` stands for the file in messages.
 * @throws DatabaseUnusable for any other.
 */
export async function readFileVersion(connection: Connection, path: string): Promise<number> {
  const owner = readPragma(connection, 'application_id');
  if (owner === applicationId)
    return readSchemaVersion(path, 'sqlite', createQueryable(connection));
  if (unreleasedApplicationIds.includes(owner)) throw new DatabaseUnusable(unreleasedLine(path));
  if (isOfOtherProgram(connection)) {
    throw new DatabaseUnusable(`${path} is a SQLite database of another program`);
  }
  return 0;
}

/** Whether a file is neither new nor ours. */
export function isOfOtherProgram(connection: Connection): boolean {
  const owner = readPragma(connection, 'application_id');
  if (owner === applicationId || unreleasedApplicationIds.includes(owner)) return false;
  const isEmpty = connection.query('SELECT 1 FROM sqlite_schema').get() === null;
  return owner !== 0n || readPragma(connection, 'user_version') !== 0n || !isEmpty;
}

function readPragma(connection: Connection, pragma: string): bigint {
  const query = connection.query<Record<string, bigint>, []>(`PRAGMA ${pragma}`);
  const row = query.safeIntegers(true).get();
  return row?.[pragma] ?? 0n;
}
