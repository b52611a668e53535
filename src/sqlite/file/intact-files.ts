import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { autoCheckpointPages } from '../connection.ts';
import { createReadIndex, type LogIndex, type ReadIndex, readFramePages } from './log-index.ts';

// Finds that a data file or its log was emptied, cut or overwritten while this process has it open. SQLite does not notice that
// before it needs what is gone. It would acknowledge commits that no recovery finds, and a checkpoint would copy wrong pages.

// https://sqlite.org/fileformat2.html#walformat
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

/** How often the files are read again while another process commits or checkpoints in between. */
const triesMax = 20;

/** More pages than nearly every group of commands adds to the log. */
const groupPagesMax = 500;

/** The newest pages that a checkpoint copied. An older copy of the file has others. */
const sampledPages = 16;

/** The open files of a database. They stay open until all connections of the process are closed. */
export interface OpenFiles {
  readonly path: string;
  readonly file: number;
  readonly log: number;
  readonly index: number;
}

/** Opens the files. Closing one of them ends all locks of SQLite in this process, so it is done after the last connection. */
export function openFiles(path: string): OpenFiles & Disposable {
  using opening = new DisposableStack();
  const open = (suffix: string) => {
    const file = openSync(path + suffix, 'r');
    opening.defer(() => closeSync(file));
    return file;
  };
  const files = { path, file: open(''), log: open('-wal'), index: open('-shm') };
  const opened = opening.move();
  return { ...files, [Symbol.dispose]: () => opened.dispose() };
}

/** A change of a file by another program. */
export interface Fault {
  /** What was changed, for a line. */
  readonly text: string;
  /** Whether acknowledged commits can be missing. SQLite makes the index again from the log. */
  readonly isLoss: boolean;
}

/** Returns functions that check the files of a database. Each returns the first fault. */
export function createIntactCheck(
  files: OpenFiles,
  readIndex: ReadIndex = createReadIndex(files.index),
) {
  const { path } = files;
  const logCheck = createLogCheck(files);
  const fileCheck = createFileCheck(files);
  let known: LogIndex | undefined;
  let named: LogIndex | undefined;
  let name: string | undefined;

  /** Reads the index before and after a check, so that a commit of another process in between is no fault. */
  function check(isIntact: (index: LogIndex) => Fault | undefined): Fault | undefined {
    let fault: Fault | undefined;
    for (let tries = 0; tries < triesMax; tries += 1) {
      const index = readIndex();
      if (index === 'isShort') return indexFault('emptied or cut');
      // Another process is changing it, or was killed during that. SQLite then builds it again.
      if (index === undefined) return undefined;
      fault = findRegression(index) ?? isIntact(index);
      if (fault === undefined) {
        known = index;
        return undefined;
      }
      if (isSameState(index, readIndex())) return fault;
    }
    return fault;
  }

  /** Until it restarts with other salts, the log only grows. */
  function findRegression(index: LogIndex): Fault | undefined {
    const isEarlier = isSameLog(index, known) && index.frameCount < (known?.frameCount ?? 0);
    return isEarlier ? indexFault('overwritten') : undefined;
  }

  const indexFault = (change: string): Fault => ({
    text: `${path}-shm was ${change}`,
    isLoss: false,
  });

  return {
    /** At any moment. After BEGIN, it also finds the state that the transaction continues. */
    checkFiles: () => check((index) => logCheck.find(index) ?? fileCheck.find(index)),
    /** After COMMIT. What the transaction continued must still be there. */
    committed(): Fault | undefined {
      const before = known;
      return check((index) => logCheck.findBehind(index, before) ?? fileCheck.find(index));
    },
    /** The frames of the log at the last check. */
    logPages: () => known?.frameCount ?? 0,
    /** Whether the next commit can checkpoint the log, which must not copy wrong pages. */
    isLong: () => (known?.frameCount ?? 0) > autoCheckpointPages - groupPagesMax,
    /** Identifies the log, in hexadecimal. */
    logName(): string | undefined {
      if (known !== undefined && !isSameLog(known, named)) {
        named = known;
        name = `${toHex(known.salt)}${toHex(known.moreSalt)}`;
      }
      return name;
    },
    /** Whether the index is as it was at the last check, so that no other process has committed since. */
    isUnchanged(): boolean {
      const index = readIndex();
      return known !== undefined && isSameState(known, index);
    },
  };
}

