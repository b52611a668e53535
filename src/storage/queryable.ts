import type { Awaitable } from '../domain/values/awaitable.ts';
import type { TableName, TableRow } from './schema/tables.ts';
import type { Statement } from './statement.ts';

/** Arrays are for `= ANY ($1)` in PostgreSQL and `json_each($1)` in SQLite. */
export type Value = bigint | number | string | null | readonly bigint[] | readonly string[];

/** Where statements are run that change nothing. SQLite has the rows at once. */
export interface Queryable {
  all<Row extends object>(
    statement: Statement<Row>,
    values?: readonly Value[],
  ): Awaitable<readonly Row[]>;
}

/** All as it stands at one moment, however long it takes to read. */
export interface Snapshot extends Queryable, AsyncDisposable {}

/** Where statements are run that stand and fall together. */
export interface Transaction extends Queryable {
  /** Gives how many rows it has changed. */
  run(statement: Statement, values?: readonly Value[]): Awaitable<number>;
  /** Runs it without waiting for how it ends: where it fails, the transaction does. */
  runDeferred(statement: Statement, values?: readonly Value[]): void;
  /** Sends rows to be added; those of a key that is there take its place where they are to `replace` it. */
  insert(table: TableName, rows: readonly TableRow[], existing?: 'refuse' | 'replace'): void;
  /** Has it committed, and that waited for, although it may have changed nothing. */
  mustCommit(): void;
  /** Whose process this is, where the database itself cannot tell. */
  readonly processActor: string | undefined;
}

/** Runs a transaction, and returns once it is on disk. */
export type Transact = <Result>(
  run: (transaction: Transaction) => Promise<Result>,
) => Promise<Result>;
