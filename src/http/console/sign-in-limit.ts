import { type Failure, fail } from '../../domain/error.ts';
import {
  forgetCallers,
  giveBackRequest,
  type RateLimitTimes,
  takeRequest,
} from '../../domain/rate-limit.ts';

/** Of attempts that fail from one address, and of sessions that are opened with one key. */
const limit = { count: 20, seconds: 60 };

const rememberedMax = 10_000;

/** Who tries: an address, or the id of a key that opened. */
type Attempter = string | bigint;

/**
 * Bounds how often somebody guesses, from one address; and how often a key that is known adds a session and an entry to the
 * audit trail, which is never shortened.
 */
export interface SignInLimit {
  /** Counts an attempt, and refuses it where it is one too many. */
  take(attempter: Attempter): Failure | undefined;
  /** An attempt that came to something good does not count. */
  giveBack(attempter: Attempter): void;
}

export function createSignInLimit(steadyNow: () => number): SignInLimit {
  const times: RateLimitTimes = new Map();
  return {
    take(attempter) {
      const now = steadyNow();
      forgetCallers(times, rememberedMax, now);
      const { allowed, waitSeconds } = takeRequest(times, attempter, limit, now);
      if (allowed) return undefined;
      const what = typeof attempter === 'string' ? 'address' : 'key';
      return fail(
        'rate_limited',
        `This ${what} may try to sign in ${limit.count} times in ${limit.seconds} seconds; retry after ${waitSeconds} s`,
        { 'retry-after': String(waitSeconds) },
      );
    },
    giveBack: (attempter) => giveBackRequest(times, attempter, limit),
  };
}