function isSameState(one: LogIndex, other: LogIndex | 'isShort' | undefined): boolean {
  return (
    typeof other === 'object' &&
    one.frameCount === other.frameCount &&
    one.checksum === other.checksum &&
    one.moreChecksum === other.moreChecksum &&
    isSameCheckpoint(one, other)
  );
}

/** Whether a log that was copied completely has restarted, and nothing of the new one was copied. */
function isRestartOf(index: LogIndex, before: LogIndex | undefined): boolean {
  if (before === undefined || before.frameCount !== before.copiedFrames) return false;
  return !isSameLog(index, before) && index.copiedFrames === 0 && index.begunFrames === 0;
}

function isSameLog({ salt, moreSalt }: LogIndex, other: LogIndex | undefined): boolean {
  return other !== undefined && salt === other.salt && moreSalt === other.moreSalt;
}

/** The name of the log in a file, as `logName` returns it; undefined without one. */
export function readLogName(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(logHeaderBytes);
    if (readSync(file, header, 0, logHeaderBytes, 0) < logHeaderBytes) return undefined;
    return `${toHex(header.readUInt32LE(16))}${toHex(header.readUInt32LE(20))}`;
  } finally {
    closeSync(file);
  }
}

function toHex(word: number): string {
  return word.toString(16).padStart(8, '0');
}

function isSameCheckpoint(one: LogIndex, other: LogIndex): boolean {
  return (
    isSameLog(one, other) &&
    one.copiedFrames === other.copiedFrames &&
    one.begunFrames === other.begunFrames
  );
}

function createLogCheck({ path, log }: OpenFiles) {
  const header = Buffer.alloc(logHeaderBytes);
  const frame = Buffer.alloc(frameHeaderBytes);
  const fault: Fault = { text: `${path}-wal was emptied, cut or overwritten`, isLoss: true };

  function hasHeader({ salt, moreSalt }: LogIndex): boolean {
    const count = readSync(log, header, 0, logHeaderBytes, 0);
    return (
      count === logHeaderBytes &&
      header.readUInt32LE(16) === salt &&
      header.readUInt32LE(20) === moreSalt
    );
  }

  /** Whether the last frame of this state is in the log. */
  function hasLastFrame(index: LogIndex): boolean {
    const { frameCount, pageBytes } = index;
    const offset = logHeaderBytes + (frameCount - 1) * (frameHeaderBytes + pageBytes);
    const count = readSync(log, frame, 0, frameHeaderBytes, offset);
    return (
      count === frameHeaderBytes &&
      frame.readUInt32LE(8) === index.salt &&
      frame.readUInt32LE(12) === index.moreSalt &&
      frame.readUInt32BE(16) === index.checksum &&
      frame.readUInt32BE(20) === index.moreChecksum
    );
  }

  /** A log that was copied to the data file completely is not needed any more. */
  const isNeeded = ({ frameCount, copiedFrames }: LogIndex) => frameCount > copiedFrames;

  return {
    find: (index: LogIndex): Fault | undefined =>
      !isNeeded(index) || (hasHeader(index) && hasLastFrame(index)) ? undefined : fault,
    /** The same for the frame before a transaction that this process has just committed. */
    findBehind(index: LogIndex, before: LogIndex | undefined): Fault | undefined {
      if (!isNeeded(index)) return undefined;
      const isContinued = before !== undefined && before.frameCount > 0 && isSameLog(index, before);
      // A transaction that begins a log writes its header. In an emptied log, the frame before it is missing.
      return (isContinued ? hasLastFrame(before) : hasHeader(index)) ? undefined : fault;
    },
  };
}

