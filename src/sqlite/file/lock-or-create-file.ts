import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { lookAgain } from '../../context/repeat.ts';
import type { CreateData } from '../../storage/contract/create-data.ts';
import { DatabaseUnusable } from '../../storage/contract/database-error.ts';
import { createAdvice } from '../../storage/open-options.ts';
import { withOperatorError } from '../errors.ts';
import { lifePath } from '../life/life-record.ts';
import { findPath, logSuffixes, noDataLine, setAsideLog } from './data-file.ts';
import { hasContent, makeFolder, makeIfMissing } from './file-system.ts';
import { isLockHeld, type LockHolder, lockFile } from './lock-file.ts';

interface FileOptions {
  readonly holder: LockHolder;
  readonly createData: CreateData;
  /** Receives lines for the operator about findings and changes. */
  readonly report: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Locks a data file, and creates an empty one if it is missing and `createData` allows it. Returns its real path.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator. Then nothing was changed.
 */
export function lockOrCreateFile(givenPath: string, options: FileOptions) {
  const { holder, report } = options;
  const path = findPath(givenPath);
  const leftover = findLeftover(path, holder);
  checkMayCreate(path, leftover, options);
  return withOperatorError(`${path} cannot be opened`, () => {
    makeFolder(dirname(path));
    const hadLeftover = leftover !== undefined && !hasContent(path);
    if (hadLeftover) replaceMissing(path, options);
    // The file comes before the lock file, which shows other processes that data exists.
    const wasMade = makeIfMissing(path) || hadLeftover;
    return { path, wasMade, lock: lockFile(path, holder, report) };
  });
}

/** Runs under the lock, because the log can be that of a server whose file was moved away a moment ago. */
function replaceMissing(path: string, options: FileOptions): void {
  using _lock = lockFile(path, 'copy or restore', options.report);
  if (hasContent(path)) return;
  const what = 'What was left of the missing database';
  setAsideLog(path, what, options, [...logSuffixes, '.life']);
  makeIfMissing(path);
}

/**
 * Returns a file which shows that this path had data, although the data is missing or empty; undefined if there is none. SQLite
 * deletes a log without a database at the first read of an empty one. A copy may replace missing data, unless a log remains.
 */
function findLeftover(path: string, holder: LockHolder): string | undefined {
  if (hasContent(path)) return undefined;
  if (existsSync(`${path}-wal`)) return `${path}-wal`;
  if (holder === 'copy or restore') return undefined;
  if (isLeftoverLock(path)) return `${path}.lock`;
  return hasContent(lifePath(path)) ? lifePath(path) : undefined;
}

/** How often a process is given time to lock a file that it has just created, and to write to it. */
const looks = { looksMax: 50, restMilliseconds: 20 };

/** Whether a lock file is all that is left. An empty file whose lock is held is data that another process creates now. */
function isLeftoverLock(path: string): boolean {
  const isLeftover = lookAgain(looks, () => {
    // Checked in this order, because another process creates the file before its lock file.
    const hasLock = existsSync(`${path}.lock`);
    const isMissing = !existsSync(path);
    if (!hasLock || isMissing) return hasLock;
    // Data that is being made has none yet.
    if (hasContent(lifePath(path))) return true;
    return hasContent(path) || isLockHeld(path) ? false : undefined;
  });
  return isLeftover ?? true;
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
    const isOnlyLock =
      existsSync(path) && !hasContent(lifePath(path)) && leftover.endsWith('.lock');
    const found = isOnlyLock
      ? `${leftover} shows that there was, or that its first start was interrupted, and then nothing was in it`
      : `${leftover} shows that there was`;
    throw new DatabaseUnusable(`There is no data in ${path}, but ${found}: ${advice}`);
  }
  if (createData === 'never') throw new DatabaseUnusable(`${noDataLine(path)}: ${createAdvice}`);
}
