import {
  type RateLimit,
  type RateLimitState,
  type RateLimitTimes,
  takeRequest,
} from '../../domain/access/rate-limit.ts';
import { type Failure, fail } from '../answer/answer.ts';
import type { Caller } from './caller.ts';

/** Counts a request, adds what its answer says of the limit, and refuses it where it is one too many. */
export type RateLimiter = (caller: Caller, headers: Record<string, string>) => Failure | undefined;

/**
 * Limits each key, and each session of an owner, by itself, to its own limit or else the server's; off where there is neither. The steady
 * clock, in milliseconds, is not moved when somebody sets the time.
 */
export function createRateLimiter(
  serverLimit: RateLimit | undefined,
  steadyNow: () => number,
): RateLimiter {
  const times: RateLimitTimes = new Map();
  return (caller, headers) => {
    const limit = caller.rateLimit ?? serverLimit;
    if (limit === undefined) return undefined;
    const state = takeRequest(times, caller.bucket, limit, steadyNow());
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

/** The one place that knows the fields of draft-ietf-httpapi-ratelimit-headers, which still moves. */
function formatHeaders({ count, seconds }: RateLimit, state: RateLimitState) {
  return {
    'ratelimit-policy': `"default";q=${count};w=${seconds}`,
    ratelimit: `"default";r=${state.remaining};t=${state.waitSeconds}`,
  };
}
