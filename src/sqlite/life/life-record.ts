import { FFIType } from 'bun:ffi';
import {
  closeSync,
  fsyncSync,
  lchownSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { flush, removeIfThere } from '../file/file-system.ts';
import { openSystemLibrary } from '../file/system-library.ts';

/**
 * What shows that a file has a commit: the number of commits that counted themselves in table `life`, and a version of a
 * workspace. Commits have one order, so a file that has a commit has all earlier ones.
 */
export interface CommitMark {
  readonly commits: number;
  /** 0 if there is none. */
  readonly workspaceId: bigint;
  /** The file has this version of the workspace, or a higher one. */
  readonly version: bigint;
}

/** The file `NAME.life` beside a data file (docs/decisions/sqlite.md). */
export interface LifeRecord {
  /** The life of the data file, or `none` if it has no table `life`. */
  readonly present: string;
  /** The life that a process is giving it at this moment. */
  readonly next: string | undefined;
  /** The last acknowledged commit. */
  readonly last: CommitMark;
  /** The last commit before the log began. The data file has it without its log. */
  readonly base: CommitMark;
  /** Identifies the log that has the last commit, in hexadecimal; undefined before the first commit. */
  readonly log: string | undefined;
  /** Whether a server found that the data file or its log was overwritten. */
  readonly isLost: boolean;
}

export const noCommit: CommitMark = { commits: 0, workspaceId: 0n, version: 0n };

/** The life of data without a table `life`. */
export const noLife = 'none';

/** In one sector of a disk, which is written completely or not at all. */
const recordBytes = 400;

const recordPattern =
  /^animal-store-life 1 (\w+) (\w+|-) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\w+|-) (sound|lost) *([0-9a-f]{8})\n$/;

export function lifePath(path: string): string {
  return `${path}.life`;
}

function formatRecord({ present, next, last, base, log, isLost }: LifeRecord): string {
  const marks = [last, base].flatMap((mark) => [mark.commits, mark.workspaceId, mark.version]);
  const state = isLost ? 'lost' : 'sound';
  const fields = ['animal-store-life', 1, present, next ?? '-', ...marks, log ?? '-', state];
  const text = fields.join(' ').padEnd(recordBytes - 9);
  return `${text}${checksum(text)}\n`;
}

/** Returns undefined for a text that is no whole record. */
function parseRecord(text: string): LifeRecord | undefined {
  const [, present, next, commits, id, version, baseCommits, baseId, baseVersion, log, state, sum] =
    recordPattern.exec(text) ?? [];
  if (present === undefined || sum !== checksum(text.slice(0, -9))) return undefined;
  const markOf = (count = '', workspaceId = '', at = ''): CommitMark => ({
    commits: Number(count),
    workspaceId: BigInt(workspaceId),
    version: BigInt(at),
  });
  return {
    present,
    next: next === '-' ? undefined : next,
    last: markOf(commits, id, version),
    base: markOf(baseCommits, baseId, baseVersion),
    log: log === '-' ? undefined : log,
    isLost: state === 'lost',
  };
}

function checksum(text: string): string {
  return Bun.hash.crc32(text).toString(16).padStart(8, '0');
}

/** Reads `NAME.life`. A file that is missing, unreadable, empty or damaged is undefined. */
export function readLifeRecord(path: string): LifeRecord | undefined {
  try {
    const file = openSync(lifePath(path), 'r');
    try {
      return readRecord(file);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function readRecord(file: number): LifeRecord | undefined {
  const bytes = Buffer.alloc(recordBytes + 1);
  const count = readSync(file, bytes, 0, recordBytes + 1, 0);
  return parseRecord(bytes.toString('latin1', 0, count));
}

/** Replaces `NAME.life` as a whole, and returns when it is on disk. It gets the owner of the data file. */
export function replaceLifeRecord(path: string, record: LifeRecord): void {
  const name = lifePath(path);
  const partial = `${name}.partial`;
  removeIfThere(partial);
  const file = openSync(partial, 'wx', 0o600);
  try {
    writeSync(file, formatRecord(record));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  copyOwner(path, partial);
  renameSync(partial, name);
  flush(dirname(name));
}

function copyOwner(from: string, to: string): void {
  const found = statSync(from, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (process.getuid?.() !== 0) return;
  try {
    lchownSync(to, found.uid, found.gid);
  } catch {
    // Not every file system has owners, and root of a container cannot give files to every user.
  }
}

const lockExclusive = 2;
const lockNonBlocking = 4;
const unlock = 8;

let library: ReturnType<typeof openFlock> | undefined;

function openFlock() {
  return openSystemLibrary({
    flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
  });
}

/** Another process has the lock for microseconds, unless it was stopped. */
const lockTriesMax = 1000;

/**
 * Changes `NAME.life` in place, without a flush: the change survives a kill, and after a power cut the record can only be older.
 * `change` gets the record as it is, so that two processes do not undo the changes of each other. Returns whether the record was
 * written.
 */
export function changeLifeRecord(
  file: number,
  change: (found: LifeRecord | undefined) => LifeRecord | undefined,
): boolean {
  library ??= openFlock();
  // Without such a lock, two processes that commit within a microsecond can leave the record of the earlier one.
  const isLocked = library === undefined || takeLock(file, library.flock);
  if (!isLocked) return false;
  try {
    const record = change(readRecord(file));
    if (record !== undefined) writeSync(file, formatRecord(record), 0);
    return record !== undefined;
  } finally {
    library?.flock(file, unlock);
  }
}

function takeLock(file: number, flock: (file: number, operation: number) => number): boolean {
  for (let tries = 0; tries < lockTriesMax; tries += 1) {
    if (flock(file, lockExclusive | lockNonBlocking) === 0) return true;
  }
  return false;
}
