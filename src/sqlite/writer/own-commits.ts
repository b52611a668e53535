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
