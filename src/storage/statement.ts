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
 * `FOR UPDATE` is left out, because SQLite has one writer at a time. `optionalColumns` are those of `recordColumns`.
 */
export function statement<Row extends object = never>(
  text: string | Dialects,
  plainColumns: readonly (keyof Row & string)[] = [],
  optionalColumns: readonly string[] = [],
): Statement<Row> {
  const { sqlite, postgres } = typeof text === 'string' ? { sqlite: text, postgres: text } : text;
  return {
    sqlite: sqlite
      .replaceAll(/= ANY \((\$\d+)::\w+\[\]\)/g, 'IN (SELECT value FROM json_each($1))')
      .replaceAll(/\$(\d+)/g, '?$1')
      .replace(/ FOR UPDATE$/, ''),
    postgres,
    name: Bun.hash(postgres).toString(36),
    plainColumns: [...plainColumns, ...optionalColumns],
    changes: !/^\s*SELECT\b/.test(postgres),
  };
}

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
