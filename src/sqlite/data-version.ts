import { type Pointer, toArrayBuffer } from 'bun:ffi';
import type { DataVersion } from '../storage/contract/database.ts';
import type { Connection } from './connection.ts';
import { translateError } from './errors.ts';
import { mapFile } from './life/map-file.ts';
import { createOwnCommits } from './writer/own-commits.ts';

/**
 * Returns numbers that change with commits of other connections, of this process and others. They are read for each request,
 * because Bun may serve requests for tens of milliseconds in one turn of the event loop.
 */
export function createDataVersion(
  connection: Connection,
  index: ReturnType<typeof openWalIndex>,
): Pick<DataVersion, 'dataVersion' | 'accessVersion'> {
  const select = connection.query<{ data_version: bigint }, []>('PRAGMA data_version');
  // Versions of SQLite are negative, and those of its index positive.
  return {
    dataVersion: () => index?.version() ?? -askSqlite(),
    accessVersion: () => index?.accessVersion() ?? -askSqlite(),
  };

  function askSqlite(): number {
    try {
      return Number(select.get()?.data_version);
    } catch (error) {
      throw translateError(error);
    }
  }
}

// Offsets in the header of the log's index (https://sqlite.org/walformat.html, section 2.1). It shows the latest commit to every
// process. A writer changes it last, before its commit returns. The state of checkpoints follows it.
const headerBytes = 136;
const isInitByte = 12;
const lastFrameWord = 4;
/** The change counter, the last frame and two checksums: together, they identify a commit. */
const commitWords = [2, lastFrameWord, 10, 11] as const;
const checkpointedFramesWord = 24;

/**
 * Maps the open index of a log into memory; undefined if that fails. Dispose of it only when all connections are closed, and before the
 * file is closed (docs/decisions/caching.md).
 */
export function openWalIndex(file: number) {
  const map = mapFile(file, headerBytes, 'read');
  if (map === undefined) return undefined;
  let isOpen = true;
  const ownCommits = createOwnCommits();
  const versions = createVersions(map.memory, ownCommits.accessCountAt);
  const words = new Uint32Array(map.memory);
  return {
    /** A number that changes with every commit; undefined if the header is not valid now. */
    version: () => (isOpen ? versions.version() : undefined),
    /** The same, except for commits of the writer thread that change no key, session or workspace. */
    accessVersion: () => (isOpen ? versions.accessVersion() : undefined),
    /** The pages of the log, and how many of them were copied to the file. Both are 0 if that is unknown. */
    pages: () => ({
      written: (isOpen && words[lastFrameWord]) || 0,
      checkpointed: (isOpen && words[checkpointedFramesWord]) || 0,
    }),
    /** What the writer thread needs to share its commits. */
    shared: [map.address, ownCommits.memory] as const,
    [Symbol.dispose]() {
      isOpen = false;
      map[Symbol.dispose]();
    },
  };
}

/** Reads the words that identify the latest commit, where another thread has mapped them. */
export function createReadCommit(address: Pointer): () => readonly number[] {
  const words = new Uint32Array(toArrayBuffer(address, 0, headerBytes));
  return () => commitWords.map((word) => words[word] ?? 0);
}

function createVersions(
  header: ArrayBuffer,
  accessCountAt: (commit: readonly number[]) => number | undefined,
) {
  const bytes = new Uint8Array(header);
  const words = new Uint32Array(header);
  const [counter, lastFrame, first, second] = commitWords;
  let seen: readonly number[] = [];
  let version = 0;
  let accessVersion = 0;
  let accessVersionOf = 0;

  /** Returns false while the index is being rebuilt. */
  function update(): boolean {
    if (bytes[isInitByte] !== 1) return false;
    if (
      seen[0] !== words[counter] ||
      seen[1] !== words[lastFrame] ||
      seen[2] !== words[first] ||
      seen[3] !== words[second]
    ) {
      seen = commitWords.map((word) => words[word] ?? 0);
      version += 1;
    }
    return true;
  }

  return {
    version: () => (update() ? version : undefined),
    accessVersion() {
      if (!update()) return undefined;
      if (accessVersionOf !== version) {
        accessVersionOf = version;
        const accessCount = accessCountAt(seen);
        // Even after a commit of the writer thread, and odd after another, so that the two are never equal.
        accessVersion = accessCount === undefined ? 2 * version + 1 : 2 * accessCount;
      }
      return accessVersion;
    },
  };
}
