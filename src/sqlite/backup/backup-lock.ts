import { Database as Connection } from 'bun:sqlite';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseUnusable } from '../../domain/database/database-error.ts';
import { isBusy, toOperatorError } from '../errors.ts';
import { makeIfMissing } from '../file/file.ts';

// As in lock.ts, the lock is a lock of SQLite on an empty file. The operating system releases it when the process ends.

/** Removing files or naming a backup takes much less. */
const waitMillisecondsMax = 60_000;

/** Locks a folder for a backup that is written to it. Any number of backups can be written at once. */
export function shareFolder(folder: string): Disposable {
  return lock(folder, (connection) => {
    connection.run('BEGIN');
    connection.query('SELECT 1 FROM sqlite_schema').get();
  });
}

/** Locks a folder to name or remove backups, which only one process does at a time, while others write theirs. */
export function changeBackups<Result>(folder: string, change: () => Result): Result {
  using _lock = lock(folder, (connection) => connection.run('BEGIN IMMEDIATE'));
  return change();
}

/** Cleans up, unless a backup is being written to the folder. */
export function cleanUpIfUnused(folder: string, cleanUp: () => void): void {
  try {
    using _lock = lock(folder, (connection) => {
      connection.run('PRAGMA busy_timeout = 0');
      connection.run('BEGIN EXCLUSIVE');
    });
    cleanUp();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

function lock(folder: string, take: (connection: Connection) => void): Disposable {
  const path = findLockFile(folder);
  try {
    using opening = new DisposableStack();
    const connection = opening.use(new Connection(path, { readwrite: true }));
    connection.run(`PRAGMA busy_timeout = ${waitMillisecondsMax}`);
    take(connection);
    return opening.move();
  } catch (error) {
    // The caller handles a lock of another process.
    throw isBusy(error) ? error : toOperatorError(`${path} cannot be locked`, error);
  }
}

function findLockFile(folder: string): string {
  const path = join(folder, 'backups.lock');
  makeIfMissing(path);
  if (!lstatSync(path).isFile()) {
    throw new DatabaseUnusable(`${path} is not a regular file; move it away`);
  }
  return path;
}
