import type { DataVersion } from '../../domain/database/database.ts';
import type { EventReads } from '../../domain/event.ts';
import type { Caller } from '../access/caller.ts';
import { type Failure, fail } from '../answer/answer.ts';
import { type ChangeWatch, createChangeWatch } from './change-watch.ts';
import { shareEventReads } from './shared-events.ts';

/** Open streams and waiting requests: of one key, or of one session of an owner, and of a server. */
const openMaxOfCaller = 10;
const openMaxOfServer = 1000;

export interface FeedOptions {
  readonly database: EventReads & DataVersion;
  /** Whether the server keeps events for clients. */
  readonly keepsEvents: boolean;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
}

/** What operations read from the feed. */
export interface FeedReads extends EventReads {
  /**
   * Waits until no server answers from a cache that is older than this call. A client that reads the newest position and then the
   * lists must find every change before that position in them.
   */
  waitForCaches(): Promise<void>;
}

/** What all requests that wait for events share. */
export interface Feed extends FeedReads, ChangeWatch {
  dataVersion(): number;
  /** Acquires a slot for a stream or a waiting request. It can be disposed of several times. */
  acquireSlot(caller: Pick<Caller, 'rateLimitKey'>): Disposable | Failure;
  /** How many slots are in use. */
  readonly openCount: number;
}

export function createFeed({ database, keepsEvents, steadyNow }: FeedOptions): Feed {
  const openOfCallers = new Map<Caller['rateLimitKey'], number>();
  let openCount = 0;

  function count(rateLimitKey: Caller['rateLimitKey'], more: 1 | -1): void {
    const open = (openOfCallers.get(rateLimitKey) ?? 0) + more;
    openCount += more;
    if (open === 0) openOfCallers.delete(rateLimitKey);
    else openOfCallers.set(rateLimitKey, open);
  }

  return {
    readEvents: keepsEvents ? shareEventReads(database) : () => ({ expired: {} }),
    waitForCaches: () =>
      new Promise((resolve) => setTimeout(resolve, database.staleMillisecondsMax)),
    dataVersion: () => database.dataVersion(),
    ...createChangeWatch(database, steadyNow),
    acquireSlot({ rateLimitKey }) {
      if ((openOfCallers.get(rateLimitKey) ?? 0) >= openMaxOfCaller) {
        return typeof rateLimitKey === 'string' ? tooManyOfSession : tooManyOfKey;
      }
      if (openCount >= openMaxOfServer) return tooManyOfServer;
      count(rateLimitKey, 1);
      let isOpen = true;
      return {
        [Symbol.dispose]() {
          if (isOpen) count(rateLimitKey, -1);
          isOpen = false;
        },
      };
    },
    get openCount() {
      return openCount;
    },
  };
}

const retryAfter = { 'retry-after': '1' };

const tooManyOf = (what: string) =>
  fail(
    'rate_limited',
    `This ${what} has ${openMaxOfCaller} streams and waiting requests open; close one first`,
    retryAfter,
  );

const tooManyOfKey = tooManyOf('key');
const tooManyOfSession = tooManyOf('session');

const tooManyOfServer = fail(
  'unavailable',
  `The server has ${openMaxOfServer} streams and waiting requests open; retry later`,
  retryAfter,
);
