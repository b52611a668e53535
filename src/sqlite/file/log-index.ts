import { readSync } from 'node:fs';

// The header of the index of the log, which SQLite keeps in the file NAME-shm (https://sqlite.org/walformat.html, section 2.1).
// Its numbers have the byte order of the machine. This program runs on little-endian machines only.

const headerBytes = 48;
/** The header twice, then the state of checkpoints. */
const readBytes = 136;
const firstBlockOffset = readBytes;
const blockBytes = 32_768;
const blockPages = 4096;
/** In the first block, the header takes the place of the first numbers. */
const firstBlockPages = blockPages - readBytes / 4;

/** What the index says of the log and of the data file after the latest commit. */
export interface LogIndex {
  readonly pageBytes: number;
  /** The frames of the log. 0 if the log has restarted or does not exist. */
  readonly frameCount: number;
  /** The pages of the database; 0 if only the data file knows it. */
  readonly pageCount: number;
  /** The checksum of the last frame, as two numbers. */
  readonly checksum: readonly [number, number];
  /** Two numbers in the header and each frame of the log. The first rises by one when the log restarts. */
  readonly salts: readonly [number, number];
  /** The frames that a checkpoint has copied to the data file. */
  readonly copiedFrames: number;
  /** The frames that a checkpoint has begun to copy. */
  readonly begunFrames: number;
}

/** Another process changes the index in less than a microsecond, unless it was stopped or killed at this moment. */
const triesMax = 100;

/** Parses the index; undefined while another process changes it, and before it is complete. */
export function parseLogIndex(bytes: Buffer): LogIndex | undefined {
  if (bytes[12] !== 1) return undefined;
  if (bytes.compare(bytes, headerBytes, 2 * headerBytes, 0, headerBytes) !== 0) return undefined;
  const pageSize = bytes.readUInt16LE(14);
  return {
    // 1 stands for 65 536.
    pageBytes: (pageSize & 0xfe00) + ((pageSize & 1) << 16),
    frameCount: bytes.readUInt32LE(16),
    pageCount: bytes.readUInt32LE(20),
    checksum: [bytes.readUInt32LE(24), bytes.readUInt32LE(28)],
    salts: [bytes.readUInt32BE(32), bytes.readUInt32BE(36)],
    copiedFrames: bytes.readUInt32LE(96),
    begunFrames: bytes.readUInt32LE(128),
  };
}

/** Reads the index from its file. `isShort` means that the file was emptied or cut. */
export function readLogIndex(file: number): LogIndex | 'isShort' | undefined {
  const bytes = Buffer.alloc(readBytes);
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (readSync(file, bytes, 0, readBytes, 0) < readBytes) return 'isShort';
    const index = parseLogIndex(bytes);
    if (index !== undefined) return index;
  }
  return undefined;
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
