import { existsSync } from 'node:fs';
import { type CreateData, createAdvice } from '../../domain/database/create-data.ts';
import { DatabaseUnusable } from '../../domain/database/database-error.ts';
import { toOperatorError } from '../errors.ts';
import { findPlace, hasContent, makeFolderOf, makeIfMissing, noDataLine } from './file.ts';
import { type FileLock, type LockHolder, lockFile } from './lock.ts';
import { setAsideLine, setAsideLog } from './orphan-log.ts';

export interface FileOptions {
  readonly holder: LockHolder;
  readonly createData: CreateData;
  /** Receives lines for the operator about what was found and done. */
  readonly report: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A data file that exists, perhaps empty, and is locked. */
export interface LockedFile {
  /** Its real path. */
  readonly path: string;
  readonly wasMade: boolean;
  readonly lock: FileLock;
}

/**
 * Locks a data file, and creates an empty one if there is none and it may.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator. Then nothing was changed.
 */
export function lockOrCreateFile(givenPath: string, options: FileOptions): LockedFile {
  const { holder, report, now } = options;
  const path = findPlace(givenPath);
  const leftover = findLeftover(path, holder);
  checkMayCreate(path, leftover, options);
  try {
    makeFolderOf(path);
    using opening = new DisposableStack();
    if (leftover === undefined || hasContent(path)) {
      // Before the lock file, which shows other processes that there is data.
      const wasMade = makeIfMissing(path);
      const lock = opening.use(lockFile(path, holder, report));
      opening.move();
      return { path, wasMade, lock };
    }
    // Under the lock, because the log can be that of a server whose file was moved away a moment ago.
    {
      using _lock = lockFile(path, 'copy or restore', report);
      if (!hasContent(path)) {
        const names = setAsideLog(path, now);
        if (names.length > 0) report(setAsideLine(names));
        makeIfMissing(path);
      }
    }
    const lock = opening.use(lockFile(path, holder, report));
    opening.move();
    return { path, wasMade: true, lock };
  } catch (error) {
    throw toOperatorError(`${path} cannot be opened`, error);
  }
}

/**
 * A file which shows that data was at this path, and is missing or empty; undefined if none does. SQLite deletes a log without a
 * database at the first read of an empty one. A copy may go where data was, unless a log remains.
 */
function findLeftover(path: string, holder: LockHolder): string | undefined {
  if (hasContent(path)) return undefined;
  if (existsSync(`${path}-wal`)) return `${path}-wal`;
  if (holder === 'copy or restore') return undefined;
  // In this order: another process creates the file before its lock file.
  const hasLock = existsSync(`${path}.lock`);
  return hasLock && !existsSync(path) ? `${path}.lock` : undefined;
}

function checkMayCreate(
  path: string,
  leftover: string | undefined,
  { holder, createData }: FileOptions,
): void {
  if (createData === 'always' || hasContent(path)) return;
  if (leftover !== undefined) {
    const advice =
      holder === 'copy or restore'
        ? 'move the file back, or choose another name'
        : 'restore a backup, move the file back, or start once with --create-data always';
    throw new DatabaseUnusable(
      `There is no data in ${path}, but ${leftover} shows that there was: ${advice}`,
    );
  }
  if (createData === 'never') throw new DatabaseUnusable(`${noDataLine(path)}: ${createAdvice}`);
}
