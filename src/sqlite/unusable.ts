import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database.ts';
import { isBusy, sqliteCode } from './connection.ts';

/**
 * Why something cannot be done, as SQLite or the system says, in one line for the operator. What neither of them said
 * stays as it is: it has its line already, or is a mistake of ours.
 */
export function unusable(what: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || !('code' in cause)) return cause;
  const code = sqliteCode(cause);
  if (code !== undefined && isBusy(code)) {
    const line = `${what}: the data is in use by another process; try again`;
    return new DatabaseUnavailable(line, { cause });
  }
  const reason =
    code === undefined ? cause.message : (reasons[code] ?? `${code}, ${cause.message}`);
  return new DatabaseUnusable(`${what}: ${reason}`, { cause });
}

/** What SQLite says in too few words. */
const reasons: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'it is not a SQLite database, or its beginning is damaged',
  SQLITE_CANTOPEN:
    'SQLITE_CANTOPEN, unable to open it, or to make the files -wal and -shm beside it',
};
