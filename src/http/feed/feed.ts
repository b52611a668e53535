import { every, rest } from '../../context/deadline.ts';
import type { EventReads } from '../../domain/event.ts';
import type { DataVersion } from '../../storage/contract/database.ts';
import type { Caller } from '../access/caller.ts';
import { createSlots } from '../access/limits.ts';
import { type Failure, fail } from '../failure.ts';
import { type ReadEvents, shareEventReads } from './shared-events.ts';

/** Open streams and waiting requests: of one key, or of one session of an owner, and of a server. */
const openMaxOfCaller = 10;
const openMaxOfServer = 1000;

interface FeedOptions {
  readonly database: EventReads & DataVersion;
  /** Whether the server keeps events for clients. */
  readonly keepsEvents: boolean;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
}

/** What operations read from the feed. */
export interface FeedReads {
  readonly readEvents: ReadEvents;
  /**
   * Waits until no server answers from a cache that is older than this call. A client that reads the newest position and then the
   * lists must find every change before that position in them.
   */
  waitForCaches(): Promise<void>;
}

const serverLimit = {
  name: 'server',
  max: openMaxOfServer,
  refusal: fail(
    'unavailable',
    `The server has ${openMaxOfServer} streams and waiting requests open; retry later`,
  ),
};

/** What all requests that wait for events share. */
export function createFeed({ database, keepsEvents, steadyNow }: FeedOptions) {
  const slots = createSlots();
  const reads: FeedReads = {
    readEvents: keepsEvents ? shareEventReads(database) : () => ({ expired: {} }),
    waitForCaches: () => rest(database.staleMillisecondsMax),
  };
  return {
    ...reads,
    dataVersion: () => database.dataVersion(),
    waitForChange: createChangeWatch(database, steadyNow),
    /** Acquires a slot for a stream or a waiting request. */
    acquireSlot({ rateLimitKey }: Pick<Caller, 'rateLimitKey'>): Disposable | Failure {
      const what = typeof rateLimitKey === 'string' ? 'session' : 'key';
      const message = `This ${what} has ${openMaxOfCaller} streams and waiting requests open; close one first`;
      const refusal = fail('rate_limited', message);
      const callerLimit = { name: `${what} ${rateLimitKey}`, max: openMaxOfCaller, refusal };
      return slots.acquire(callerLimit, serverLimit);
    },
    /** How many slots are in use. */
    get openCount() {
      return slots.count(serverLimit.name);
    },
  };
}

export type Feed = ReturnType<typeof createFeed>;

/** How often the data version is read while requests wait. */
const pollMilliseconds = 20;

interface Waiting {
  readonly dataVersion: number;
  readonly until: number;
  readonly isOver: () => boolean;
  readonly resolve: (version: number | undefined) => void;
}

/** One timer reads the data version for all waiting requests, so that commits wake them no more often than the timer runs. */
function createChangeWatch(database: DataVersion, steadyNow: () => number) {
  const all = new Set<Waiting>();
  let timer: Disposable | undefined;

  function poll(): void {
    // If it cannot be read, the waiting requests continue and report the error.
    const version = readVersion();
    const now = steadyNow();
    for (const waiting of all) {
      const { dataVersion, until, isOver, resolve } = waiting;
      if (version === dataVersion && now < until && !isOver()) continue;
      all.delete(waiting);
      resolve(version);
    }
    if (all.size > 0) return;
    timer?.[Symbol.dispose]();
    timer = undefined;
  }

  function readVersion(): number | undefined {
    try {
      return database.dataVersion();
    } catch {
      return undefined;
    }
  }

  /**
   * Waits for a commit of any process after a data version, until a time of the steady clock, or until `isOver`. Returns the data version
   * then, which is the same for all that it wakes at this moment.
   */
  return (
    dataVersion: number,
    until: number,
    isOver: () => boolean,
  ): Promise<number | undefined> => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    all.add({ dataVersion, until, isOver, resolve });
    timer ??= every(pollMilliseconds, poll);
    return promise;
  };
}
