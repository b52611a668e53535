import type { createReads } from './list-reads.ts';

/** A drag of the scroll bar is read where it stays for this long. */
const restMilliseconds = 80;

interface Sought {
  /** The place of the first row. It is read once, also if the rows there turn out to have another place. */
  readonly first: number;
  readonly timer: ReturnType<typeof setTimeout>;
  isRead: boolean;
}

/** Opens a window at the rows in sight. Of a drag, only the last place is read. */
export function createSeeking(
  reads: ReturnType<typeof createReads>,
  openPlace: (first: number, last: number, stopped: AbortSignal) => Promise<void>,
) {
  let sought: Sought | undefined;

  function forget(): void {
    if (sought === undefined) return;
    const { timer, isRead } = sought;
    sought = undefined;
    clearTimeout(timer);
    if (!isRead) reads.stop();
  }

  function start(first: number, last: number): void {
    void reads.run(async (stopped) => {
      await openPlace(first, last, stopped);
      if (sought !== undefined) sought.isRead = true;
    });
  }

  return {
    to(first: number, last: number): void {
      if (sought?.first === first) return;
      forget();
      reads.stop();
      const timer = setTimeout(() => start(first, last), restMilliseconds);
      sought = { first, timer, isRead: false };
    },
    /** The rows in sight are loaded, or are read in another way. */
    forget,
  };
}
