import {
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseUnusable } from '../../storage/contract/database-error.ts';
import { withOperatorError } from '../errors.ts';
import { rejectWhiteSpace } from './file-name.ts';
import { flush, freeName, hasContent, removeIfThere } from './file-system.ts';

/** Returns the real path of a file that is not empty. An empty file has no data yet. */
export function findFile(path: string): string {
  rejectWhiteSpace(resolve(path));
  return withOperatorError(`${path} cannot be opened`, () => {
    checkDataFile(path);
    return findFileToRead(path);
  });
}

/** Returns the real path of a file that is only read, such as a backup, which can have hard links. */
export function findFileToRead(path: string): string {
  rejectWhiteSpace(resolve(path));
  return withOperatorError(`${path} cannot be opened`, () => {
    const bytes = statRegular(path)?.size ?? 0;
    if (bytes === 0) throw new DatabaseUnusable(noDataLine(path));
    return toRealPath(path);
  });
}

/**
 * The line for a path without data. It names a write-ahead log without its file, because the log can contain acknowledged
 * writes.
 */
export function noDataLine(path: string): string {
  const line = `There is no data in ${resolve(path)}`;
  const log = `${resolve(path)}-wal`;
  return !hasContent(path) && existsSync(log)
    ? `${line}, but its log ${log} exists: move the file back, or restore a backup`
    : line;
}

/**
 * Returns whether a file exists.
 * @throws DatabaseUnusable for a file that must not hold data (docs/decisions/sqlite.md).
 */
function checkDataFile(path: string): boolean {
  const found = statRegular(path);
  if (found === undefined) return false;
  if (found.nlink > 1) {
    throw new DatabaseUnusable(
      `${path} has ${found.nlink} hard links, and two servers could use the file by different names at once: remove all but one`,
    );
  }
  const realPath = realpathSync(path);
  if (readMountPoints().includes(realPath)) {
    throw new DatabaseUnusable(
      `${realPath} is a mount point, so its write-ahead log would be outside of the mounted file: mount its folder instead`,
    );
  }
  return true;
}

/** The fifth field of each line (proc_pid_mountinfo(5)). Spaces and backslashes are octal there. Empty if not on Linux. */
function readMountPoints(): readonly string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .map((field) =>
        field.replaceAll(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8))),
      );
  } catch {
    return [];
  }
}

/** Opening a FIFO would wait forever. */
function statRegular(path: string): Stats | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new DatabaseUnusable(`${path} is not a regular file`);
  return found;
}

/** Returns the real path of a file that exists or will be created. Two symbolic links to one file share its lock. */
export function findPath(path: string): string {
  rejectWhiteSpace(resolve(path));
  return withOperatorError(`${path} cannot be opened`, () => {
    if (checkDataFile(path)) return toRealPath(path);
    // A link whose file is missing.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      return findPath(resolve(dirname(path), readlinkSync(path)));
    }
    return join(realFolder(dirname(path)), basename(path));
  });
}

/** The target of a symbolic link can have white space at its end. */
function toRealPath(path: string): string {
  const realPath = realpathSync(path);
  rejectWhiteSpace(realPath);
  return realPath;
}

function realFolder(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  return join(realFolder(dirname(resolve(path))), basename(path));
}

/** The files that SQLite keeps beside a database, and applies to the next database of that name. */
export const logSuffixes: readonly string[] = ['-wal', '-shm', '-journal'];

/** Removes a file and the files that SQLite may have left beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', ...logSuffixes]) removeIfThere(path + suffix);
}

/**
 * Renames the log of a missing database to `NAME-wal.TIME`, and its index and journal likewise, because it can contain
 * acknowledged writes. `report` receives one line with the new names, which begins with `what`.
 */
export function setAsideLog(
  path: string,
  what: string,
  { now, report }: { readonly now: number; readonly report: (line: string) => void },
  suffixes: readonly string[] = logSuffixes,
): void {
  const files = suffixes.map((suffix) => path + suffix).filter((file) => existsSync(file));
  if (files.length === 0) return;
  const names = files.map((file) => freeName(file, now));
  for (const [index, file] of files.entries()) renameSync(file, names[index] ?? '');
  flush(dirname(path));
  report(`${what} was renamed to ${names.join(', ')}`);
}
