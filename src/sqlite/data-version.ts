import { type Pointer, toArrayBuffer } from 'bun:ffi';
import type { DataVersion } from '../storage/contract/database.ts';
import type { Connection } from './connection.ts';
import { translateError } from './errors.ts';
import {
  commitWords,
  copiedFramesWord,
  frameCountWord,
  indexBytes,
  isInitByte,
} from './file/wal-index.ts';
import { mapFile } from './life/map-file.ts';

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

/**
 * Maps the open index of a log into memory; undefined if that fails. Dispose of it only when all connections are closed, and before the
 * file is closed (docs/decisions/caching.md).
 */
export function openWalIndex(file: number) {
  const map = mapFile(file, indexBytes, 'read');
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
      written: (isOpen && words[frameCountWord]) || 0,
      checkpointed: (isOpen && words[copiedFramesWord]) || 0,
    }),
    shared: { address: map.address, memory: ownCommits.memory } satisfies SharedIndex,
    [Symbol.dispose]() {
      isOpen = false;
      map[Symbol.dispose]();
    },
  };
}

/** What the writer thread needs to share its commits: where the index is mapped, and memory for the last commit. */
export interface SharedIndex {
  readonly address: Pointer;
  readonly memory: SharedArrayBuffer;
}

/** Reads the words that identify the latest commit, where another thread has mapped them. */
export function createReadCommit(address: Pointer): () => readonly number[] {
  const words = new Uint32Array(toArrayBuffer(address, 0, indexBytes));
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

// The writer thread shares its last commit with the serving thread through memory, because a commit is visible before a message
// about it arrives.

// The writer makes the sequence odd while it changes the other words.
const sequenceWord = 0;
const accessCountWord = 1;
const firstCommitWord = 2;
const commitWordCount = 4;
const sharedWordCount = firstCommitWord + commitWordCount;

/** The serving thread's side. */
export function createOwnCommits() {
  const memory = new SharedArrayBuffer(sharedWordCount * Uint32Array.BYTES_PER_ELEMENT);
  const shared = new Uint32Array(memory);
  return {
    memory,
    /**
     * The access count of a commit, if it is the last one of the writer thread. Keys, sessions and workspaces are the same in all
     * commits that have the same count.
     */
    accessCountAt(commit: readonly number[]): number | undefined {
      const sequence = Atomics.load(shared, sequenceWord);
      const accessCount = Atomics.load(shared, accessCountWord);
      const isLast = commit.every((word, index) => {
        return Atomics.load(shared, firstCommitWord + index) === word;
      });
      const isStable = sequence % 2 === 0 && Atomics.load(shared, sequenceWord) === sequence;
      return isLast && isStable && accessCount > 0 ? accessCount : undefined;
    },
  };
}

/**
 * The writer thread's side. The returned function shares the commit that has just been made. `keepsAccess` means that it changed no
 * key, session or workspace. `ownCount` is the number of all commits of the thread so far. Each commit of any process raises the
 * first word by 1.
 */
export function createNoteCommit(
  readCommit: () => readonly number[],
  memory: SharedArrayBuffer,
): (keepsAccess: boolean, ownCount: number) => void {
  const shared = new Uint32Array(memory);
  /** The first word less the own commits. Only others change it. */
  let others = readCommit()[0];
  let accessCount = 1;

  return (keepsAccess, ownCount) => {
    const commit = readCommit();
    const found = ((commit[0] ?? 0) - ownCount) >>> 0;
    const isOwn = found === others;
    others = found;
    if (!keepsAccess || !isOwn) accessCount += 1;
    Atomics.add(shared, sequenceWord, 1);
    // If another process has committed, the words may be of its commit. They get no count.
    Atomics.store(shared, accessCountWord, isOwn ? accessCount : 0);
    for (const [index, word] of commit.entries()) {
      Atomics.store(shared, firstCommitWord + index, word);
    }
    Atomics.add(shared, sequenceWord, 1);
  };
}
