import {
  type RateLimit,
  type RateLimitTimes,
  takeRequest,
} from '../../domain/access/rate-limit.ts';
import { type Failure, fail } from '../failure.ts';
import type { Caller } from './caller.ts';

/** Limits each key, and each session of an owner, by itself. `steadyNow` is in milliseconds of a clock that is never set. */
export function createRateLimiter(steadyNow: () => number) {
  const times: RateLimitTimes = new Map();
  /** Counts a request, adds the headers of its limit, and rejects it if it exceeds the limit. */
  return (
    caller: Caller,
    limit: RateLimit,
    headers: Record<string, string>,
  ): Failure | undefined => {
    const state = takeRequest(times, caller.rateLimitKey, limit, steadyNow());
    // The fields of draft-ietf-httpapi-ratelimit-headers. The draft may still change.
    headers['ratelimit-policy'] = `"default";q=${limit.count};w=${limit.seconds}`;
    headers.ratelimit = `"default";r=${state.remaining};t=${state.waitSeconds}`;
    if (state.allowed) return undefined;
    const what = caller.apiKeyId === undefined ? 'session' : 'key';
    return fail(
      'rate_limited',
      `This ${what} may send ${limit.count} requests in ${limit.seconds} seconds; retry after ${state.waitSeconds} s`,
      { 'retry-after': String(state.waitSeconds) },
    );
  };
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;
