import { Database as Connection } from 'bun:sqlite';
import { closeSync, openSync } from 'node:fs';
import { DatabaseUnusable } from '../domain/database.ts';
import { sqliteCode } from './connection.ts';

/**
 * Lets one server or copy at a time have a file. The lock is SQLite's own, held on an empty file beside it: the
 * operating system frees it however the process ends, and commands run beside the server do not need it.
 */
export function lockForServer(path: string): Disposable {
  const lockPath = `${path}.lock`;
  // Made here, so that nobody else on the machine can take the lock and keep a server from starting.
  closeSync(openSync(lockPath, 'a', 0o600));
  const connection = new Connection(lockPath, { readwrite: true });
  try {
    connection.run('PRAGMA locking_mode = EXCLUSIVE');
    connection.run('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY') !== true) throw error;
    throw new DatabaseUnusable(`${path} is in use by another animal-store server or copy`, {
      cause: error,
    });
  }
  return {
    [Symbol.dispose]() {
      connection.close();
    },
  };
}