/** The data file changes only by checkpoints, which the index shows. */
function createFileCheck({ path, file, log, index: indexFile }: OpenFiles) {
  let checked: { index: LogIndex; bytes: number; modifiedAt: number } | undefined;
  let sample: { pages: readonly number[]; digest: number } = { pages: [1], digest: 0 };
  const fault: Fault = { text: `${path} was emptied, cut or overwritten`, isLoss: true };

  function digestOf(pages: readonly number[], pageBytes: number): number {
    let digest = 0;
    const bytes = Buffer.alloc(pageBytes);
    for (const page of pages) {
      const count = readSync(file, bytes, 0, pageBytes, (page - 1) * pageBytes);
      digest = Bun.hash.crc32(bytes.subarray(0, count), digest);
    }
    return digest;
  }

  /** Returns false if the file does not have what a checkpoint has copied to it. */
  function takeSample(index: LogIndex): boolean {
    const copied = findCopiedFrames(index);
    // A log that has restarted does not name the pages of the last one. They are still the newest.
    const pages = copied.size > 0 ? [...copied.keys()] : sample.pages;
    sample = { pages, digest: digestOf(pages, index.pageBytes) };
    return copied.size === 0 || sample.digest === digestOfFrames([...copied.values()], index);
  }

  /** The newest pages that a checkpoint has copied, each with the number of its frame. */
  function findCopiedFrames(index: LogIndex): ReadonlyMap<number, number> {
    const { copiedFrames, frameCount, pageCount } = index;
    const first = Math.max(1, copiedFrames - sampledPages + 1);
    const copied = new Map<number, number>();
    if (copiedFrames === 0) return copied;
    for (const [place, page] of readFramePages(indexFile, first, copiedFrames).entries()) {
      if (page <= pageCount) copied.set(page, first + place);
    }
    // A page with a later frame was not copied.
    const later = readFramePages(indexFile, copiedFrames + 1, frameCount);
    for (const page of later) copied.delete(page);
    return copied;
  }

  function digestOfFrames(frames: readonly number[], { pageBytes }: LogIndex): number {
    const bytes = Buffer.alloc(pageBytes);
    return frames.reduce((digest, frame) => {
      const position = logHeaderBytes + frame * (frameHeaderBytes + pageBytes) - pageBytes;
      const count = readSync(log, bytes, 0, pageBytes, position);
      return Bun.hash.crc32(bytes.subarray(0, count), digest);
    }, 0);
  }

  /** Whether the file has all pages that are not in the log. */
  function hasAllPages(index: LogIndex, bytes: number): boolean {
    const { pageBytes, frameCount, copiedFrames } = index;
    const pageCount = index.pageCount > 0 ? index.pageCount : readPageCount();
    const pagesInFile = Math.floor(bytes / pageBytes);
    if (pagesInFile >= pageCount) return true;
    const inLog = new Set(readFramePages(indexFile, copiedFrames + 1, frameCount));
    for (let page = pagesInFile + 1; page <= pageCount; page += 1) {
      if (!inLog.has(page)) return false;
    }
    return true;
  }

  function readPageCount(): number {
    const header = Buffer.alloc(32);
    // An empty file has no pages, except before its first commit.
    return readSync(file, header, 0, 32, 0) < 32 ? 1 : header.readUInt32BE(28);
  }

  return {
    find(index: LogIndex): Fault | undefined {
      const { size: bytes, mtimeMs: modifiedAt } = fstatSync(file);
      const isSame = checked !== undefined && isSameCheckpoint(checked.index, index);
      if (isSame && checked?.bytes === bytes && checked.modifiedAt === modifiedAt) return undefined;
      // A checkpoint is running, or its process was killed. The next one completes it.
      const isCopying = index.begunFrames > index.copiedFrames && index.frameCount > 0;
      if (!hasAllPages(index, bytes)) return isCopying && bytes > 0 ? undefined : fault;
      if (isCopying) return undefined;
      // Without a checkpoint, only the time may have changed.
      const isCopied = !isSame && !isRestartOf(index, checked?.index);
      if (isCopied && !takeSample(index)) return fault;
      if (!isCopied && digestOf(sample.pages, index.pageBytes) !== sample.digest) return fault;
      checked = { index, bytes, modifiedAt };
      return undefined;
    },
  };
}
