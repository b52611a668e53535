import { readSync } from 'node:fs';

// Of the log itself (https://sqlite.org/fileformat2.html#walformat).
export const logHeaderBytes = 32;
export const frameHeaderBytes = 24;

// The header of the index of the log, which SQLite keeps in the file NAME-shm (https://sqlite.org/walformat.html, section 2.1).
// Its numbers have the byte order of the machine. This program runs on little-endian machines only.

/** The header twice, then the state of checkpoints. */
export const indexBytes = 136;
const indexWords = indexBytes / 4;
/** The header has a checksum of itself in its last words. */
const headerWords = 12;
export const isInitByte = 12;
export const frameCountWord = 4;
export const copiedFramesWord = 24;
/**
 * The change counter, the number of frames and the checksum of the header: together, they identify a commit. The header shows it to
 * every process. A writer changes it last, before its commit returns.
 */
export const commitWords = [2, frameCountWord, 10, 11] as const;

const firstBlockOffset = indexBytes;
const blockBytes = 32_768;
const blockPages = 4096;
/** In the first block, the header takes the place of the first numbers. */
const firstBlockPages = blockPages - indexWords;

/** What the index says of the log and of the data file after the latest commit. */
export interface WalIndex {
  readonly pageBytes: number;
  /** The frames of the log. 0 if the log has restarted or does not exist. */
  readonly frameCount: number;
  /** The pages of the database; 0 if only the data file knows it. */
  readonly pageCount: number;
  /** The checksum of the last frame: two numbers. */
  readonly checksum: number;
  readonly moreChecksum: number;
  /** Two numbers that are in the header and in each frame of the log, in the byte order of the log. They change when it restarts. */
  readonly salt: number;
  readonly moreSalt: number;
  /** The frames that a checkpoint has copied to the data file. */
  readonly copiedFrames: number;
  /** The frames that a checkpoint has begun to copy. */
  readonly begunFrames: number;
}

/** Another process changes the index in less than a microsecond, unless it was stopped or killed at this moment. */
const triesMax = 100;

/** Where a check can read the index: undefined while another process changes it. `isShort` means that the file was emptied or cut. */
export type ReadIndex = () => WalIndex | 'isShort' | undefined;

/** Reads the index from its file. */
export function createReadIndex(file: number): ReadIndex {
  const words = new Uint32Array(indexWords);
  const bytes = new Uint8Array(words.buffer);
  return () => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      if (readSync(file, bytes, 0, indexBytes, 0) < indexBytes) return 'isShort';
      const index = parseWalIndex(words);
      if (index !== undefined) return index;
    }
    return undefined;
  };
}

/** Reads the index from memory that has it. `read` distinguishes a change that is in progress from an index that is not valid. */
export function createReadMappedIndex(memory: ArrayBufferLike, read: ReadIndex): ReadIndex {
  const words = new Uint32Array(memory, 0, indexWords);
  const snapshot = new Uint32Array(indexWords);
  return () => {
    // Another process can change the memory between two reads of it, and two halves would be taken for one state.
    snapshot.set(words);
    return parseWalIndex(snapshot) ?? read();
  };
}

/** Undefined while another process changes the index, and before it is complete. */
function parseWalIndex(words: Uint32Array): WalIndex | undefined {
  const word = (at: number) => words[at] ?? 0;
  const flags = word(3);
  for (let at = 0; at < headerWords; at += 1) {
    if (words[at] !== words[at + headerWords]) return undefined;
  }
  if ((flags & 0xff) !== 1) return undefined;
  const pageSize = flags >>> 16;
  return {
    // 1 stands for 65 536.
    pageBytes: (pageSize & 0xfe00) + ((pageSize & 1) << 16),
    frameCount: word(frameCountWord),
    pageCount: word(5),
    checksum: word(6),
    moreChecksum: word(7),
    salt: word(8),
    moreSalt: word(9),
    copiedFrames: word(copiedFramesWord),
    begunFrames: word(32),
  };
}

/** The frames of the log that are not in the data file; 0 if that is unknown. */
export function countFramesLeft(index: ReturnType<ReadIndex>): number {
  return typeof index === 'object' ? index.frameCount - index.copiedFrames : 0;
}

/** The numbers of the pages in frames of the log, from `first` to `last`. Frames count from 1. */
export function readFramePages(file: number, first: number, last: number): readonly number[] {
  const pages: number[] = [];
  for (let block = 0; ; block += 1) {
    const blockFirst = block === 0 ? 1 : firstBlockPages + (block - 1) * blockPages + 1;
    if (blockFirst > last) return pages;
    const count = block === 0 ? firstBlockPages : blockPages;
    if (blockFirst + count <= first) continue;
    const bytes = Buffer.alloc(count * 4);
    const offset = block === 0 ? firstBlockOffset : block * blockBytes;
    const found = readSync(file, bytes, 0, bytes.length, offset);
    for (let index = 0; index * 4 + 4 <= found; index += 1) {
      const frame = blockFirst + index;
      if (frame >= first && frame <= last) pages.push(bytes.readUInt32LE(index * 4));
    }
  }
}
