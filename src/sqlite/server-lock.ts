import { Database as Connection } from 'bun:sqlite';
import { closeSync, openSync } from 'node:fs';
import { DatabaseUnusable } from '../domain/database.ts';
import { sqliteCode } from './connection.ts';
import { unusable } from './unusable.ts';

/**
 * Lets one server or copy at a time have a file. The lock is SQLite's own, held on an empty file beside it: the
 * operating system frees it however the process ends, and commands run beside the server do not need it.
 * @throws DatabaseUnusable with one line for the operator.
 */
export function lockForServer(path: string): Disposable {
  const lockPath = `${path}.lock`;
  try {
    // Made here, so that nobody else on the machine can take the lock and keep a server from starting.
    closeSync(openSync(lockPath, 'a', 0o600));
    using opening = new DisposableStack();
    const connection = opening.use(new Connection(lockPath, { readwrite: true }));
    connection.run('PRAGMA locking_mode = EXCLUSIVE');
    connection.run('BEGIN EXCLUSIVE');
    return opening.move();
  } catch (error) {
    throw sqliteCode(error)?.startsWith('SQLITE_BUSY') === true
      ? new DatabaseUnusable(`${path} is in use by another animal-store server or copy`, {
          cause: error,
        })
      : unusable(`${lockPath} cannot be opened`, error);
  }
}
