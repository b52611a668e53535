import { Database as Connection } from 'bun:sqlite';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { auditSchemaVersion, emptyAuditHead, nextAuditEntry } from '../../src/domain/audit.ts';
import { administer } from '../support/postgres.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { runProgram, startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { startBlackHole } from './black-hole.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { buildIoErrorLibrary, missingForIoErrors } from './io-errors.ts';
import { apiKey, authorization, sqliteStoreIn } from './sqlite-rig.ts';

const promise =
  'The store is wholly of the old schema or wholly of the new one, holds all that it held, and is upgraded by the next start.';

export const upgrades: readonly Fault[] = [
  {
    name: 'upgrade-sqlite',
    title: 'upgrade killed (SIGKILL) before each of its writes, from each earlier schema',
    promise,
    missing: missingForIoErrors,
    run: upgradeSqlite,
  },
  {
    name: 'upgrade-postgres',
    title: 'connection broken at each statement of an upgrade from each earlier schema',
    promise,
    run: upgradePostgres,
  },
];

const animals = 5000;
const apiKeys = 50;

/** Something of everything that the first schema has; `range(n)` is the engine's table of the numbers from 1. */
function contents(range: (count: number) => string): string {
  return `
    UPDATE workspaces SET next_pet_id = ${animals + 1}, revision = ${animals};
    INSERT INTO pets (workspace_id, id, name, category_id, status)
    SELECT 1, n, 'Pet ' || n, 1000003 * CAST(n AS bigint), CASE n % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END
    FROM ${range(animals)};
    INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, created_at)
    SELECT n, 1, 'Key ' || n, 'digest ' || n, 'wxyz', 'pets:read', n FROM ${range(apiKeys)};
    INSERT INTO once_keys (workspace_id, operation_id, key, request_digest, output, expires_at)
    SELECT 1, 'createPet', 'key ' || n, 'digest', '{}', 9000000000000 FROM ${range(100)};
    INSERT INTO deprecated_calls (api_key_id, operation_id, call_count, last_called_at)
    SELECT n, 'getPet', n, n FROM ${range(apiKeys)};`;
}

const contentQueries = [
  'SELECT id, name, next_pet_id, revision FROM workspaces ORDER BY id',
  'SELECT workspace_id, id, name, category_id, status FROM pets ORDER BY id',
  'SELECT id, workspace_id, name, digest, last_four, scopes, created_at FROM api_keys ORDER BY id',
  'SELECT operation_id, key, request_digest, output, expires_at FROM once_keys ORDER BY key',
  'SELECT api_key_id, operation_id, call_count, last_called_at FROM deprecated_calls ORDER BY 1',
];

/** What the program of a schema wrote when it upgraded a store from the first. */
function auditedUpgrade(version: number): string {
  const { id, at, actor, event, details, digest } = nextAuditEntry(
    emptyAuditHead,
    'nobody',
    {
      at: 0,
      event: 'schema_migrated',
      details: { from: 1, to: version, nextApiKeyId: apiKeys + 1 },
    },
    (text) => Bun.SHA256.hash(text, 'hex'),
  );
  return `
    INSERT INTO audit_entries (id, at, actor, event, details, digest)
    VALUES (${id}, ${at}, '${actor}', '${event}', '${details}', '${digest}');
    UPDATE store SET audit_count = ${id}, audit_digest = '${digest}';`;
}

