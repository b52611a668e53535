import type { Awaitable } from '../domain/values/awaitable.ts';
import type { TableName } from './schema/tables.ts';
import type { Statement } from './statement.ts';

/** What a column holds. */
type Cell = bigint | number | string | null;

/**
 * A row to be added, by the members that hold its columns: `categoryId` for `category_id`. A column without a value is NULL, and
 * members that are no columns are ignored.
 */
export type Row = Readonly<Record<string, Cell | undefined>>;

/** Arrays are for `= ANY ($1::bigint[])` or `= ANY ($1::text[])`. */
export type Value = Cell | readonly bigint[] | readonly string[];

/** Runs statements that change nothing. SQLite returns the rows at once. */
export interface Queryable {
  all<Row extends object>(
    statement: Statement<Row>,
    values?: readonly Value[],
  ): Awaitable<readonly Row[]>;
}

/** The data as it was at one moment, even if reading it takes hours. */
export interface Snapshot extends Queryable, AsyncDisposable {}

/** Runs statements that are committed together or not at all. */
export interface Transaction extends Queryable {
  /** Returns how many rows it changed. */
  run(statement: Statement, values?: readonly Value[]): Awaitable<number>;
  /** Runs a statement without waiting for its result. If it fails, the transaction fails. */
  runDeferred(statement: Statement, values?: readonly Value[]): void;
  /** Adds rows without waiting. With `replace`, a row replaces the row that has its key. */
  insert(table: TableName, rows: readonly Row[], existing?: 'refuse' | 'replace'): void;
  /** Commits and waits for the disk, even if nothing was changed. */
  mustCommit(): void;
  /** Called when the version of a workspace was raised. SQLite recognizes the commit by it later. */
  noteVersion(workspaceId: bigint, version: bigint): void;
  /** The account and machine of this process. Undefined if the database knows them itself. */
  readonly processActor: string | undefined;
}

/** Runs a transaction, and returns once it is on disk. */
export type Transact = <Result>(
  run: (transaction: Transaction) => Promise<Result>,
) => Promise<Result>;
