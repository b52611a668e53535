import { DatabaseUnusable } from '../storage/contract/database-error.ts';
import {
  applyMigrations,
  type PrepareOptions,
  prepareSchema,
  readSchemaVersion,
} from '../storage/schema/prepare-schema.ts';
import { type Connection, makeDurable, openWritableConnection } from './connection.ts';
import { withOperatorError } from './errors.ts';
import { createFirstLife, recordFirstLife } from './life/begin-life.ts';
import { createQueryable } from './queryable.ts';
import { createTransaction } from './transaction.ts';

/** Marks a file of this program ("ANS2"), so that the database of another program is never migrated. */
const applicationId = 0x414e5332n;

/**
 * Creates or migrates the schema of a file in one transaction. Returns the version that it had, 0 for a new file. Several
 * processes can start at once, because the version is read again under the lock.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function prepareFile(path: string, options: PrepareOptions): Promise<number> {
  return withOperatorError(`${path} cannot be opened`, async () => {
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
  });
}

async function migrate(connection: Connection, path: string, now: number): Promise<number> {
  makeDurable(connection);
  connection.run('BEGIN IMMEDIATE');
  try {
    const version = await readFileVersion(connection, path);
    const runScript = async (script: string) => connection.run(script);
    await applyMigrations('sqlite', createTransaction(connection), version, runScript, now);
    connection.run(`PRAGMA application_id = ${applicationId}`);
    if (version === 0) createFirstLife(connection);
    connection.run('COMMIT');
    if (version === 0) recordFirstLife(connection, path);
    return version;
  } catch (error) {
    if (connection.inTransaction) connection.run('ROLLBACK');
    throw error;
  }
}

/**
 * Returns the schema version of a file of this program, 0 for a new file. The caller begins a transaction, because the state
 * during a migration is neither. `path` names the file in messages.
 * @throws DatabaseUnusable for other files.
 */
export async function readFileVersion(connection: Connection, path: string): Promise<number> {
  const owner = readPragma(connection, 'application_id');
  if (owner === applicationId) {
    // The statement of a view can run forever.
    if (connection.query(selectMetaView).get() !== null) {
      throw new DatabaseUnusable(`${path} is damaged: meta is a view`);
    }
    return readSchemaVersion(createQueryable(connection));
  }
  if (isOfOtherProgram(connection)) {
    throw new DatabaseUnusable(`${path} is a SQLite database of another program`);
  }
  return 0;
}

const selectMetaView =
  "SELECT 1 FROM main.sqlite_schema WHERE type = 'view' AND name = 'meta' COLLATE NOCASE";

/** Whether a file is neither new nor of this program. */
export function isOfOtherProgram(connection: Connection): boolean {
  const owner = readPragma(connection, 'application_id');
  if (owner === applicationId) return false;
  const isEmpty = connection.query('SELECT 1 FROM sqlite_schema').get() === null;
  return owner !== 0n || readPragma(connection, 'user_version') !== 0n || !isEmpty;
}

function readPragma(connection: Connection, pragma: string): bigint {
  const query = connection.query<Record<string, bigint>, []>(`PRAGMA ${pragma}`);
  const row = query.safeIntegers(true).get();
  return row?.[pragma] ?? 0n;
}
