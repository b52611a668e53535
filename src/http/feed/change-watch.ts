import type { DataVersion } from '../../domain/database/database.ts';

/** How often it is looked whether something was committed, while somebody waits for that. */
const lookMilliseconds = 20;

/** Lets requests wait for changes of the data. */
export interface ChangeWatch {
  /**
   * Returns soon after anything was committed since a data version, by whichever process; or once a time of the steady clock
   * has come; or once `isOver` says so.
   */
  changed(dataVersion: number, until: number, isOver: () => boolean): Promise<void>;
}

interface Waiting {
  readonly dataVersion: number;
  readonly until: number;
  readonly isOver: () => boolean;
  readonly resolve: () => void;
}

/**
 * One timer looks for all who wait, so that each commit wakes them once and many commits no more often than the timer beats.
 * To look is cheap; where nobody waits, nobody looks.
 */
export function createChangeWatch(database: DataVersion, steadyNow: () => number): ChangeWatch {
  const all = new Set<Waiting>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function look(): void {
    const version = readVersion();
    const now = steadyNow();
    for (const waiting of all) {
      const { dataVersion, until, isOver, resolve } = waiting;
      if (version === dataVersion && now < until && !isOver()) continue;
      all.delete(waiting);
      resolve();
    }
    if (all.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** Where it cannot be read, whoever waits finds out why. */
  function readVersion(): number {
    try {
      return database.dataVersion();
    } catch {
      return Number.NaN;
    }
  }

  return {
    changed(dataVersion, until, isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      all.add({ dataVersion, until, isOver, resolve });
      timer ??= setInterval(look, lookMilliseconds);
      return promise;
    },
  };
}
