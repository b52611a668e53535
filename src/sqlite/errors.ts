import { SQLiteError } from 'bun:sqlite';
import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database/database-error.ts';

/** Where the machine or the file fails and not the command, by SQLite's primary result codes. */
const unavailableCodes = new Set([
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_PROTOCOL',
  'SQLITE_NOMEM',
  'SQLITE_READONLY',
  'SQLITE_INTERRUPT',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
]);

/** What SQLite answered, translated. It has no line for the operator yet. */
class SqliteUnavailable extends DatabaseUnavailable {
  /** The log names an error by its class; this one is told apart here alone. */
  static override readonly name = 'DatabaseUnavailable';
}

/** SQLite's result code, such as `SQLITE_IOERR_FSYNC`, where the error is one of SQLite's or was translated from one. */
export function sqliteCode(error: unknown): string | undefined {
  if (error instanceof SqliteUnavailable) return sqliteCode(error.cause);
  return error instanceof SQLiteError ? error.code : undefined;
}

/** Whether others keep this process out, whatever state the file is in; `SQLITE_PROTOCOL` is a race that was lost. */
function isBusy(code: string): boolean {
  return /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(code);
}

/** Translates what SQLite throws, once, at the edge of this folder. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const code = error.code ?? '';
  const primary = code.split('_').slice(0, 2).join('_');
  return unavailableCodes.has(primary)
    ? new SqliteUnavailable(`SQLite answered ${code}: ${error.message}`, {
        cause: error,
        isFull: primary === 'SQLITE_FULL',
        isDamaged: primary === 'SQLITE_CORRUPT',
      })
    : error;
}

/**
 * Why something cannot be done, as SQLite or the system says, in one line for the operator. What neither of them said
 * stays as it is: it has its line already, or is a mistake of ours.
 */
export function toOperatorError(what: string, cause: unknown): unknown {
  const code = sqliteCode(cause);
  if (code === undefined && !isOfSystem(cause)) return cause;
  if (code !== undefined && isBusy(code)) {
    const line = `${what}: the data is in use by another process; try again`;
    return new DatabaseUnavailable(line, { cause });
  }
  const message = messageOf(cause);
  const reason = code === undefined ? message : (reasons[code] ?? `${code}, ${message}`);
  return new DatabaseUnusable(`${what}: ${reason}`, { cause });
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}

/** As SQLite or the system put it. */
function messageOf(error: unknown): string {
  if (error instanceof SqliteUnavailable) return messageOf(error.cause);
  return error instanceof Error ? error.message : String(error);
}

/** What SQLite says in too few words. */
const reasons: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is not a SQLite database, or its beginning is damaged',
  SQLITE_CANTOPEN:
    'SQLITE_CANTOPEN, unable to open it, or to create the files -wal and -shm beside it',
};
