import { Database as Connection } from 'bun:sqlite';
import { schemaVersion } from '../../src/storage/schema/prepare-schema.ts';
import { columnNames, tableNames, tables } from '../../src/storage/schema/tables.ts';
import { makeNewerProgram } from '../support/newer-program.ts';
import { firstNewId, makeOlderFile, makeOlderTables } from '../support/older-data.ts';
import { runProgram } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { startBlackHole } from './black-hole.ts';
import {
  onPostgres,
  onSqlite,
  type PostgresDatabase,
  type SqliteDatabase,
  startServer,
} from './databases.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { createIoFaults, missingForPreload } from './preload.ts';
import { addAnimal, request } from './requests.ts';

export const upgrades: readonly LongTest[] = [
  {
    name: 'upgrade-sqlite',
    title: 'upgrade killed (SIGKILL) before each of its writes',
    isPatient: true,
    missing: missingForPreload,
    run: (options) => onSqlite((database) => upgradeSqlite(options, database)),
  },
  {
    name: 'upgrade-postgres',
    title: 'connection broken at each statement of an upgrade',
    isPatient: true,
    run: () => onPostgres(upgradePostgres),
  },
];

const moreAnimals = 5000;

/** Queries for the whole content, except the entries that an upgrade adds to the audit trail. */
const contentQueries = tableNames.map((name) => {
  const isOlder = name === 'audit_entries' ? `WHERE event <> 'schema_migrated'` : '';
  const columns = columnNames(name).filter((column) => !column.startsWith('audit_'));
  return `SELECT ${columns.join(', ')} FROM ${name} ${isOlder} ORDER BY ${tables[name].key.join(', ')}`;
});

interface State {
  readonly version: number;
  readonly contents: string;
}

async function upgradeSqlite(
  { long }: TestOptions,
  { path, url }: SqliteDatabase,
): Promise<TestOutcome> {
  const broken = new Set<string>();
  let kills = 0;
  using tools = makeTemporaryFolder();
  const faults = createIoFaults(tools.path);
  await makeOlderFile(path, moreAnimals);
  using newer = makeNewerProgram();
  const before = readFile(path);
  const check = (...versions: number[]) => compare(broken, before, readFile(path), versions);
  // Always the same file. Each run is killed some writes later, until a run is not killed.
  for (let at = 1; ; at += long ? 1 : 3) {
    const env = { ...faults.env({ at, effect: 'KILLS' }), DATABASE_URL: url };
    await runProgram(['migrate'], env, undefined, newer.command);
    if (!faults.wasReached()) break;
    kills += 1;
    check(schemaVersion, newer.schemaVersion);
  }
  check(newer.schemaVersion);
  await checkServer(broken, url, newer.command);
  if (kills === 0) broken.add('no kill reached an upgrade');
  return outcomeOf(`${kills} kills`, broken);
}

function readFile(path: string): State {
  using connection = new Connection(path, { readwrite: true });
  const [row] = connection.query<[number], []>('SELECT schema_version FROM meta').values();
  const contents = contentQueries.map((query) => connection.query(query).values());
  return { version: Number(row?.[0]), contents: JSON.stringify(contents) };
}

async function upgradePostgres(database: PostgresDatabase): Promise<TestOutcome> {
  const broken = new Set<string>();
  const { port } = database.postgres;
  await using hole = startBlackHole(port);
  await makeOlderTables(database.url, moreAnimals);
  using newer = makeNewerProgram();
  const before = await readDatabase(database);
  const url = database.url.replace(`:${port}`, `:${hole.port}`);
  for (const [bytes, when] of moments) {
    hole.breakAt(bytes, when);
    await runProgram(['migrate'], { DATABASE_URL: url }, undefined, newer.command);
    if (hole.isArmed) broken.add(`an upgrade did not reach ${bytes}`);
    const after = await readDatabase(database);
    compare(broken, before, after, [schemaVersion, newer.schemaVersion]);
  }
  await checkServer(broken, url, newer.command);
  const { version } = await readDatabase(database);
  compare(broken, before, { ...before, version }, [newer.schemaVersion]);
  return outcomeOf(`${moments.length} breaks`, broken);
}

/** The steps of an upgrade, in order. All except the last leave the data unchanged. */
const moments: readonly (readonly [string, 'before' | 'after'])[] = [
  ['BEGIN', 'after'],
  ['pg_advisory_xact_lock', 'after'],
  ['LOCK TABLE animal_store.meta', 'after'],
  ['ALTER TABLE workspaces ADD COLUMN', 'after'],
  ['CREATE INDEX pets_by_name', 'after'],
  ['UPDATE animal_store.meta SET schema_version', 'after'],
  ['INSERT INTO animal_store.audit_entries', 'after'],
  ['COMMIT\0', 'before'],
  ['COMMIT\0', 'after'],
];

async function readDatabase({ sql }: PostgresDatabase): Promise<State> {
  const read = (query: string) => sql(`SET search_path = animal_store; ${query}`);
  const [row] = await read('SELECT schema_version FROM meta');
  const contents: unknown[] = [];
  for (const query of contentQueries) contents.push(await read(query));
  return { version: Number(row?.schema_version), contents: JSON.stringify(contents) };
}

function compare(
  broken: Set<string>,
  before: State,
  after: State,
  versions: readonly number[],
): void {
  if (!versions.includes(after.version)) broken.add(`the schema has version ${after.version}`);
  if (before.contents !== after.contents) broken.add('the data has changed');
}

/** Opens the upgraded data with a server, and checks it. */
async function checkServer(
  broken: Set<string>,
  databaseUrl: string,
  program: readonly string[],
): Promise<void> {
  await using server = await startServer(databaseUrl, { program });
  const { httpStatus, body } = await addAnimal(server.origin, 'New');
  const counts = await request<Record<string, number>>(`${server.origin}/v1/store/inventory`);
  const animals = Object.values(counts.body ?? {}).reduce((sum, count) => sum + count, 0);
  const verified = await runProgram(['verify'], { DATABASE_URL: databaseUrl }, undefined, program);
  const id = firstNewId + moreAnimals;
  if (body?.id !== id) broken.add(`the next animal got ${httpStatus} and the id ${body?.id}`);
  if (animals !== id) broken.add(`${animals} animals are counted`);
  if (verified.exitCode !== 0) broken.add(verified.stderr.trim());
}

function outcomeOf(faults: string, broken: ReadonlySet<string>): TestOutcome {
  return {
    figures: [faults, [...broken].join(', ') || `${moreAnimals} animals, none lost or changed`],
    broken: [...broken],
  };
}
