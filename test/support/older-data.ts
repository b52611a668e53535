import { Database as Connection } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableOids } from '../../src/postgres/identity.ts';
import { initial } from '../../src/storage/migrations/0001-initial.ts';
import type { TableName } from '../../src/storage/tables.ts';
import type { EngineName } from './engines.ts';
import { administer, createTestDatabase } from './postgres.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Data of the first schema, for programs that know a newer one. */
export interface OlderData extends AsyncDisposable {
  readonly url: string;
  /** The version of the schema as it is now. */
  readVersion(): Promise<number>;
}

/** Ids of animals that are in workspace default from the start are below it. */
export const firstNewId = 6;

/** What the program of the first schema once wrote. */
export const olderTables = JSON.parse(
  readFileSync(join(import.meta.dir, '../golden/0001.json'), 'utf8'),
  exactNumbers,
) as Record<TableName, Record<string, unknown>[]>;

const numbersTo: Readonly<Record<EngineName, (last: number) => string>> = {
  sqlite: (last) =>
    `(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last}) SELECT n FROM numbers)`,
  postgres: (last) => `generate_series(1, ${last}) AS numbers (n)`,
};

/**
 * SQL that makes the tables of the first schema with what the program of that schema once wrote: something of everything.
 * To workspace default, it adds so many animals more.
 */
export function olderDataSql(engine: EngineName, moreAnimals = 0): string {
  const lines = [initial[engine], 'DELETE FROM workspaces;'];
  for (const [table, rows] of Object.entries(olderTables)) {
    for (const row of rows) lines.push(table === 'meta' ? update(row) : insert(table, row));
  }
  if (moreAnimals > 0) {
    lines.push(`
      INSERT INTO pets (workspace_id, id, name, category_id, status)
      SELECT 1, ${firstNewId - 1} + n, 'Pet ' || n, 1000003 * CAST(n AS bigint),
        CASE n % 3 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' ELSE 'sold' END
      FROM ${numbersTo[engine](moreAnimals)};
      UPDATE workspaces SET next_pet_id = next_pet_id + ${moreAnimals} WHERE id = 1;`);
  }
  return lines.join('\n');
}

/** Digits as they are written: ids and categories have more than a double holds. */
function exactNumbers(
  _name: string,
  value: unknown,
  { source }: { readonly source?: string },
): unknown {
  return typeof value === 'number' && source !== undefined ? BigInt(source) : value;
}

function update(row: Record<string, unknown>): string {
  const columns = Object.entries({ ...row, schema_version: 1, writer_version: 1 });
  return `UPDATE meta SET ${columns.map(([name, value]) => `${name} = ${literal(value)}`).join(', ')};`;
}

function insert(table: string, row: Record<string, unknown>): string {
  const values = Object.values(row).map(literal);
  return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')});`;
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

export function prepareOlderData(engine: EngineName): Promise<OlderData> {
  return engine === 'sqlite' ? prepareFile() : prepareDatabase();
}

/** Writes a file of the first schema. */
export function makeOlderFile(path: string, moreAnimals = 0): void {
  using connection = new Connection(path);
  connection.run(`PRAGMA journal_mode = WAL; ${olderDataSql('sqlite', moreAnimals)}`);
  connection.run(`PRAGMA application_id = ${0x414e5331}`);
}

async function prepareFile(): Promise<OlderData> {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'older.db');
  makeOlderFile(path);
  return {
    url: `sqlite:${path}`,
    async readVersion() {
      using connection = new Connection(path);
      const row = connection.query('SELECT schema_version AS version FROM meta').get();
      return (row as { version: number }).version;
    },
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
    },
  };
}

/** Fills an empty database with tables of the first schema. */
export async function makeOlderTables(
  server: string,
  database: string,
  moreAnimals = 0,
): Promise<void> {
  const sql = olderDataSql('postgres', moreAnimals);
  const script = `
    CREATE SCHEMA animal_store; SET search_path = animal_store; ${sql}
    UPDATE meta SET table_oids = ${tableOids}`;
  await administer(server, script, database);
}

async function prepareDatabase(): Promise<OlderData> {
  const { url, name, [Symbol.asyncDispose]: dispose } = await createTestDatabase('empty');
  const server = url.replace(/\/[^/]*$/, '');
  await makeOlderTables(server, name);
  return {
    url,
    async readVersion() {
      const [row] = await administer(server, 'SELECT schema_version FROM animal_store.meta', name);
      return Number(row?.schema_version);
    },
    [Symbol.asyncDispose]: dispose,
  };
}
