import { type Int64, int64Min } from './int64.ts';

/**
 * All that a store consists of, in the order in which it is copied: each table with its columns, those of its key
 * first. Every engine reads and writes rows in this shape, so that what two of them hold can be compared.
 */
export const transferColumns = {
  store: [
    'id',
    'environment',
    'next_workspace_id',
    'next_api_key_id',
    'audit_count',
    'audit_digest',
  ],
  workspaces: ['id', 'name', 'next_pet_id', 'revision', 'created_at'],
  api_keys: [
    'id',
    'workspace_id',
    'name',
    'digest',
    'last_four',
    'scopes',
    'rate_limit',
    'created_at',
    'expires_at',
    'revoked_at',
    'last_used_at',
    'is_revoked',
  ],
  audit_entries: ['id', 'at', 'actor', 'event', 'details', 'digest'],
  deprecated_calls: ['api_key_id', 'operation_id', 'call_count', 'last_called_at'],
  once_keys: ['workspace_id', 'operation_id', 'key', 'request_digest', 'output', 'expires_at'],
  pets: ['workspace_id', 'id', 'name', 'category_id', 'status'],
} as const;

export type TransferTable = keyof typeof transferColumns;

export const transferTables = Object.keys(transferColumns) as readonly TransferTable[];

/** Those with any number of rows. `store` has one, which is written when a copy begins. */
export type AppendedTable = Exclude<TransferTable, 'store'>;

export const appendedTables = transferTables.filter((table) => table !== 'store');

/** A value of a column, exact and alike in every engine. */
export type TransferValue = Int64 | string | null;

/** The columns of a row, in the order of `transferColumns`. */
export type TransferRow = readonly TransferValue[];

/** The first columns of a row. Rows are in the order of their keys; texts in that of their UTF-8 bytes. */
export type TransferKey = readonly TransferValue[];

/** Below every key of a table. */
export const lowestKeys: Readonly<Record<TransferTable, TransferKey>> = {
  store: [int64Min],
  workspaces: [int64Min],
  api_keys: [int64Min],
  audit_entries: [int64Min],
  deprecated_calls: [int64Min, ''],
  once_keys: [int64Min, '', ''],
  pets: [int64Min, int64Min],
};

/** A row as one line of JSON, every digit written out: what checksums are made of. */
export function transferRowText(row: TransferRow): string {
  let text = '';
  for (const value of row) {
    text += `${text === '' ? '[' : ','}${typeof value === 'string' ? JSON.stringify(value) : value}`;
  }
  return `${text}]\n`;
}

/** A whole store as it stood at one moment, whatever is written to it meanwhile. */
export interface TransferSnapshot extends AsyncDisposable {
  /** The next rows above a key, at most so many; none at the end. */
  readRows(
    table: TransferTable,
    above: TransferKey,
    rowsMax: number,
  ): Promise<readonly TransferRow[]>;
}

/** A store that is read from end to end. No copy to it is unfinished. */
export interface TransferSource extends AsyncDisposable {
  openSnapshot(): Promise<TransferSnapshot>;
}

/**
 * A store that another is copied to, by one process at a time. From `begin` to `finish` it bears a mark, and nobody
 * else opens it. Each step is all or nothing, and on disk when it returns: so the last rows tell how far it came.
 */
export interface TransferTarget extends AsyncDisposable {
  openSnapshot(): Promise<TransferSnapshot>;
  /** What was given to `begin` of a copy that is unfinished. */
  readMark(): Promise<string | undefined>;
  /** Empties a new store, marks it and gives it the row of `store`. False, and nothing done, where it is not new. */
  begin(mark: string, storeRow: TransferRow): Promise<boolean>;
  /** The key of the last row; the lowest where there is none. */
  readLastKey(table: AppendedTable): Promise<TransferKey>;
  /** Adds rows that follow the last. */
  append(table: AppendedTable, rows: readonly TransferRow[]): Promise<void>;
  /** Removes the mark. */
  finish(): Promise<void>;
}

/** In memory at once, and written in one transaction: short enough for every time limit of an engine. */
const batchRowsMax = 5000;

/** All rows of a table above a key, in batches that are never empty. */
export async function* readTable(
  snapshot: TransferSnapshot,
  table: TransferTable,
  above: TransferKey = lowestKeys[table],
): AsyncGenerator<readonly TransferRow[], undefined> {
  for (let key = above; ; ) {
    const rows = await snapshot.readRows(table, key, batchRowsMax);
    const last = rows.at(-1);
    if (last === undefined) return undefined;
    yield rows;
    key = last.slice(0, key.length);
  }
}
