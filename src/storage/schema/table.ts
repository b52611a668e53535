/** An integer of 64 bits, or UTF-8. A column that may be NULL has a question mark. */
export type ColumnType = 'int8' | 'int8?' | 'text' | 'text?';

export interface Table<Columns extends Readonly<Record<string, ColumnType>>> {
  /** In the order of checksums. Columns that belong to one database are not among them (`localColumns` in tables.test.ts). */
  readonly columns: Columns;
  /** Rows are in the order of their keys, and texts in the order of their bytes. A counter counts the last column. */
  readonly key: readonly string[];
  /** All rows belong to one database and are not copied. */
  readonly isLocal?: boolean;
  /** A server of the version before the table may delete a workspace without these rows. */
  readonly mayOutliveWorkspace?: boolean;
  /** The counter of the next id, above every id that was ever assigned. */
  readonly counter?: Counter;
  /** What the column `digest` is made of. Without it, `verify` finds a changed value only if an index repeats the value. */
  readonly digest?: Digest<keyof Columns>;
}

export interface Counter {
  readonly column: string;
  readonly table: 'meta' | 'workspaces';
  /** Its value in new data. The default is 1. */
  readonly first?: number;
  /** Clients may also choose ids, which may be above the counter. */
  readonly idsAreChosenToo?: boolean;
}

export interface Digest<Column = string> {
  /** Columns that no index repeats. */
  readonly of: readonly (Column & string)[];
  /** What was changed, before the id in a line about it. */
  readonly subject: string;
}

/** Keeps the names and types of columns. */
export function table<const Columns extends Readonly<Record<string, ColumnType>>>(
  definition: Table<Columns>,
): Table<Columns> {
  return definition;
}
