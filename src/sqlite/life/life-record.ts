import { fsyncSync, readSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { openDescriptor } from '../file/descriptor.ts';
import { flush, giveToOwnerOf, isThere, removeIfThere } from '../file/file-system.ts';
import { openFlock } from '../file/flock.ts';

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
  /** The highest number that a restore has given a counter of ids. A later one starts above it, also without that data. */
  readonly idMax: bigint;
  /** Whether a server found that the data file or its log was overwritten. */
  readonly isLost: boolean;
}

export const noCommit: CommitMark = { commits: 0, workspaceId: 0n, version: 0n };

/** The life of data without a table `life`. */
export const noLife = 'none';

/** The record of data without a life and without a commit. */
export const emptyRecord: LifeRecord = {
  present: noLife,
  next: undefined,
  last: noCommit,
  base: noCommit,
  log: undefined,
  idMax: 0n,
  isLost: false,
};

// The file has two records, each a line of a fixed length in a sector of its own. A change writes the older one, so that a process
// that is killed during it leaves the other.
const slotBytes = 512;
const slotCount = 2;
/** The size of the file. */
export const lifeBytes = slotBytes * slotCount;

const title = 'animal-store-life 1 ';
const numberDigits = 19;
const checksumDigits = 8;
/** Without the checksum and the end of the line. */
const textBytes = slotBytes - checksumDigits - 1;

const recordPattern =
  /^animal-store-life 1 (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\w+) (\w+|-) (\w+|-) (sound|lost) *([0-9a-f]{8})\n$/;

/** A record, and where it is. */
interface Slot {
  readonly record: LifeRecord;
  readonly place: LifePlace;
}

/** A later record has a higher number. */
export interface LifePlace {
  readonly number: number;
  readonly slot: number;
}

export function lifePath(path: string): string {
  return `${path}.life`;
}

function formatMark({ commits, workspaceId, version }: CommitMark): string {
  return `${digits(commits)} ${digits(workspaceId)} ${digits(version)} `;
}

function digits(value: number | bigint): string {
  return String(value).padStart(numberDigits, '0');
}

function formatRecord(record: LifeRecord, number: number): Buffer {
  const { present, next = '-', last, base, log = '-', idMax, isLost } = record;
  const names = `${present} ${next} ${log} ${isLost ? 'lost' : 'sound'}`;
  const marks = `${formatMark(last)}${formatMark(base)}${digits(idMax)}`;
  const text = Buffer.from(`${title}${digits(number)} ${marks} ${names}`.padEnd(textBytes));
  return Buffer.concat([text, Buffer.from(`${checksum(text)}\n`)]);
}

/** Returns undefined for bytes that are no whole record. */
function parseRecord(bytes: Buffer, slot: number): Slot | undefined {
  const [, number, ...fields] = recordPattern.exec(bytes.toString('latin1')) ?? [];
  const sum = fields.pop();
  if (number === undefined || sum !== checksum(bytes.subarray(0, textBytes))) return undefined;
  const [commits, id, version, baseCommits, baseId, baseVersion, idMax, ...names] = fields;
  const [present, next, log, state] = names;
  const markOf = (count = '', workspaceId = '', at = ''): CommitMark => ({
    commits: Number(count),
    workspaceId: BigInt(workspaceId),
    version: BigInt(at),
  });
  const record: LifeRecord = {
    present: present ?? noLife,
    next: next === '-' ? undefined : next,
    last: markOf(commits, id, version),
    base: markOf(baseCommits, baseId, baseVersion),
    log: log === '-' ? undefined : log,
    idMax: BigInt(idMax ?? 0),
    isLost: state === 'lost',
  };
  return { record, place: { number: Number(number), slot } };
}

function checksum(bytes: Buffer): string {
  return Bun.hash.crc32(bytes).toString(16).padStart(checksumDigits, '0');
}

/** A server changes a record in less than a microsecond. */
const readTriesMax = 10;

/** Reads `NAME.life`. A file that is missing, unreadable, empty or damaged is undefined. */
export function readLifeRecord(path: string): LifeRecord | undefined {
  try {
    using file = openDescriptor(lifePath(path), 'r');
    return readNewest(file.descriptor)?.record;
  } catch {
    return undefined;
  }
}

/** The later one of the whole records. */
function readNewest(file: number): Slot | undefined {
  const bytes = Buffer.alloc(lifeBytes);
  for (let tries = 0; tries < readTriesMax; tries += 1) {
    if (readSync(file, bytes, 0, lifeBytes, 0) < slotBytes) return undefined;
    const [one, other] = [0, 1].map((slot) =>
      parseRecord(bytes.subarray(slot * slotBytes, (slot + 1) * slotBytes), slot),
    );
    if (one === undefined && other === undefined) continue;
    if (one === undefined || other === undefined) return one ?? other;
    return one.place.number > other.place.number ? one : other;
  }
  return undefined;
}

/** Replaces `NAME.life` as a whole, and returns when it is on disk. It gets the owner of the data file. */
export function replaceLifeRecord(path: string, record: LifeRecord): void {
  const name = lifePath(path);
  const partial = `${name}.partial`;
  removeIfThere(partial);
  {
    using file = openDescriptor(partial, 'wx', 0o600);
    const bytes = Buffer.alloc(lifeBytes);
    formatRecord(record, 1).copy(bytes);
    writeSync(file.descriptor, bytes);
    fsyncSync(file.descriptor);
  }
  if (isThere(path)) giveToOwnerOf(path, partial);
  renameSync(partial, name);
  flush(dirname(name));
}

/** Another process has the lock for microseconds, unless it was stopped. */
const lockTriesMax = 1000;

/**
 * Changes `NAME.life` in place, without a flush: the change survives a kill, and after a power cut the record can only be older.
 * `change` gets the record as it is, so that two processes do not undo the changes of each other. Returns where the record was
 * written; undefined if it was not.
 */
export function changeLifeRecord(
  file: number,
  change: (found: LifeRecord | undefined) => LifeRecord | undefined,
): LifePlace | undefined {
  const flock = openFlock();
  // Without such a lock, two processes that commit within a microsecond can leave the record of the earlier one.
  if (flock !== undefined && !takeLock(file, flock)) return undefined;
  try {
    const found = readNewest(file);
    const record = change(found?.record);
    if (record === undefined) return undefined;
    const place = nextPlace(found?.place);
    writeSync(file, formatRecord(record, place.number), 0, slotBytes, place.slot * slotBytes);
    return place;
  } finally {
    flock?.unlock(file);
  }
}

function nextPlace(last: LifePlace = { number: 0, slot: 1 }): LifePlace {
  return { number: last.number + 1, slot: (last.slot + 1) % slotCount };
}

/** Writes a record to memory that has the file, while no other process writes one. */
export function writeLifeRecord(
  memory: Uint8Array,
  record: LifeRecord,
  last: LifePlace,
): LifePlace {
  const place = nextPlace(last);
  memory.set(formatRecord(record, place.number), place.slot * slotBytes);
  return place;
}

function takeLock(file: number, { tryLock }: NonNullable<ReturnType<typeof openFlock>>): boolean {
  for (let tries = 0; tries < lockTriesMax; tries += 1) {
    if (tryLock(file)) return true;
  }
  return false;
}
