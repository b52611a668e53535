import { Database as Connection } from 'bun:sqlite';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { schemaVersion } from '../../src/storage/schema/migrate.ts';
import { columnNames, tableNames, tables } from '../../src/storage/schema/tables.ts';
import { makeNewerProgram } from '../support/newer-program.ts';
import { firstNewId, makeOlderFile, makeOlderTables } from '../support/older-data.ts';
import { administer } from '../support/postgres.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { runProgram, startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { startBlackHole } from './black-hole.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { buildIoErrorLibrary, missingForIoErrors } from './io-errors.ts';
import { apiKey, authorization, sqliteDataIn } from './sqlite-rig.ts';

const promise =
  'The data is wholly of the old schema or wholly of the new one, holds all that it held, and is upgraded by the next start.';

export const upgrades: readonly Fault[] = [
  {
    name: 'upgrade-sqlite',
    title: 'upgrade killed (SIGKILL) before each of its writes',
    promise,
    missing: missingForIoErrors,
    run: upgradeSqlite,
  },
  {
    name: 'upgrade-postgres',
    title: 'connection broken at each statement of an upgrade',
    promise,
    run: upgradePostgres,
  },
];

const moreAnimals = 5000;

/** All that there was. An upgrade adds to the audit trail. */
const contentQueries = tableNames.map((name) => {
  const isOlder = name === 'audit_entries' ? `WHERE event <> 'schema_migrated'` : '';
  const columns = columnNames(name).filter((column) => !column.startsWith('audit_'));
  return `SELECT ${columns.join(', ')} FROM ${name} ${isOlder} ORDER BY ${tables[name].key.join(', ')}`;
});

/** What there is, for comparison. */
interface State {
  readonly version: number;
  readonly contents: string;
}

async function upgradeSqlite(): Promise<FaultOutcome> {
  const broken: string[] = [];
  let kills = 0;
  using tools = makeTemporaryFolder();
  const library = buildIoErrorLibrary(tools.path);
  using folder = makeTemporaryFolder();
  const { path } = sqliteDataIn(folder.path);
  await makeOlderFile(path, moreAnimals);
  using newer = makeNewerProgram();
  const before = readFile(path);
  const reached = join(folder.path, 'reached');
  // Each time on the same file, one write later, until a start gets through.
  for (let at = 1; ; at += 1) {
    rmSync(reached, { force: true });
    const env = {
      LD_PRELOAD: library,
      IO_ERROR_AT: String(at),
      IO_ERROR_KILLS: '1',
      IO_ERROR_COUNTER: reached,
      DATABASE_URL: `sqlite:${path}`,
    };
    await runProgram(['migrate'], env, undefined, newer.command);
    if (!existsSync(reached)) break;
    kills += 1;
    broken.push(...compare(before, readFile(path), [schemaVersion, newer.schemaVersion]));
  }
  broken.push(...compare(before, readFile(path), [newer.schemaVersion]));
  broken.push(...(await findFaults(`sqlite:${path}`, newer.command)));
  if (kills === 0) broken.push('no kill reached an upgrade');
  return outcomeOf(`${kills} kills`, broken);
}

function readFile(path: string): State {
  using connection = new Connection(path, { readwrite: true });
  const row = connection.query('SELECT schema_version FROM meta').get() as {
    schema_version: number;
  };
  const tables = contentQueries.map((query) => connection.query(query).values());
  return { version: row.schema_version, contents: JSON.stringify(tables) };
}

async function upgradePostgres(): Promise<FaultOutcome> {
  const broken: string[] = [];
  let breaks = 0;
  await using postgres = await startPostgresServer();
  await using hole = startBlackHole(postgres.port);
  const name = 'older';
  await administer(postgres.url, `CREATE DATABASE ${name}`);
  await makeOlderTables(`${postgres.url}/${name}`, moreAnimals);
  using newer = makeNewerProgram();
  const before = await readDatabase(postgres.url, name);
  const url = `${postgres.url}/${name}`.replace(`:${postgres.port}`, `:${hole.port}`);
  for (const [bytes, when] of moments) {
    hole.breakAt(bytes, when);
    await runProgram(['migrate'], { DATABASE_URL: url }, undefined, newer.command);
    if (hole.isArmed) broken.push(`an upgrade did not come to ${bytes}`);
    breaks += 1;
    const after = await readDatabase(postgres.url, name);
    broken.push(...compare(before, after, [schemaVersion, newer.schemaVersion]));
  }
  broken.push(...(await findFaults(url, newer.command)));
  const after = await readDatabase(postgres.url, name);
  broken.push(...compare(before, { ...after, contents: before.contents }, [newer.schemaVersion]));
  return outcomeOf(`${breaks} breaks`, broken);
}

/** The steps of an upgrade, in order: all but the last leave the data as it was. */
const moments: readonly (readonly [string, 'before' | 'after'])[] = [
  ['BEGIN', 'after'],
  ['pg_advisory_xact_lock', 'after'],
  ['LOCK TABLE meta', 'after'],
  ['ALTER TABLE workspaces ADD COLUMN', 'after'],
  ['CREATE INDEX pets_by_name', 'after'],
  ['UPDATE meta SET schema_version', 'after'],
  ['INSERT INTO audit_entries', 'after'],
  ['COMMIT', 'before'],
  ['COMMIT', 'after'],
];

async function readDatabase(server: string, name: string): Promise<State> {
  const read = (query: string) =>
    administer(server, `SET search_path = animal_store; ${query}`, name);
  const [row] = await read('SELECT schema_version FROM meta');
  const tables: unknown[] = [];
  for (const query of contentQueries) tables.push(await read(query));
  return { version: Number(row?.schema_version), contents: JSON.stringify(tables) };
}

function compare(before: State, after: State, versions: readonly number[]): string[] {
  return [
    !versions.includes(after.version) && `the schema is of version ${after.version}`,
    before.contents !== after.contents && 'the data is not what it was',
  ].filter((line) => line !== false);
}

/** What is wrong with upgraded data when a server has opened it. */
async function findFaults(databaseUrl: string, program: readonly string[]): Promise<string[]> {
  const env = { ANIMAL_STORE_API_KEY: apiKey };
  await using server = await startServerProcess(databaseUrl, { env, program });
  const response = await fetch(`${server.origin}/v1/pets`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json' },
    body: '{"name":"New","categoryId":1}',
  });
  const { id } = (await response.json()) as { id?: number };
  const counted = await fetch(`${server.origin}/v1/store/inventory`, { headers: authorization });
  const counts = Object.values((await counted.json()) as Record<string, number>);
  const animals = counts.reduce((sum, count) => sum + count, 0);
  const verified = await runProgram(['verify'], { DATABASE_URL: databaseUrl }, undefined, program);
  return [
    id !== firstNewId + moreAnimals && `the next animal got ${response.status} and the id ${id}`,
    animals !== firstNewId + moreAnimals && `${animals} animals are counted`,
    verified.exitCode !== 0 && verified.stderr.trim(),
  ].filter((line) => line !== false);
}

function outcomeOf(inflicted: string, broken: readonly string[]): FaultOutcome {
  const lines = [...new Set(broken)];
  return {
    figures: [
      inflicted,
      lines.length === 0 ? `${moreAnimals} animals, none lost or changed` : lines.join(', '),
    ],
    broken: lines,
  };
}
