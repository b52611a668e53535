import { Database as Connection } from 'bun:sqlite';
import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseUnusable } from '../../storage/contract/database-error.ts';
import { withOperatorError } from '../errors.ts';
import { makeIfMissing } from '../file/file-system.ts';

/** Removing files or naming a backup takes much less. */
const waitMillisecondsMax = 60_000;

// As in lock-file.ts, the lock is a lock of SQLite on an empty file. The operating system releases it when the process ends.
const statements = {
  /** For a backup that is written to the folder. Any number of backups can be written at once. */
  write: ['BEGIN', 'SELECT 1 FROM sqlite_schema'],
  /** To name or remove backups, which only one process does at a time, while others write theirs. */
  change: ['BEGIN IMMEDIATE'],
  /** Only while no backup is written. */
  cleanUp: ['PRAGMA busy_timeout = 0', 'BEGIN EXCLUSIVE'],
} as const;

/**
 * Locks a folder of backups until the lock is disposed of.
 * @throws DatabaseUnavailable if another process has a lock that excludes this one, and DatabaseUnusable for other failures.
 */
export function lockFolder(folder: string, purpose: keyof typeof statements): Disposable {
  const path = join(folder, 'backups.lock');
  return withOperatorError(`${path} cannot be locked`, () => {
    makeIfMissing(path);
    if (!lstatSync(path).isFile()) {
      throw new DatabaseUnusable(`${path} is not a regular file; move it away`);
    }
    using opening = new DisposableStack();
    // An absolute path, because `bun:sqlite` removes white space at the beginning.
    const connection = opening.use(new Connection(resolve(path), { readwrite: true }));
    connection.run(`PRAGMA busy_timeout = ${waitMillisecondsMax}`);
    for (const statement of statements[purpose]) connection.run(statement);
    return opening.move();
  });
}
