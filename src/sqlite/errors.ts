import { SQLiteError } from 'bun:sqlite';
import { DatabaseUnavailable, DatabaseUnusable } from '../storage/contract/database-error.ts';

/** Primary result codes of SQLite for failures of the machine or the file, not of the command. */
const unavailableCodes =
  /^SQLITE_(?:BUSY|LOCKED|PROTOCOL|NOMEM|READONLY|INTERRUPT|IOERR|FULL|CANTOPEN|CORRUPT|NOTADB)(?:_|$)/;

/** A translated error of SQLite, without a line for the operator. */
class SqliteUnavailable extends DatabaseUnavailable {
  /** The log shows the name of the class. Only this file distinguishes this class. */
  static override readonly name = 'DatabaseUnavailable';
}

/** SQLite's result code, such as `SQLITE_IOERR_FSYNC`; undefined for other errors. */
export function sqliteCode(error: unknown): string | undefined {
  if (error instanceof SqliteUnavailable) return sqliteCode(error.cause);
  return error instanceof SQLiteError ? error.code : undefined;
}

/** Whether another process has a lock. `SQLITE_PROTOCOL` means that a race for a lock was lost. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(sqliteCode(error) ?? '');
}

/** Whether the file itself is damaged, or lacks what this program stores. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error) ?? '';
  return (
    /^SQLITE_(?:CORRUPT|NOTADB)/.test(code) ||
    (code === 'SQLITE_ERROR' && missingSchema.test(messageOf(error)))
  );
}

/** Returns `undefined` if the file is damaged. Other errors, such as a lock, must not lead to a loss of data. */
export function readUnlessDamaged<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Explanations of what stops writes to a file that is open. */
const writeRefusals: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'its disk is full (docs/operations.md, When the disk is full)',
  SQLITE_READONLY: 'its disk is read-only, or this user may not write the file',
};

const missingSchema = /^(?:no such (?:table|column)|unsupported file format)/;

/** Translates errors of SQLite. Every call of SQLite in this folder passes them through here once. `path` is that of the file. */
export function translateError(error: unknown, path?: string): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const { code = '' } = error;
  if (!unavailableCodes.test(code)) return error;
  const refusal = writeRefusals[code];
  const line =
    refusal === undefined || path === undefined
      ? `SQLite answered ${code}: ${error.message}`
      : `${path} cannot be written: ${code}, ${refusal}`;
  return new SqliteUnavailable(line, {
    cause: error,
    isFull: code.startsWith('SQLITE_FULL'),
    isDamaged: code.startsWith('SQLITE_CORRUPT'),
  });
}

/**
 * Returns an error with one line for the operator, for an error of SQLite or the system. Other errors already have their line,
 * or are programming errors, and are returned unchanged.
 */
export function toOperatorError(what: string, cause: unknown): unknown {
  const code = sqliteCode(cause);
  if (code === undefined && systemCode(cause) === undefined) return cause;
  if (isBusy(cause)) {
    const line = `${what}: the data is in use by another process; try again`;
    return new DatabaseUnavailable(line, { cause });
  }
  const message = messageOf(cause);
  const reason = code === undefined ? message : (reasons[code] ?? `${code}, ${message}`);
  return new DatabaseUnusable(`${what}: ${reason}`, { cause });
}

/** Runs a function, and adds `what` to errors of SQLite or the system. */
export function withOperatorError<Result>(what: string, run: () => Result): Result {
  const fail = (error: unknown) => {
    throw toOperatorError(what, error);
  };
  try {
    const result = run();
    // The type of a rejected promise is that of the promise.
    return result instanceof Promise ? (result.catch(fail) as Result) : result;
  } catch (error) {
    return fail(error);
  }
}

/** The code of an error of the system, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** The message of SQLite or the system. */
function messageOf(error: unknown): string {
  if (error instanceof SqliteUnavailable) return messageOf(error.cause);
  return error instanceof Error ? error.message : String(error);
}

/** Explanations of messages that are too short. */
const reasons: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is not a SQLite database, or its beginning is damaged',
  SQLITE_READONLY_ROLLBACK:
    'SQLITE_READONLY_ROLLBACK, its file -journal has a transaction that did not end: open a copy of both files once with sqlite3',
  SQLITE_CANTOPEN:
    'SQLITE_CANTOPEN, unable to open it, or to create files beside it: check the owner of the file and of its folder, and whether its disk is read-only',
};
