import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type LogIndex, readFramePages, readLogIndex } from './log-index.ts';

// Finds that a data file or its log was emptied, cut or overwritten while this process has it open. SQLite does not notice that
// before it needs what is gone. It would acknowledge commits that no recovery finds, and a checkpoint would copy wrong pages.

// https://sqlite.org/fileformat2.html#walformat
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

/** How often the files are read again while another process commits or checkpoints in between. */
const triesMax = 20;

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

/** Where a check can read the index. */
export type ReadIndex = () => LogIndex | 'isShort' | undefined;

/** A change of a file by another program. */
export interface Fault {
  /** What was changed, for a line. */
  readonly text: string;
  /** Whether acknowledged commits can be missing. SQLite makes the index again from the log. */
  readonly isLoss: boolean;
}

/** Returns functions that check the files of a database. Each returns the first fault. */
export function createIntactCheck(
  { path, file, log, index: indexFile }: OpenFiles,
  readIndex: ReadIndex = () => readLogIndex(indexFile),
) {
  const logCheck = createLogCheck(path, log);
  const fileCheck = createFileCheck(path, file, indexFile);
  let known: LogIndex | undefined;

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
    /** Identifies the log, in hexadecimal. */
    logName: () =>
      known?.salts.map((salt) => salt.toString(16).padStart(8, '0')).join('') ?? undefined,
  };
}

function isSameState(one: LogIndex, other: LogIndex | 'isShort' | undefined): boolean {
  return (
    typeof other === 'object' &&
    one.frameCount === other.frameCount &&
    one.checksum[0] === other.checksum[0] &&
    one.checksum[1] === other.checksum[1] &&
    isSameCheckpoint(one, other)
  );
}

function isSameLog({ salts }: LogIndex, other: LogIndex | undefined): boolean {
  return other !== undefined && salts[0] === other.salts[0] && salts[1] === other.salts[1];
}

function isSameCheckpoint(one: LogIndex, other: LogIndex): boolean {
  return (
    isSameLog(one, other) &&
    one.copiedFrames === other.copiedFrames &&
    one.begunFrames === other.begunFrames
  );
}

function createLogCheck(path: string, log: number) {
  const header = Buffer.alloc(logHeaderBytes);
  const frame = Buffer.alloc(frameHeaderBytes);
  const fault: Fault = { text: `${path}-wal was emptied, cut or overwritten`, isLoss: true };

  function hasHeader({ salts }: LogIndex): boolean {
    const count = readSync(log, header, 0, logHeaderBytes, 0);
    return (
      count === logHeaderBytes &&
      header.readUInt32BE(16) === salts[0] &&
      header.readUInt32BE(20) === salts[1]
    );
  }

  /** Whether the last frame of this state is in the log. */
  function hasLastFrame({ frameCount, pageBytes, salts, checksum }: LogIndex): boolean {
    const offset = logHeaderBytes + (frameCount - 1) * (frameHeaderBytes + pageBytes);
    const count = readSync(log, frame, 0, frameHeaderBytes, offset);
    return (
      count === frameHeaderBytes &&
      frame.readUInt32BE(8) === salts[0] &&
      frame.readUInt32BE(12) === salts[1] &&
      frame.readUInt32BE(16) === checksum[0] &&
      frame.readUInt32BE(20) === checksum[1]
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
      return hasHeader(index) && (!isContinued || hasLastFrame(before)) ? undefined : fault;
    },
  };
}

/** The data file changes only by checkpoints, which the index shows. */
function createFileCheck(path: string, file: number, indexFile: number) {
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

  function takeSample(index: LogIndex): void {
    const { copiedFrames, pageBytes } = index;
    const first = Math.max(1, copiedFrames - sampledPages + 1);
    // A log that has restarted does not name the pages of the last one. They are still the newest.
    const pages = copiedFrames > 0 ? readFramePages(indexFile, first, copiedFrames) : sample.pages;
    sample = { pages, digest: digestOf(pages, pageBytes) };
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
      if (isSame && digestOf(sample.pages, index.pageBytes) !== sample.digest) return fault;
      if (!isSame) takeSample(index);
      checked = { index, bytes, modifiedAt };
      return undefined;
    },
  };
}
