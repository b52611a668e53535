import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseUnusable } from '../domain/database-error.ts';
import { unusable } from './errors.ts';

/** Makes sure that there is a file, and returns its real path: two symbolic links to one file share its lock. */
export function makeFile(path: string): { readonly path: string; readonly wasMade: boolean } {
  try {
    makePlace(path);
    const wasMade = !isDataFile(path);
    makeIfMissing(path);
    return { path: realpathSync(path), wasMade };
  } catch (error) {
    throw unusable(`${path} cannot be opened`, error);
  }
}

/**
 * Makes an empty file where there is none. Made here, and not by SQLite, nobody but its owner can read or lock it. One
 * that is there is not opened: closing it would end every lock that this process has on it.
 */
export function makeIfMissing(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** The real path of a file that holds something. One that is empty holds no data yet. */
export function findFile(path: string): string {
  try {
    isDataFile(path);
    return findFileToRead(path);
  } catch (error) {
    throw unusable(`${path} cannot be opened`, error);
  }
}

/** The same of one that is only read from end to end, such as a backup, of which others may keep hard links. */
export function findFileToRead(path: string): string {
  try {
    const bytes = statRegular(path)?.size ?? 0;
    if (bytes === 0) throw new DatabaseUnusable(noDataLine(path));
    return realpathSync(path);
  } catch (error) {
    throw unusable(`${path} cannot be opened`, error);
  }
}

export function noDataLine(path: string): string {
  return `There is no data in ${resolve(path)}`;
}

/**
 * Whether there is a file.
 * @throws DatabaseUnusable for what can be none of data: lock and log go by the name of a file, so that two servers which
 * have it by two hard links do not notice each other, and undo what the other has written.
 */
function isDataFile(path: string): boolean {
  const found = statRegular(path);
  if (found !== undefined && found.nlink > 1) {
    throw new DatabaseUnusable(
      `${path} has ${found.nlink} hard links, and two servers could use the file by different names at once: remove all but one`,
    );
  }
  return found !== undefined;
}

/** Whoever opened a FIFO would wait for ever. */
function statRegular(path: string): Stats | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new DatabaseUnusable(`${path} is not a regular file`);
  return found;
}

/** The real path of a file or, where there is none, of one that is to be made, with its folder. */
export function findPlace(path: string): string {
  try {
    return isDataFile(path) ? realpathSync(path) : makePlace(path);
  } catch (error) {
    throw unusable(`${path} cannot be opened`, error);
  }
}

function makePlace(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  return join(realpathSync(dirname(path)), basename(path));
}

/** A file, and what SQLite may have left beside it, which it would take for a part of the next one there. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) removeIfThere(path + suffix);
}

/** Where there is nothing, a disk that cannot be written to is no reason to fail. */
export function removeIfThere(path: string): void {
  if (existsSync(path)) rmSync(path);
}

/** Returns once what was written to a file, or what a folder names, is on disk. */
export function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
