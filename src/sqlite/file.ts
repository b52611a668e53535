import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseUnusable } from '../domain/database.ts';
import { openWritableConnection, sqliteCode } from './connection.ts';
import { migrate } from './migrate.ts';
import { unusable } from './unusable.ts';

/** Makes sure that there is a file, and returns its real path: two links to one file share its lock. */
export function makeFile(path: string): string {
  try {
    makePlace(path);
    makeIfMissing(path);
    return realpathSync(path);
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

/** The real path of a file that holds something. One that is empty is no store yet. */
export function findFile(path: string): string {
  try {
    const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes === 0) throw new DatabaseUnusable(`There is no store in ${resolve(path)}`);
    return realpathSync(path);
  } catch (error) {
    throw unusable(`${path} cannot be opened`, error);
  }
}

/** Makes the folder of a file that is to be made, and returns what will be its real path. */
export function makePlace(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return join(realpathSync(dirname(path)), basename(path));
  } catch (error) {
    throw unusable(`${path} cannot be opened`, error);
  }
}

/**
 * Brings a file to this program's schema; true where it was new. One that holds a part of a copy is only for the rest
 * of it.
 */
export function migrateFile(
  path: string,
  unfinishedCopy: 'refused' | 'taken' = 'refused',
): boolean {
  try {
    using connection = openWritableConnection(path);
    const wasNew = migrate(connection, path);
    if (unfinishedCopy === 'refused' && connection.query(selectUnfinished).get() !== null) {
      throw new DatabaseUnusable(`${path} holds an unfinished copy: start the same copy again`);
    }
    return wasNew;
  } catch (error) {
    throw sqliteCode(error)?.startsWith('SQLITE_NOTADB') === true
      ? new DatabaseUnusable(`${path} is not a SQLite database`, { cause: error })
      : unusable(`${path} cannot be opened`, error);
  }
}

const selectUnfinished = 'SELECT 1 FROM store WHERE unfinished_copy_of IS NOT NULL';

/** A file, and what SQLite may have left beside it, which it would take for a part of the next one there. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm'])
    rmSync(`${path}${suffix}`, { force: true });
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
