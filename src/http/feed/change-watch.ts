import type { DataVersion } from '../../domain/database/database.ts';

/** How often the data version is read while requests wait. */
const pollMilliseconds = 20;

/** Lets requests wait for changes of the data. */
export interface ChangeWatch {
  /** Waits for a commit of any process after a data version, until a time of the steady clock, or until `isOver`. */
  changed(dataVersion: number, until: number, isOver: () => boolean): Promise<void>;
}

interface Waiting {
  readonly dataVersion: number;
  readonly until: number;
  readonly isOver: () => boolean;
  readonly resolve: () => void;
}

/** One timer reads the data version for all waiting requests, so that commits wake them no more often than the timer runs. */
export function createChangeWatch(database: DataVersion, steadyNow: () => number): ChangeWatch {
  const all = new Set<Waiting>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function poll(): void {
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

  /** If it cannot be read, the waiting requests continue and report the error. */
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
      timer ??= setInterval(poll, pollMilliseconds);
      return promise;
    },
  };
}
