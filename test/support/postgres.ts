import { join } from 'node:path';
import { Client } from 'pg';
import { tableOids } from '../../src/postgres/identity.ts';
import { openPostgresDatabase } from '../../src/postgres/open-postgres.ts';
import { schemaVersion, writerVersion } from '../../src/storage/schema/prepare-schema.ts';
import { tableNames } from '../../src/storage/schema/tables.ts';

const template = 'animal_store_template';

/** One server for all tests of a run, because its creation takes longer than most tests. */
const shared = globalThis as { animalStorePostgres?: Promise<string> };

/** The shared server, with a database that is migrated and otherwise new. Returns its address. */
function sharedServer(): Promise<string> {
  shared.animalStorePostgres ??= (async () => {
    const given = process.env.DATABASE_URL ?? '';
    const url = given.startsWith('postgres') ? given.replace(/\/[^/]*$/, '') : await startKeeper();
    await administer(url, `DROP DATABASE IF EXISTS ${template}`);
    await administer(url, `CREATE DATABASE ${template}`);
    const database = await openPostgresDatabase({
      url: `${url}/${template}`,
      asServer: false,
      now: Date.now,
    });
    await database[Symbol.asyncDispose]();
    return url;
  })();
  return shared.animalStorePostgres;
}

async function startKeeper(): Promise<string> {
  const keeper = Bun.spawn([process.execPath, join(import.meta.dir, 'postgres-keeper.ts')], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = keeper.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  // Not earlier: while only such a process is awaited, Bun's test runner uses a whole core.
  keeper.unref();
  if (value === undefined) throw new Error('PostgreSQL did not start');
  return new TextDecoder().decode(value).trim();
}

/** Runs statements as the owner of the server. Returns the rows of the last one. */
export async function administer(url: string, sql: string, database = 'postgres') {
  const client = new Client({ connectionString: `${url}/${database}` });
  client.on('error', () => {});
  await client.connect();
  try {
    const results = [await client.query(sql)].flat();
    return results.at(-1)?.rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** Does the same in the database of an address, with the search path of the service. */
export function runSql(url: string, sql: string) {
  const [, server = '', name = ''] = /^(.*)\/([^/]+)$/.exec(url) ?? [];
  return administer(server, `SET search_path = animal_store; ${sql}`, name);
}

/** Waits until a query returns so many rows, on one connection, because to open one costs more than the query. */
async function untilRows(url: string, sql: string, isEnough: (rows: number) => boolean) {
  await using client = await connectTo(url);
  while (!isEnough((await client.query(sql)).rows.length)) await new Promise(setImmediate);
}

/** Waits until all connections to a database have ended, because statements of a broken one may still run. */
export async function untilUnused(url: string): Promise<void> {
  const others = `
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await untilRows(url, others, (rows) => rows === 0);
}

/** A connection with the search path of the service. */
export async function connectTo(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url, options: '-c search_path=animal_store' });
  client.on('error', () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

const waitingForLocks = `
  SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Waits until so many sessions wait for locks of other connections. */
export async function untilWaiting(url: string, sessions = 1): Promise<void> {
  await untilRows(url, waitingForLocks, (rows) => rows >= sessions);
}

/** The counters after the migrations. */
const clean = `
  SET search_path = animal_store;
  SET session_replication_role = replica;
  ${tableNames
    .filter((name) => name !== 'meta')
    .map((name) => `DELETE FROM ${name};`)
    .join(' ')}
  INSERT INTO workspaces (id, name, version, next_pet_id, created_at) VALUES (1, 'default', 0, 1, 1000);
  UPDATE meta SET environment = NULL, unfinished_copy_of = NULL, next_workspace_id = 2, next_api_key_id = 1,
    audit_count = 0, audit_digest = '', schema_version = ${schemaVersion}, writer_version = ${writerVersion};
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** The tables of a database that was created from a template must be marked as its own. */
const takeTables = `UPDATE animal_store.meta SET table_oids = ${tableOids}`;

/** Names of databases that are like new. To drop and create one takes longer than most tests. */
const cleaned: string[] = [];

/** A database on the shared server for one test, empty or with the tables. */
export async function createTestDatabase(
  content: 'empty' | 'migrated' = 'migrated',
): Promise<{ url: string; name: string } & AsyncDisposable> {
  const server = await sharedServer();
  const reused = content === 'migrated' ? cleaned.pop() : undefined;
  const name = reused ?? `test_${crypto.randomUUID().replaceAll('-', '')}`;
  if (reused === undefined) {
    const from = content === 'migrated' ? `TEMPLATE ${template}` : '';
    await administer(server, `CREATE DATABASE ${name} ${from}`);
    if (content === 'migrated') await administer(server, takeTables, name);
  }
  return {
    url: `${server}/${name}`,
    name,
    async [Symbol.asyncDispose]() {
      if (content === 'empty') {
        await administer(server, `DROP DATABASE ${name} WITH (FORCE)`);
      } else {
        await administer(server, clean, name);
        cleaned.push(name);
      }
    },
  };
}
