import { schemaScripts } from '../storage/schema/prepare-schema.ts';
import { Connection } from './connection.ts';

/**
 * Lets a connection read data of an older schema as if it were migrated, without a write to the file. A table that the data lacks is
 * an empty temporary table, and a column that a table lacks has its default in a temporary view: SQLite finds temporary names first
 * (https://sqlite.org/lang_naming.html). This suffices for migrations that add tables and columns with defaults. `test/golden` has
 * data of each release.
 */
export function addMissingSchema(connection: Connection): void {
  using migrated = new Connection(':memory:');
  for (const script of schemaScripts('sqlite')) migrated.run(script);
  const tables = migrated.query<{ name: string; sql: string }, []>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid",
  );
  for (const { name, sql } of tables.all()) {
    const found = new Set(readColumns(connection, name).map((column) => column.name));
    const missing = readColumns(migrated, name).filter((column) => !found.has(column.name));
    if (found.size === 0) {
      connection.run(sql.replace(/^CREATE TABLE/, 'CREATE TEMP TABLE'));
    } else if (missing.length > 0) {
      const added = missing.map((column) => `${column.value ?? 'NULL'} AS ${column.name}`);
      connection.run(
        `CREATE TEMP VIEW ${name} AS SELECT ${name}.*, ${added.join(', ')} FROM main.${name}`,
      );
    }
  }
}

interface Column {
  readonly name: string;
  /** The text of its default. */
  readonly value: string | null;
}

function readColumns(connection: Connection, table: string): readonly Column[] {
  return connection
    .query<Column, [string]>("SELECT name, dflt_value AS value FROM pragma_table_info(?, 'main')")
    .all(table);
}
