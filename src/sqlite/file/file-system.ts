import {
  fstatSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemCode } from '../errors.ts';
import { openDescriptor } from './descriptor.ts';

/**
 * Creates an empty file if there is none, and returns whether it did. Created here and not by SQLite, only its owner can read or lock
 * it. An existing file is not opened, because closing it would end every lock that this process has on it.
 */
export function makeIfMissing(path: string): boolean {
  // A link whose target is missing counts as a file, and is not followed.
  if (isThere(path)) return false;
  try {
    writeNew(path, '');
    return true;
  } catch (error) {
    // Another process was faster.
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Whether a file exists and is not empty. */
export function hasContent(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Returns `NAME.TIME`, with a number if that name is used. */
export function freeName(path: string, now: number): string {
  const name = `${path}.${new Date(now).toISOString().replaceAll(':', '-')}`;
  let free = name;
  for (let count = 2; isThere(free); count += 1) free = `${name}.${count}`;
  return free;
}

/** Removes a file or a link, even if its target is missing, but no folder. Without either, it also works on a read-only disk. */
export function removeIfThere(path: string): void {
  if (isThere(path)) unlinkSync(path);
}

/** Whether anything has this name, including a link without a target. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Creates a file that only its owner can read. Fails if anything has the name, so that no link is followed. */
export function writeNew(path: string, text: string): void {
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  giveToFolderOwner(path);
}

/** Creates an empty file as `writeNew` does, and opens it. */
export function openNew(path: string): Promise<FileHandle> {
  writeNew(path, '');
  return open(path, 'r+');
}

/** Creates a folder and the missing ones above it. */
export function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  const made = [resolve(path)];
  for (let folder = resolve(path); folder !== resolve(first); ) {
    folder = dirname(folder);
    made.unshift(folder);
  }
  for (const folder of made) giveToFolderOwner(folder);
}

/** A file that root creates must not lock out the user of the service. */
function giveToFolderOwner(path: string): void {
  giveToOwnerOf(dirname(path), path);
}

/** If this process is root, gives a file to the owner of another file or folder. */
export function giveToOwnerOf(other: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(other);
  try {
    lchownSync(path, uid, gid);
  } catch {
    // Not every file system has owners, and root of a container cannot give files to every user.
  }
}

/** Returns when the contents of a file, or the names in a folder, are on disk. */
export function flush(path: string): void {
  using file = openDescriptor(path, 'r');
  fsyncSync(file.descriptor);
}

/** Whether a file of SQLite has fewer pages than its header says (https://sqlite.org/fileformat.html#the_database_header). */
export function isShort(path: string): boolean {
  using file = openDescriptor(path, 'r');
  const header = Buffer.alloc(32);
  readSync(file.descriptor, header, 0, 32, 0);
  if (!header.toString('latin1').startsWith('SQLite format 3\0')) return false;
  const size = header.readUInt16BE(16);
  const pageBytes = size === 1 ? 65_536 : size;
  return fstatSync(file.descriptor).size < header.readUInt32BE(28) * pageBytes;
}
