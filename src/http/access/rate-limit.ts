import {
  type RateLimit,
  type RateLimitState,
  type RateLimitTimes,
  takeRequest,
} from '../../domain/access/rate-limit.ts';
import { type Failure, fail } from '../answer/answer.ts';
import type { Caller } from './caller.ts';

/** Counts a request, adds the headers of its limit, and rejects it if it exceeds the limit. */
export type RateLimiter = (
  caller: Caller,
  limit: RateLimit,
  headers: Record<string, string>,
) => Failure | undefined;

/** Limits each key, and each session of an owner, by itself. `steadyNow` is in milliseconds of a clock that is never set. */
export function createRateLimiter(steadyNow: () => number): RateLimiter {
  const times: RateLimitTimes = new Map();
  return (caller, limit, headers) => {
    const state = takeRequest(times, caller.rateLimitKey, limit, steadyNow());
    Object.assign(headers, formatHeaders(limit, state));
    if (state.allowed) return undefined;
    const what = caller.apiKeyId === undefined ? 'session' : 'key';
    return fail(
      'rate_limited',
      `This ${what} may send ${limit.count} requests in ${limit.seconds} seconds; retry after ${state.waitSeconds} s`,
      { 'retry-after': String(state.waitSeconds) },
    );
  };
}

/** The fields of draft-ietf-httpapi-ratelimit-headers. The draft may still change. */
function formatHeaders({ count, seconds }: RateLimit, state: RateLimitState) {
  return {
    'ratelimit-policy': `"default";q=${count};w=${seconds}`,
    ratelimit: `"default";r=${state.remaining};t=${state.waitSeconds}`,
  };
}
