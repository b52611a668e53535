import { Database as Connection } from 'bun:sqlite';
import { existsSync, rmSync, statSync } from 'node:fs';
import { lookAgain } from '../../context/repeat.ts';
import { DatabaseUnavailable } from '../../storage/contract/database-error.ts';
import { isBusy, toOperatorError, withOperatorError } from '../errors.ts';
import { isThere, makeIfMissing } from './file-system.ts';
import { lockDataFile } from './flock.ts';

/** Holders of a file: one server with any number of commands, or only one copy or restore. */
export type LockHolder = 'server' | 'command' | 'copy or restore';

/** The wait for a process that tests whether there is another. */
const testMillisecondsMax = 300;

/** The wait for commands, which usually take milliseconds. */
const waitMillisecondsMax = 3000;

/**
 * Locks a file until the lock is disposed of, by locks of SQLite on an empty file beside it (docs/decisions/sqlite.md,
 * https://sqlite.org/lockingv3.html). All holders except commands also lock the data file itself. `report` receives one line if
 * the system cannot do that.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function lockFile(path: string, holder: LockHolder, report: (line: string) => void) {
  const lockPath = `${path}.lock`;
  return withOperatorError(`${lockPath} cannot be opened`, () => {
    using opening = new DisposableStack();
    const { connection, wasMade } = lockByName(lockPath, path, holder);
    let isKept = false;
    opening.defer(() => {
      if (wasMade && !isKept) removeUnlessShared(connection, lockPath);
      connection.close();
    });
    if (holder !== 'command' && existsSync(path)) {
      const lock = opening.use(lockDataFile(path, inUseLine(path)));
      if (lock === undefined) {
        report(
          `${path} cannot be locked by flock on this system: only ${lockPath} prevents a second server, and only by this path`,
        );
      }
    }
    const open = opening.move();
    return {
      /**
       * Keeps the lock file, which then shows that this path had data. Otherwise, a lock file that this lock created is removed
       * with it, because the command has failed.
       */
      keep() {
        isKept = true;
      },
      [Symbol.dispose]: () => open.dispose(),
    };
  });
}

/**
 * Whether a server, a copy or a restore has a file. The caller has a lock of its own. A server that starts at this moment waits for
 * the end of this test.
 */
export function hasServer(path: string): boolean {
  const isFree = lookAgain(looks, () => !cannotRun(path, 'BEGIN IMMEDIATE') || undefined);
  return isFree !== true;
}

/** Another command that tests this at the same moment looks like a server. */
const looks = { looksMax: 6, restMilliseconds: () => Math.random() * 10 };

/** Whether any process has the lock of a file. */
export function isLockHeld(path: string): boolean {
  return cannotRun(path, 'BEGIN EXCLUSIVE');
}

function cannotRun(path: string, begin: string): boolean {
  try {
    using connection = new Connection(`${path}.lock`, { readwrite: true });
    connection.run('PRAGMA journal_mode = MEMORY');
    connection.run(begin);
    return false;
  } catch (error) {
    // A process that fails can remove its lock file just now.
    if (!isThere(`${path}.lock`)) return false;
    if (!isBusy(error)) throw toOperatorError(`${path}.lock cannot be opened`, error);
    return true;
  }
}

/** A process that fails can remove the lock file just before it is locked here. Then the next lock file is locked. */
function lockByName(lockPath: string, path: string, holder: LockHolder) {
  for (;;) {
    using opening = new DisposableStack();
    const wasMade = makeIfMissing(lockPath);
    const found = inodeOf(lockPath);
    const connection = openIfThere(lockPath);
    if (connection === undefined) continue;
    opening.use(connection);
    take[holder](connection, path);
    if (found === undefined || found !== inodeOf(lockPath)) continue;
    opening.move();
    return { connection, wasMade };
  }
}

function openIfThere(lockPath: string): Connection | undefined {
  try {
    return new Connection(lockPath, { readwrite: true });
  } catch (error) {
    if (!isThere(lockPath)) return undefined;
    throw error;
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

function removeUnlessShared(connection: Connection, lockPath: string): void {
  try {
    connection.run('ROLLBACK');
    connection.run('PRAGMA busy_timeout = 0');
    connection.run('BEGIN EXCLUSIVE');
    rmSync(lockPath, { force: true });
  } catch {
    // Another process uses the lock file.
  }
}

function inUseLine(path: string): string {
  return `${path} is in use by a server, or by a command that copies or restores it: stop it first`;
}

const take: Record<LockHolder, (connection: Connection, path: string) => void> = {
  server: takeServerLock,
  command(connection, path) {
    const line = `${path} is being copied or restored: try again later`;
    connection.run(`PRAGMA busy_timeout = ${testMillisecondsMax}`);
    orThrow(line, () => {
      connection.run('BEGIN');
      connection.query('SELECT 1 FROM sqlite_schema').get();
    });
  },
  'copy or restore'(connection, path) {
    // Servers run without end, so this does not wait for them.
    takeServerLock(connection, path);
    connection.run('ROLLBACK');
    connection.run(`PRAGMA busy_timeout = ${waitMillisecondsMax}`);
    const line = `${path} is in use by an animal-store command: try again later`;
    orThrow(line, () => connection.run('BEGIN EXCLUSIVE'));
  },
};

function takeServerLock(connection: Connection, path: string): void {
  connection.run(`PRAGMA busy_timeout = ${testMillisecondsMax}`);
  orThrow(inUseLine(path), () => {
    // On a full disk, SQLite could not create a journal.
    connection.run('PRAGMA journal_mode = MEMORY');
    connection.run('BEGIN IMMEDIATE');
  });
}

/** Throws an error with this line if another process has the lock. */
function orThrow(line: string, run: () => void): void {
  try {
    run();
  } catch (cause) {
    if (!isBusy(cause)) throw cause;
    throw new DatabaseUnavailable(line, { cause });
  }
}
