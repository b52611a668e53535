import type { Client, ClientBase } from 'pg';
import { background } from '../context/context.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../storage/contract/database-error.ts';
import type { Durability } from '../storage/contract/durability.ts';
import { schemaName } from '../storage/schema/postgres-schema.ts';
import {
  applyMigrations,
  type PrepareOptions,
  prepareSchema,
  readSchemaVersion,
  schemaVersion,
} from '../storage/schema/prepare-schema.ts';
import { beginWriting } from './begin-writing.ts';
import { createQueryable } from './client-queryable.ts';
import { type Connections, openConnections } from './connections.ts';
import { describeError, sqlState } from './driver-errors.ts';
import { readSystem, takeIdentity } from './identity.ts';
import { checkPooler } from './pooler.ts';
import { createTransaction } from './run-transaction.ts';

/**
 * Creates or migrates the schema of a database. Returns the version that it had, 0 for a new database.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function prepareTables(
  connections: Connections,
  options: PrepareOptions,
): Promise<number> {
  try {
    const client = await connections.connect();
    try {
      await checkPooler(connections, client);
      const schema = {
        queryable: createQueryable(client),
        readVersion: () => readVersion(client, options),
        migrate: () => migrateAsOwner(client, options),
      };
      return await prepareSchema('The database', schema, options);
    } finally {
      await client.end();
    }
  } catch (error) {
    // Only errors of a statement lack a line for the operator.
    if (error instanceof DatabaseUnavailable || sqlState(error) === undefined) throw error;
    throw new DatabaseUnusable(`The database cannot be prepared: ${describeError(error)}`, {
      cause: error,
    });
  }
}

/** Opens connections to existing tables, and changes nothing. So the database may have any encoding. */
export async function openExisting(
  url: string,
  {
    durability,
    ...options
  }: { readonly durability: Durability } & Pick<
    PrepareOptions,
    'refusalIfMissing' | 'unfinishedCopy'
  >,
): Promise<Connections> {
  await using opening = new AsyncDisposableStack();
  const connections = opening.use(openConnections(url, { durability, takesAnyEncoding: true }));
  await prepareTables(connections, { refusalIfMissing: noDataLine, ...options, now: 0 });
  opening.move();
  return connections;
}

export const noDataLine = 'The database holds no data';

const notPermittedState = '42501';

/** Most roles need no right to create tables, because the tables exist. */
async function migrateAsOwner(client: Client, options: PrepareOptions): Promise<number> {
  try {
    return await migrate(client, options);
  } catch (error) {
    if (sqlState(error) !== notPermittedState) throw error;
    throw new DatabaseUnusable(
      `The tables are missing or outdated, and this role cannot create or change them (${describeError(error)}): run animal-store migrate as their owner`,
      { cause: error },
    );
  }
}

/** The advisory lock of migrations ("ANST"). Any number of machines may start at once, and one migrates. */
const lockId = 0x414e5354;

/** For a migration of much data. The other machines wait for it. */
const migrationMillisecondsMax = 10 * 60_000;

/** Migrates in one transaction. */
async function migrate(client: Client, options: PrepareOptions): Promise<number> {
  const system = await readSystem(client);
  const limits = { query_timeout: migrationMillisecondsMax };
  const query = (text: string) => client.query({ text, ...limits });
  await beginWriting(client, {
    statementMilliseconds: migrationMillisecondsMax,
    lockMilliseconds: migrationMillisecondsMax,
  });
  // The steps do not name the schema.
  await query(`SET LOCAL search_path = ${schemaName}`);
  await query(`SELECT pg_advisory_xact_lock(${lockId})`);
  const version = await readVersion(client, options);
  if (version < schemaVersion) {
    if (version === 0) await makeSchema(client);
    // Waits for running writes, and keeps others from beginning.
    else await query(`LOCK TABLE ${schemaName}.meta IN ACCESS EXCLUSIVE MODE`);
    const { transaction, progress } = createTransaction(
      client,
      background,
      migrationMillisecondsMax,
    );
    await applyMigrations('postgres', transaction, version, query, options.now);
    if (version === 0) takeIdentity(transaction, system);
    await Promise.all(progress.sent);
  }
  await query('COMMIT');
  return version;
}

/** `IF NOT EXISTS` would require the right to create a schema even if it exists. */
async function makeSchema(client: ClientBase): Promise<void> {
  const { rows } = await client.query(`SELECT 1 WHERE to_regnamespace('${schemaName}') IS NULL`);
  if (rows.length > 0) await client.query(`CREATE SCHEMA ${schemaName}`);
}

/**
 * Returns the schema version of a database of this program, 0 for a new database.
 * @throws DatabaseUnusable for other databases.
 */
async function readVersion(client: ClientBase, { besideOther }: PrepareOptions): Promise<number> {
  const { rows } = await client.query<{ name: string; hasMark: boolean }>(
    `SELECT relname AS name, EXISTS (
       SELECT 1 FROM pg_attribute WHERE attname = 'schema_digest' AND attrelid = pg_class.oid
     ) AS "hasMark" FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = '${schemaName}' AND relkind IN ('r', 'p')`,
  );
  if (rows.length === 0) {
    if (besideOther !== true) await refuseElsewhere(client);
    return 0;
  }
  if (rows.some(({ name, hasMark }) => name === 'meta' && hasMark)) {
    return readSchemaVersion(createQueryable(client));
  }
  throw new DatabaseUnusable(`The schema ${schemaName} of the database belongs to another program`);
}

/**
 * Versions before 1.2.0 made their tables in the first schema of the search path, if a connection pooler dropped their own path.
 * New tables beside those would start again with the first id.
 */
async function refuseElsewhere(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ schema: string }>(
    // Another machine can make the tables at this moment, so the name of the schema is of the same snapshot.
    `SELECT nspname AS schema FROM pg_attribute
     JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE attname = 'schema_digest' AND relname = 'meta' AND relkind = 'r'
       AND nspname <> '${schemaName}'`,
  );
  const [found] = rows;
  if (found === undefined) return;
  throw new DatabaseUnusable(
    `Schema ${found.schema} has tables of this program, and schema ${schemaName} has none, because an earlier version made them behind a connection pooler, or they were moved: move them to schema ${schemaName} (docs/operations.md, Connection poolers), or create new data once with --create-data always`,
  );
}
