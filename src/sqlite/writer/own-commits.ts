// The writer thread shares its last commit with the serving thread through memory, because a commit is visible before a message
// about it arrives.

import type { Connection } from '../connection.ts';

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
 * key, session or workspace.
 */
export function createNoteCommit(
  connection: Connection,
  readCommit: () => readonly number[],
  memory: SharedArrayBuffer,
): (keepsAccess: boolean) => void {
  const shared = new Uint32Array(memory);
  const select = connection.query<{ data_version: bigint }, []>('PRAGMA data_version');
  let othersVersion = readOthersVersion();
  let accessCount = 1;

  /** Changes when another connection has committed. */
  function readOthersVersion(): bigint | undefined {
    try {
      return select.get()?.data_version;
    } catch {
      return undefined;
    }
  }

  return (keepsAccess) => {
    const commit = readCommit();
    // Read after the commit's words, because another process may have committed before they were read.
    const version = readOthersVersion();
    const isOwn = version !== undefined && version === othersVersion;
    othersVersion = version;
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
