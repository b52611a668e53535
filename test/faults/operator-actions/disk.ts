import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A file by its identity. It stays open, so that no other file gets its number after its removal. */
export interface TrackedFile {
  readonly key: string;
  readonly descriptor: number;
}

/** The files at a path and beside it. */
export interface View {
  /** The path at which a program finds the file, its log and its lock. */
  readonly real: string;
  readonly file: string | undefined;
  readonly bytes: number;
  readonly links: number;
  readonly log: string | undefined;
  readonly logBytes: number;
  readonly index: string | undefined;
  readonly lock: string | undefined;
  readonly lockBytes: number;
  readonly life: string | undefined;
  /** Symbolic links that lead to each other, as after a move of one of them over its target. */
  readonly isLinkLoop: boolean;
}

export function look(path: string): View {
  const real = findReal(path);
  const file = tryStat(real);
  const log = tryStat(`${real}-wal`);
  const index = tryStat(`${real}-shm`);
  const lock = tryStat(`${real}.lock`);
  const life = tryStat(`${real}.life`);
  return {
    real,
    file: file?.isFile() ? keyOf(file) : undefined,
    bytes: file?.size ?? 0,
    links: file?.nlink ?? 0,
    log: log && keyOf(log),
    logBytes: log?.size ?? 0,
    index: index && keyOf(index),
    lock: lock && keyOf(lock),
    lockBytes: lock?.size ?? 0,
    life: life && keyOf(life),
    isLinkLoop: isLinkLoop(path),
  };
}

function isLinkLoop(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ELOOP';
  }
}

export function track(path: string): TrackedFile {
  const descriptor = openSync(path, 'r');
  return { key: keyOf(fstatSync(descriptor)), descriptor };
}

export function release({ descriptor }: TrackedFile): void {
  closeSync(descriptor);
}

/** Whether a file has no name any more. */
export function isGone({ descriptor }: TrackedFile): boolean {
  return fstatSync(descriptor).nlink === 0;
}

export function sizeOf({ descriptor }: TrackedFile): number {
  return fstatSync(descriptor).size;
}

export function keyOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

export function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Every regular file below a folder, by its path; symbolic links are not followed. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}

/** The real path also of a file that is missing, by way of a symbolic link that leads nowhere. */
function findReal(path: string, depth = 0): string {
  try {
    return realpathSync(path);
  } catch {
    if (depth > 10) return path;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (isLink) return findReal(resolve(dirname(path), readlinkSync(path)), depth + 1);
    return dirname(path) === path ? path : join(findReal(dirname(path), depth + 1), basename(path));
  }
}
