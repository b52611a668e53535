import { existsSync, statSync } from 'node:fs';
import { DatabaseUnusable } from '../../storage/contract/database-error.ts';
import { type Connection, openImmutableConnection, openReaderConnection } from '../connection.ts';
import { sqliteCode } from '../errors.ts';
import { hasContent } from './file-system.ts';

/**
 * Begins a read transaction on a file, also on a read-only disk (docs/decisions/sqlite.md,
 * https://sqlite.org/uri.html#uriimmutable). `checkUnchanged` is called after the last read. A file that is `kept`, such as a
 * backup, has no server: without a log, nothing is created beside it.
 */
export function openFileReader(
  path: string,
  use: 'kept' | 'served' = 'served',
  openServed: (path: string) => Connection = openReaderConnection,
) {
  const mayBeServed = use === 'served' || existsSync(`${path}-wal`) || hasLog(path);
  try {
    if (mayBeServed) return { ...beginRead(openServed(path)), checkUnchanged() {} };
  } catch (error) {
    if (!cannotWriteBeside(error) || hasLog(path)) throw error;
  }
  const before = describeFile(path);
  return {
    ...beginRead(openImmutableConnection(path)),
    /** Throws DatabaseUnusable if the file may have changed during the read. */
    checkUnchanged() {
      if (describeFile(path) === before && !hasLog(path)) return;
      throw new DatabaseUnusable(
        `${path} changed while it was read: stop its server, or try again`,
      );
    },
  };
}

/** Begins a read transaction, and closes the connection if that fails. */
export function beginRead(connection: Connection) {
  try {
    connection.run('BEGIN');
    connection.query('SELECT 1 FROM sqlite_schema').get();
  } catch (error) {
    connection.close();
    throw error;
  }
  return { connection, [Symbol.dispose]: () => connection.close() };
}

function cannotWriteBeside(error: unknown): boolean {
  return /^SQLITE_(?:CANTOPEN|READONLY_DIRECTORY|READONLY_CANTINIT)/.test(sqliteCode(error) ?? '');
}

/** Without its log or its rollback journal, a file lacks committed data. Empty ones contain nothing. */
function hasLog(path: string): boolean {
  return hasContent(`${path}-wal`) || hasContent(`${path}-journal`);
}

/** The values that a write or a rename changes. */
function describeFile(path: string): string {
  const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
  return [dev, ino, size, mtimeNs].join(' ');
}
