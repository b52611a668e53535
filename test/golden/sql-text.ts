import { Database as Connection } from 'bun:sqlite';
import { tableOids } from '../../src/postgres/identity.ts';
import { runSql } from '../support/postgres.ts';

/** The schema of a SQLite file, as statements in the order of their creation. Table `life` is no part of the numbered schema. */
export function describeFile(path: string): readonly string[] {
  using connection = new Connection(path, { readwrite: true });
  return connection
    .query<{ sql: string }, []>(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'life' ORDER BY rowid",
    )
    .all()
    .map(({ sql }) => `${sql};`);
}

/** The schema and all rows of a SQLite file as a text that `loadFile` reads. */
export function dumpFile(path: string): string {
  using connection = new Connection(path, { readwrite: true });
  const read = (sql: string) => connection.query(sql).values().flat().map(String);
  const rows = read(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'life' ORDER BY rowid",
  ).map((table) => {
    const columns = read(`SELECT name FROM pragma_table_info('${table}')`);
    const values = columns.map((column) => `quote(${column})`).join(` || ', ' || `);
    return insertLines(table, columns, read(`SELECT ${values} FROM ${table}`));
  });
  const [owner] = read('PRAGMA application_id');
  const schema = describeFile(path);
  return `${[`PRAGMA application_id = ${owner};`, ...schema, ...rows.flat()].join('\n')}\n`;
}

export function loadFile(path: string, sql: string): void {
  using connection = new Connection(path);
  connection.run(`BEGIN; ${sql}; COMMIT`);
}

/** The schema of a database of PostgreSQL, as statements. */
export async function describeTables(url: string): Promise<readonly string[]> {
  const rows = await runSql(url, schemaQuery);
  return rows.map(({ sql }) => `${sql};`);
}

/** What belongs to this program in the catalogs. The names of the schema are unqualified, because it is in the search path. */
const schemaQuery = `
  SELECT sql FROM (
    SELECT 1 AS step, proname AS name, pg_get_functiondef(oid) AS sql
    FROM pg_proc WHERE pronamespace = 'animal_store'::regnamespace
    UNION ALL
    SELECT 2, relname, 'CREATE TABLE ' || relname || ' (' || (
      SELECT string_agg(
        attname || ' ' || format_type(atttypid, atttypmod)
        || CASE WHEN attcollation = 'pg_catalog."C"'::regcollation THEN ' COLLATE "C"' ELSE '' END
        || coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), '')
        || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY attnum)
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    ) || ')'
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'animal_store'::regnamespace
    UNION ALL
    SELECT 3, conname, 'ALTER TABLE ' || conrelid::regclass || ' ADD CONSTRAINT ' || conname || ' '
      || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'animal_store'::regnamespace AND contype IN ('p', 'u', 'c')
    UNION ALL
    SELECT 4, indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE relnamespace = 'animal_store'::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)
    UNION ALL
    SELECT 5, tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  ) AS statements ORDER BY step, name COLLATE "C"`;

/** The schema and all rows of a database of PostgreSQL as a text that `loadTables` reads. */
export async function dumpTables(url: string): Promise<string> {
  const schema = await describeTables(url);
  const columns = (await runSql(
    url,
    `SELECT table_name AS table, column_name AS name FROM information_schema.columns
     WHERE table_schema = 'animal_store' AND column_name NOT IN ('system_identifier', 'table_oids')
     ORDER BY table_name, ordinal_position`,
  )) as { table: string; name: string }[];
  const lines = [...schema];
  for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
    const names = own.map(({ name }) => name);
    const values = names.map((name) => `quote_nullable(${name})`).join(`, ', ', `);
    const rows = await runSql(url, `SELECT concat(${values}) AS row FROM ${table} ORDER BY row`);
    lines.push(
      ...insertLines(
        table,
        names,
        rows.map(({ row }) => String(row)),
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Fills an empty database. The tables are then marked as its own, because no dump of a user was restored. */
export async function loadTables(url: string, sql: string): Promise<void> {
  const identity = `
    UPDATE meta SET table_oids = ${tableOids},
      system_identifier = (SELECT system_identifier::text FROM pg_control_system())`;
  await runSql(url, `BEGIN; CREATE SCHEMA animal_store; ${sql}; ${identity}; COMMIT`);
}

function insertLines(table: string, columns: readonly string[], rows: readonly string[]): string[] {
  if (rows.length === 0) throw new Error(`The table ${table} has no rows`);
  return rows.map((row) => `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${row});`);
}
