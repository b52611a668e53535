import { fstatSync, readSync } from 'node:fs';
import { autoCheckpointPages } from '../connection.ts';
import { openDescriptor } from './descriptor.ts';
import type { OpenFiles } from './open-files.ts';
import { createPageSample } from './page-sample.ts';
import {
  createReadIndex,
  frameHeaderBytes,
  logHeaderBytes,
  type ReadIndex,
  readFramePages,
  type WalIndex,
} from './wal-index.ts';

// Finds that a data file or its log was emptied, cut or overwritten while this process has it open. SQLite does not notice that
// before it needs what is gone. It would acknowledge commits that no recovery finds, and a checkpoint would copy wrong pages.

/** How often the files are read again while another process commits or checkpoints in between. */
const triesMax = 20;

/** More pages than nearly every group of commands adds to the log. */
const groupPagesMax = 500;

/** SQLite never uses the page that has this byte (https://sqlite.org/fileformat2.html#the_lock_byte_page). */
const lockByteOffset = 2 ** 30;

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
  let known: WalIndex | undefined;
  let named: WalIndex | undefined;
  let name: string | undefined;

  /** Reads the index before and after a check, so that a commit of another process in between is no fault. */
  function check(isIntact: (index: WalIndex) => Fault | undefined): Fault | undefined {
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
  function findRegression(index: WalIndex): Fault | undefined {
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
      return check((index) => logCheck.findBehind(index, before) ?? fileCheck.find(index, before));
    },
    hasAllPages: () => fileCheck.hasAllPages(known),
    /** The frames of the log at the last check. */
    logPages: () => known?.frameCount ?? 0,
    /** Whether the next commit can checkpoint the log, which must not copy wrong pages. */
    isLong: () => (known?.frameCount ?? 0) > autoCheckpointPages - groupPagesMax,
    /** Identifies the log, in hexadecimal. */
    walName(): string | undefined {
      if (known !== undefined && !isSameLog(known, named)) {
        named = known;
        name = `${toHex(known.salt)}${toHex(known.moreSalt)}`;
      }
      return name;
    },
    /** What has happened since the last check. A checkpoint, of this process too, changes the data file, and no content. */
    findChange(): 'none' | 'checkpoint' | 'commit' {
      const index = readIndex();
      if (typeof index !== 'object' || known === undefined) return 'commit';
      if (!isSameCommit(known, index)) return 'commit';
      return isSameCheckpoint(known, index) ? 'none' : 'checkpoint';
    },
  };
}

function isSameState(one: WalIndex, other: WalIndex | 'isShort' | undefined): boolean {
  return typeof other === 'object' && isSameCommit(one, other) && isSameCheckpoint(one, other);
}

/** Whether no process has committed between two states. */
function isSameCommit(one: WalIndex, other: WalIndex): boolean {
  return (
    isSameLog(one, other) &&
    one.frameCount === other.frameCount &&
    one.checksum === other.checksum &&
    one.moreChecksum === other.moreChecksum
  );
}

function isSameLog({ salt, moreSalt }: WalIndex, other: WalIndex | undefined): boolean {
  return other !== undefined && salt === other.salt && moreSalt === other.moreSalt;
}

/** The name of the log in a file, as `walName` returns it; undefined without one. */
export function readWalName(path: string): string | undefined {
  using file = openDescriptor(path, 'r');
  const header = Buffer.alloc(logHeaderBytes);
  if (readSync(file.descriptor, header, 0, logHeaderBytes, 0) < logHeaderBytes) return undefined;
  return `${toHex(header.readUInt32LE(16))}${toHex(header.readUInt32LE(20))}`;
}

function toHex(word: number): string {
  return word.toString(16).padStart(8, '0');
}

