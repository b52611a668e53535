/** One text for both engines, or two side by side where their dialects differ. `Row` is what comes back, by column. */
export interface Statement<Row extends object = never> {
  readonly sqlite: string;
  readonly postgres: string;
  /** Under which a connection to PostgreSQL has it prepared; the same for the same text, on every machine. */
  readonly name: string;
  /** Columns that are counts or times: given as numbers, and as undefined where they are null. Other integers are bigints. */
  readonly numbers: readonly string[];
  /** Whether a transaction that runs it has something to commit. */
  readonly changes: boolean;
  /** Only the type of the rows; never there. */
  readonly row?: Row;
}

export interface Dialects {
  readonly sqlite: string;
  readonly postgres: string;
}

/** Parameters are `$1`, `$2`, …; SQLite would give them numbers in the order in which they first appear. */
export function statement<Row extends object = never>(
  text: string | Dialects,
  numbers: readonly (keyof Row & string)[] = [],
): Statement<Row> {
  const { sqlite, postgres } = typeof text === 'string' ? { sqlite: text, postgres: text } : text;
  return {
    sqlite: sqlite.replaceAll(/\$(\d+)/g, '?$1'),
    postgres,
    name: Bun.hash(postgres).toString(36),
    numbers,
    changes: !/^\s*SELECT\b/.test(postgres),
  };
}

/** Rows as an engine read them, every integer a bigint, as the statement says that they are. */
export function toRows<Row extends object>(
  { numbers }: Statement<Row>,
  read: readonly object[],
): readonly Row[] {
  const rows = read as Record<string, unknown>[];
  for (const name of numbers) {
    for (const row of rows) row[name] = row[name] === null ? undefined : Number(row[name]);
  }
  return rows as Row[];
}

/**
 * A SELECT that keeps its rows from being changed by others until the commit. In SQLite, whose writers come one after
 * the other, nobody can.
 */
export function forUpdate(text: string): Dialects {
  return { sqlite: text, postgres: `${text} FOR UPDATE` };
}
