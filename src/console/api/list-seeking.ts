import type { createReads } from './list-reads.ts';

/** A drag of the scroll bar is read where it stays for this long. */
const restMilliseconds = 80;

/** Opens a window at the rows in sight, of which the last ones count. */
export function createSeeking(
  reads: ReturnType<typeof createReads>,
  openPlace: (first: number, last: number, stopped: AbortSignal) => Promise<void>,
) {
  let sought: { readonly first: number; readonly timer: ReturnType<typeof setTimeout> } | undefined;

  function forget(): void {
    if (sought === undefined) return;
    clearTimeout(sought.timer);
    sought = undefined;
    reads.stop();
  }

  function start(first: number, last: number): void {
    void reads.run(async (stopped) => {
      await openPlace(first, last, stopped);
      sought = undefined;
    });
  }

  return {
    to(first: number, last: number): void {
      if (sought?.first === first) return;
      forget();
      reads.stop();
      sought = { first, timer: setTimeout(() => start(first, last), restMilliseconds) };
    },
    /** The rows in sight are loaded, or are read in another way. */
    forget,
  };
}