function isSameCheckpoint(one: WalIndex, other: WalIndex): boolean {
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

  function hasHeader({ salt, moreSalt }: WalIndex): boolean {
    const count = readSync(log, header, 0, logHeaderBytes, 0);
    return (
      count === logHeaderBytes &&
      header.readUInt32LE(16) === salt &&
      header.readUInt32LE(20) === moreSalt
    );
  }

  /** Whether the last frame of this state is in the log. */
  function hasLastFrame(index: WalIndex): boolean {
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
  const isNeeded = ({ frameCount, copiedFrames }: WalIndex) => frameCount > copiedFrames;

  return {
    find: (index: WalIndex): Fault | undefined =>
      !isNeeded(index) || (hasHeader(index) && hasLastFrame(index)) ? undefined : fault,
    /** The same for the frame before a transaction that this process has just committed. */
    findBehind(index: WalIndex, before: WalIndex | undefined): Fault | undefined {
      if (!isNeeded(index)) return undefined;
      const isContinued = before !== undefined && before.frameCount > 0 && isSameLog(index, before);
      // A transaction that begins a log writes its header. In an emptied log, the frame before it is missing.
      return (isContinued ? hasLastFrame(before) : hasHeader(index)) ? undefined : fault;
    },
  };
}

/** The data file changes only by checkpoints, which the index shows. */
function createFileCheck(files: OpenFiles) {
  const { path, file, index: indexFile } = files;
  const sample = createPageSample(files);
  const fault: Fault = { text: `${path} was emptied, cut or overwritten`, isLoss: true };
  let checked: { index: WalIndex; bytes: number; modifiedAt: number } | undefined;

  /** Whether the file has all pages that are not in the log. */
  function hasAllPages(index: WalIndex, bytes: number): boolean {
    const { pageBytes, frameCount, copiedFrames } = index;
    const pageCount = index.pageCount > 0 ? index.pageCount : readPageCount();
    const pagesInFile = Math.floor(bytes / pageBytes);
    if (pagesInFile >= pageCount) return true;
    const inLog = new Set(readFramePages(indexFile, copiedFrames + 1, frameCount));
    const unused = Math.floor(lockByteOffset / pageBytes) + 1;
    for (let page = pagesInFile + 1; page <= pageCount; page += 1) {
      if (page !== unused && !inLog.has(page)) return false;
    }
    return true;
  }

  function readPageCount(): number {
    const header = Buffer.alloc(32);
    // An empty file has no pages, except before its first commit.
    return readSync(file, header, 0, 32, 0) < 32 ? 1 : header.readUInt32BE(28);
  }

  /** Whether no checkpoint can have changed the file since the last check. `before` is the state that this process continued. */
  function isUntouched(index: WalIndex, before: WalIndex | undefined): boolean {
    if (checked === undefined) return false;
    if (isSameCheckpoint(checked.index, index)) return true;
    // The commit of this process has restarted a log that was copied completely, and nothing of the new one is copied.
    const isRestart = before !== undefined && isSameCheckpoint(checked.index, before);
    return isRestart && before.frameCount === before.copiedFrames && index.begunFrames === 0;
  }

  return {
    /** Whether each page is in the file or in the log. One in neither can only be free, and never written. */
    hasAllPages: (index: WalIndex | undefined): boolean =>
      index === undefined || hasAllPages(index, fstatSync(file).size),
    find(index: WalIndex, before?: WalIndex): Fault | undefined {
      const { size: bytes, mtimeMs: modifiedAt } = fstatSync(file);
      const isSame = checked !== undefined && isSameCheckpoint(checked.index, index);
      if (isSame && checked?.bytes === bytes && checked.modifiedAt === modifiedAt) return undefined;
      // A checkpoint is running, or its process was killed. The next one completes it.
      const isCopying = index.begunFrames > index.copiedFrames && index.frameCount > 0;
      if (!hasAllPages(index, bytes)) return isCopying && bytes > 0 ? undefined : fault;
      if (isCopying) return undefined;
      // Without a checkpoint, only the time may have changed.
      const isIntact = isUntouched(index, before) ? sample.isIntact() : sample.take(index);
      if (!isIntact) return fault;
      checked = { index, bytes, modifiedAt };
      return undefined;
    },
  };
}
