/**
 * Changes that come while records are read. The answer may be older or newer than they are, so they are applied again to what was
 * read. Every change has the whole record, so that this leaves the latest one.
 */
export function createReplay() {
  const recordings = new Set<(() => void)[]>();
  return {
    apply(change: () => void): void {
      for (const changes of recordings) changes.push(change);
      change();
    },
    /** Records changes from the start of a read until `stop`. */
    record() {
      const changes: (() => void)[] = [];
      recordings.add(changes);
      return {
        applyAgain(): void {
          for (const change of changes) change();
        },
        stop: () => void recordings.delete(changes),
      };
    },
  };
}