/** The SQL of every schema, oldest first. */
function readMigrations(engine: 'sqlite' | 'postgres'): string[] {
  const folder = join(import.meta.dir, `../../src/${engine}/migrations`);
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

/** What there is of a store, for comparison. */
interface State {
  readonly version: number;
  readonly contents: string;
}

async function upgradeSqlite(): Promise<FaultOutcome> {
  const migrations = readMigrations('sqlite');
  const broken: string[] = [];
  let kills = 0;
  using tools = makeTemporaryFolder();
  const library = buildIoErrorLibrary(tools.path);
  for (let version = 1; version < migrations.length; version += 1) {
    using folder = makeTemporaryFolder();
    const store = sqliteStoreIn(folder.path);
    makeOldFile(store.path, migrations, version);
    const before = readFile(store.path);
    const reached = join(folder.path, 'reached');
    // Each time on the same file, one write later, until a start gets through.
    for (let at = 1; ; at += 1) {
      rmSync(reached, { force: true });
      const env = {
        LD_PRELOAD: library,
        IO_ERROR_AT: String(at),
        IO_ERROR_KILLS: '1',
        IO_ERROR_COUNTER: reached,
      };
      await runProgram(['migrate'], { DATABASE_URL: `sqlite:${store.path}`, ...env });
      if (!existsSync(reached)) break;
      kills += 1;
      broken.push(...compare(before, readFile(store.path), [version, migrations.length]));
    }
    broken.push(...compare(before, readFile(store.path), [migrations.length]));
    await using server = await store.start();
    broken.push(...(await findFaults(server.origin, `sqlite:${store.path}`)));
  }
  if (kills === 0) broken.push('no kill reached an upgrade');
  return outcomeOf(migrations.length - 1, `${kills} kills`, broken);
}

function makeOldFile(path: string, migrations: readonly string[], version: number): void {
  using connection = new Connection(path);
  const range = (count: number) =>
    `(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}) SELECT n FROM numbers)`;
  connection.run(migrations[0] ?? '');
  connection.run(contents(range));
  for (const migration of migrations.slice(1, version)) connection.run(migration);
  if (version >= auditSchemaVersion) connection.run(auditedUpgrade(version));
  connection.run(`PRAGMA application_id = ${0x414e5354}; PRAGMA user_version = ${version}`);
  connection.run('PRAGMA journal_mode = WAL');
}

function readFile(path: string): State {
  using connection = new Connection(path, { readwrite: true });
  const row = connection.query('PRAGMA user_version').get() as { user_version: number };
  const tables = contentQueries.map((query) => connection.query(query).values());
  return { version: row.user_version, contents: JSON.stringify(tables) };
}

async function upgradePostgres(): Promise<FaultOutcome> {
  const migrations = readMigrations('postgres');
  const broken: string[] = [];
  let breaks = 0;
  await using postgres = await startPostgresServer();
  await using hole = startBlackHole(postgres.port);
  for (let version = 1; version < migrations.length; version += 1) {
    const name = `version_${version}`;
    await administer(postgres.url, `CREATE DATABASE ${name}`);
    await administer(postgres.url, oldDatabase(migrations, version), name);
    const before = await readDatabase(postgres.url, name);
    const url = `${postgres.url}/${name}`.replace(`:${postgres.port}`, `:${hole.port}`);
    for (const [bytes, when] of momentsOf(migrations.slice(version))) {
      hole.breakAt(bytes, when);
      await runProgram(['migrate'], { DATABASE_URL: url });
      if (hole.isArmed) broken.push(`an upgrade did not come to ${bytes}`);
      breaks += 1;
      const after = await readDatabase(postgres.url, name);
      broken.push(...compare(before, after, [version, migrations.length]));
    }
    await using server = await startServerProcess(url, { env: { ANIMAL_STORE_API_KEY: apiKey } });
    broken.push(...compare(before, await readDatabase(postgres.url, name), [migrations.length]));
    broken.push(...(await findFaults(server.origin, url)));
  }
  return outcomeOf(migrations.length - 1, `${breaks} breaks`, broken);
}

/** The steps of an upgrade, in order: all but the last leave the store as it was. */
function momentsOf(migrations: readonly string[]): (readonly [string, 'before' | 'after'])[] {
  return [
    ['BEGIN', 'after'],
    ['pg_advisory_xact_lock', 'after'],
    // By their first lines, which no packet parts.
    ...migrations.map((migration) => [migration.split('\n')[0] ?? '', 'after'] as const),
    ['UPDATE store SET schema_version', 'after'],
    ['UPDATE store SET system_identifier', 'after'],
    ['INSERT INTO audit_entries', 'after'],
    ['COMMIT', 'before'],
    ['COMMIT', 'after'],
  ];
}

function oldDatabase(migrations: readonly string[], version: number): string {
  const range = (count: number) => `generate_series(1, ${count}) AS numbers (n)`;
  return [
    'CREATE SCHEMA animal_store; SET search_path = animal_store;',
    migrations[0],
    contents(range),
    `UPDATE store SET next_api_key_id = ${apiKeys + 1};`,
    ...migrations.slice(1, version),
    version >= auditSchemaVersion ? auditedUpgrade(version) : '',
    `UPDATE store SET schema_version = ${version};`,
  ].join('\n');
}

async function readDatabase(server: string, name: string): Promise<State> {
  const read = (query: string) =>
    administer(server, `SET search_path = animal_store; ${query}`, name);
  const [row] = await read('SELECT schema_version FROM store');
  const tables: unknown[] = [];
  for (const query of contentQueries) tables.push(await read(query));
  return { version: Number(row?.schema_version), contents: JSON.stringify(tables) };
}

function compare(before: State, after: State, versions: readonly number[]): string[] {
  return [
    !versions.includes(after.version) && `the schema is of version ${after.version}`,
    before.contents !== after.contents && 'the store does not hold what it held',
  ].filter((line) => line !== false);
}

/** What is wrong with an upgraded store that a server has opened. */
async function findFaults(origin: string, databaseUrl: string): Promise<string[]> {
  const response = await fetch(`${origin}/v1/pets`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: '{"name":"New","categoryId":1}',
  });
  const { id } = (await response.json()) as { id?: number };
  const { exitCode, stderr } = await runProgram(['verify'], { DATABASE_URL: databaseUrl });
  return [
    id !== animals + 1 && `the next animal got ${response.status} and the id ${id}`,
    exitCode !== 0 && stderr.trim(),
  ].filter((line) => line !== false);
}

function outcomeOf(schemas: number, inflicted: string, broken: readonly string[]): FaultOutcome {
  const lines = [...new Set(broken)];
  return {
    figures: [
      `${schemas} earlier schema${schemas === 1 ? '' : 's'}`,
      inflicted,
      lines.length === 0 ? `${animals} animals, none lost or changed` : lines.join(', '),
    ],
    broken: lines,
  };
}
