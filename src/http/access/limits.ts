import { after } from '../../context/deadline.ts';
import {
  forgetCallers,
  type RateLimit,
  type RateLimitState,
  type RateLimitTimes,
  takeRequest,
} from '../../domain/access/rate-limit.ts';
import { type Failure, fail } from '../failure.ts';
import type { Caller } from './caller.ts';

// What callers may do in a time, and what may run at once.

/** Beyond this, a tenth is forgotten: callers with a full allowance, then those whose last request is oldest. */
const callersMax = 100_000;

/** Counts the requests of each caller. `steadyNow` is in milliseconds of a clock that is never set. */
export function createLimiter(steadyNow: () => number) {
  const times: RateLimitTimes = new Map();
  return (
    callerId: Caller['rateLimitKey'],
    limit: RateLimit,
    requestCount?: number,
  ): RateLimitState => {
    const now = steadyNow();
    forgetCallers(times, callersMax, now);
    return takeRequest(times, callerId, limit, now, requestCount);
  };
}

/** The failure of a caller that exceeds a limit. `allowed` says how often the caller may do what. */
function rateLimited(allowed: string, { waitSeconds }: RateLimitState): Failure {
  const headers = { 'retry-after': String(waitSeconds) };
  return fail('rate_limited', `${allowed}; retry after ${waitSeconds} s`, headers);
}

interface LimitedRequest {
  readonly caller: Caller;
  /** Of the response. */
  readonly headers: Record<string, string>;
}

/** Limits each key, and each session of an owner, by itself. `usualLimit` is for callers that have none of their own. */
export function createRateLimits(steadyNow: () => number, usualLimit: RateLimit | undefined) {
  const take = createLimiter(steadyNow);

  /** Counts requests, and adds the headers of their limit. */
  function count({ caller, headers }: LimitedRequest, limit: RateLimit, requestCount?: number) {
    const state = take(caller.rateLimitKey, limit, requestCount);
    // The fields of draft-ietf-httpapi-ratelimit-headers. The draft may still change.
    headers['ratelimit-policy'] = `"default";q=${limit.count};w=${limit.seconds}`;
    headers.ratelimit = `"default";r=${state.remaining};t=${state.waitSeconds}`;
    return state;
  }

  return {
    /** Counts a request, adds the headers of its limit, and rejects it if it exceeds the limit. */
    limitRate(request: LimitedRequest): Failure | undefined {
      const { caller } = request;
      const limit = caller.rateLimit ?? usualLimit;
      if (limit === undefined) return undefined;
      const state = count(request, limit);
      if (state.allowed) return undefined;
      const what = caller.apiKeyId === undefined ? 'session' : 'key';
      return rateLimited(
        `This ${what} may send ${limit.count} requests in ${limit.seconds} seconds`,
        state,
      );
    },
    /**
     * Counts the rows of a request that was counted as one, each as a request. Returns how many may run now, at least one. If
     * these are not all, `Retry-After` says when more may.
     */
    admitRows(request: LimitedRequest, rowCount: number): number {
      const limit = request.caller.rateLimit ?? usualLimit;
      if (limit === undefined || rowCount < 2) return rowCount;
      const { admittedCount, waitSeconds } = count(request, limit, rowCount - 1);
      const admitted = 1 + admittedCount;
      if (admitted < rowCount) request.headers['retry-after'] = String(waitSeconds);
      return admitted;
    },
  };
}

type RateLimits = ReturnType<typeof createRateLimits>;
export type LimitRate = RateLimits['limitRate'];
export type AdmitRows = RateLimits['admitRows'];

/** Counts what a caller is about to do, and refuses it if it is one too many. */
export type MinuteLimit = (caller: Caller['rateLimitKey']) => Failure | undefined;

const minuteLimit = { count: 60, seconds: 60 };

/**
 * Bounds how fast one caller adds to the audit trail, which is never shortened. `allowed` says in the message what the caller may do.
 */
export function createMinuteLimit(steadyNow: () => number, allowed: string): MinuteLimit {
  const take = createLimiter(steadyNow);
  return (caller) => {
    const state = take(caller, minuteLimit);
    return state.allowed ? undefined : rateLimited(`${allowed} 60 times in 60 seconds`, state);
  };
}

/** How many may run at once under a name, and the failure of one more. */
interface SlotLimit {
  readonly name: string;
  readonly max: number;
  readonly refusal: Failure;
}

/** Slots for what runs at once. Each counts under several names. */
export function createSlots() {
  const counts = new Map<string, number>();

  function add(limits: readonly SlotLimit[], more: 1 | -1): void {
    for (const { name } of limits) {
      const count = (counts.get(name) ?? 0) + more;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    }
  }

  return {
    count: (name: string) => counts.get(name) ?? 0,
    /** Acquires a slot, which can be disposed of several times, or returns the failure of the first limit that is reached. */
    acquire(...limits: readonly SlotLimit[]): Disposable | Failure {
      const reached = limits.find(({ name, max }) => (counts.get(name) ?? 0) >= max);
      if (reached !== undefined) return reached.refusal;
      add(limits, 1);
      let isOpen = true;
      return {
        [Symbol.dispose]() {
          if (isOpen) add(limits, -1);
          isOpen = false;
        },
      };
    },
  };
}

export type Slots = ReturnType<typeof createSlots>;

/** The searches that run at once. Each takes processor time that all other requests wait for. */
const searchesMax = 4;

/** A search that waited longer is refused, long before its connection would be closed without an answer. */
const waitMillisecondsMax = 2000;

const tooManySearches = fail('unavailable', 'Too many searches are running; retry later');

/** Runs a search when fewer than four others run. A search is not run after its client has disconnected. */
export type SearchInTurn = <Result>(
  signal: AbortSignal,
  search: () => Result | Promise<Result>,
) => Promise<Result | Failure>;

/** The searches of one server, in the order of their arrival. */
export function createSearchTurns(): SearchInTurn {
  let running = 0;
  /** Each function starts a search that waits. */
  const waiting = new Set<() => void>();

  /** Returns false if no other search ended in time. */
  function waitForTurn(): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isTurn: boolean) => {
        timer[Symbol.dispose]();
        waiting.delete(start);
        resolve(isTurn);
      };
      const start = () => end(true);
      const timer = after(waitMillisecondsMax, () => end(false));
      waiting.add(start);
    });
  }

  return async (signal, search) => {
    if (running < searchesMax) running += 1;
    else if (!(await waitForTurn())) return tooManySearches;
    try {
      return signal.aborted ? tooManySearches : await search();
    } finally {
      // A search that ends passes its slot to the next one.
      const [next] = waiting;
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
