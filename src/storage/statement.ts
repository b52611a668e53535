import { withSchema } from './schema/postgres-schema.ts';
import { type TableName, tables } from './schema/tables.ts';

/** A statement in the dialects of both engines. `Row` is the type of a result row, by column. */
export interface Statement<Row extends object = never> {
  readonly sqlite: string;
  readonly postgres: string;
  /** The name of the prepared statement on a connection to PostgreSQL. Equal texts have equal names on every server. */
  readonly name: string;
  /** Columns that are read as plain values: an integer as a number, and NULL as undefined. Other integers are bigints. */
  readonly plainColumns: readonly string[];
  /** Whether a transaction that runs it has changes to commit. */
  readonly changes: boolean;
  /** The type of the rows. It has no value. */
  readonly row?: Row;
}

export interface Dialects {
  readonly sqlite: string;
  readonly postgres: string;
}

/**
 * A text for both engines is in the dialect of PostgreSQL. For SQLite, parameters `$1` become `?1`, lists come as JSON, and
 * `FOR UPDATE` is left out, because SQLite has one writer at a time. `optionalColumns` are the columns that may be NULL.
 */
export function statement<Row extends object = never>(
  text: string | Dialects,
  plainColumns: readonly (keyof Row & string)[] = [],
  optionalColumns: readonly string[] = [],
): Statement<Row> {
  const dialects = typeof text === 'string' ? { sqlite: text, postgres: text } : text;
  const { sqlite } = dialects;
  const postgres = withSchema(dialects.postgres);
  return {
    sqlite: sqlite
      .replaceAll(/= ANY \((\$\d+)::\w+\[\]\)/g, 'IN (SELECT value FROM json_each($1))')
      .replaceAll(/\$(\d+)/g, '?$1')
      .replace(/ FOR UPDATE$/, ''),
    postgres,
    name: Bun.hash(postgres).toString(36),
    plainColumns: [...plainColumns, ...optionalColumns],
    changes: !isRead(postgres),
  };
}

/** Whether a text begins with SELECT, or with WITH and has no part that changes rows. */
function isRead(text: string): boolean {
  if (!/^\s*WITH\b/.test(text)) return /^\s*SELECT\b/.test(text);
  return !/\b(?:INSERT INTO|DELETE FROM|(?<!FOR |KEY )UPDATE)\b/.test(text);
}

/**
 * Deletes the first rows of a table that meet a condition, at most `$2`. PostgreSQL selects and locks them once, as an array, and
 * finds each by its place.
 */
export function deleteFirst<Row extends object = never>(
  table: TableName,
  where: string,
  order: string,
  { lock = 'FOR UPDATE', returning = '' } = {},
): Statement<Row> {
  const key = tables[table].key.join(', ');
  const chosen = (columns: string) =>
    `SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY ${order} LIMIT $2`;
  return statement({
    sqlite: `DELETE FROM ${table} WHERE (${key}) IN (${chosen(key)}) ${returning}`,
    postgres: `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${chosen('ctid')} ${lock})) ${returning}`,
  });
}

/** Deletes the first expired rows. Rows that another server deletes now are skipped. */
export function deleteFirstExpired(table: 'console_tokens' | 'idempotency_keys'): Statement {
  const lock = 'FOR UPDATE SKIP LOCKED';
  return deleteFirst(table, 'expires_at <= $1', 'expires_at', { lock });
}

/** A statement that selects lines about faults. */
export type FaultStatement = Statement<{ fault: string }>;

/** Converts rows of an engine, with every integer a bigint, to the rows of a statement. */
export function toRows<Row extends object>(
  { plainColumns }: Statement<Row>,
  read: readonly object[],
): readonly Row[] {
  const rows = read as Record<string, unknown>[];
  for (const name of plainColumns) {
    for (const row of rows) {
      const value = row[name];
      if (value === null) row[name] = undefined;
      else if (typeof value === 'bigint') row[name] = Number(value);
    }
  }
  return rows as Row[];
}
