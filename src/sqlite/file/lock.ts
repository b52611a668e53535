import { Database as Connection } from 'bun:sqlite';
import { existsSync, rmSync, statSync } from 'node:fs';
import { DatabaseUnavailable } from '../../domain/database/database-error.ts';
import { sqliteCode, toOperatorError } from '../errors.ts';
import { isThere, makeIfMissing } from './file.ts';
import { lockDataFile } from './file-lock.ts';

/**
 * Who has a file at the same time: one server and any number of commands beside it; or nobody but a copy or a restore.
 */
export type LockHolder = 'server' | 'command' | 'copy or restore';

/** For commands, which are mostly done in milliseconds. */
const waitMillisecondsMax = 3000;

export interface FileLock extends Disposable {
  /**
   * Keeps the lock file, which from now on shows that data was here. Otherwise a lock file that this lock created is removed with it:
   * the command has failed.
   */
  keep(): void;
}

/**
 * Locks a file for as long as its holder needs it, by SQLite's own locks (docs/decisions/sqlite.md,
 * https://sqlite.org/lockingv3.html). `report` receives one line if the system cannot lock the data file itself.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function lockFile(
  path: string,
  holder: LockHolder,
  report: (line: string) => void,
): FileLock {
  const lockPath = `${path}.lock`;
  try {
    using opening = new DisposableStack();
    const { connection, wasMade } = lockByName(lockPath, path, holder);
    let isKept = false;
    opening.defer(() => {
      if (wasMade && !isKept) removeUnlessShared(connection, lockPath);
      connection.close();
    });
    if (holder !== 'command' && existsSync(path)) {
      const lock = opening.use(lockDataFile(path, inUseLine(path)));
      if (lock === undefined) report(noFileLockLine(path));
    }
    const open = opening.move();
    return {
      keep() {
        isKept = true;
      },
      [Symbol.dispose]: () => open.dispose(),
    };
  } catch (error) {
    throw toOperatorError(`${lockPath} cannot be opened`, error);
  }
}

/** A lock file can be removed by a process that fails, just before it is locked here: then the next one is locked. */
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
    // Another process uses it.
  }
}

function noFileLockLine(path: string): string {
  return `${path} cannot be locked by flock on this system: only ${path}.lock prevents a second server, and only by this path`;
}

function inUseLine(path: string): string {
  return `${path} is in use by another animal-store server, copy or restore`;
}

const take: Record<LockHolder, (connection: Connection, path: string) => void> = {
  server: takeFromServers,
  command(connection, path) {
    const line = `${path} is being copied or restored: try again later`;
    orSay(line, () => {
      connection.run('BEGIN');
      connection.query('SELECT 1 FROM sqlite_schema').get();
    });
  },
  'copy or restore'(connection, path) {
    // A server goes on for ever, so that nobody waits for its end.
    takeFromServers(connection, path);
    connection.run('ROLLBACK');
    connection.run(`PRAGMA busy_timeout = ${waitMillisecondsMax}`);
    const line = `${path} is in use by an animal-store command: try again later`;
    orSay(line, () => connection.run('BEGIN EXCLUSIVE'));
  },
};

function takeFromServers(connection: Connection, path: string): void {
  orSay(inUseLine(path), () => connection.run('BEGIN IMMEDIATE'));
}

/** Does what others may hinder. */
function orSay(line: string, run: () => void): void {
  try {
    run();
  } catch (cause) {
    if (sqliteCode(cause)?.startsWith('SQLITE_BUSY') !== true) throw cause;
    throw new DatabaseUnavailable(line, { cause });
  }
}
