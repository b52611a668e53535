import {
  forgetCallers,
  type RateLimit,
  type RateLimitState,
  type RateLimitTimes,
  takeRequest,
} from '../../domain/access/rate-limit.ts';
import { type Failure, fail } from '../failure.ts';
import type { AuthenticatedContext } from '../request-context.ts';
import type { Caller } from './caller.ts';

/** Beyond this, a tenth is forgotten: callers with a full allowance, then those whose last request is oldest. */
const callersMax = 100_000;

/** Counts the requests of each caller. `steadyNow` is in milliseconds of a clock that is never set. */
export function createLimiter(steadyNow: () => number) {
  const times: RateLimitTimes = new Map();
  return (callerId: Caller['rateLimitKey'], limit: RateLimit): RateLimitState => {
    const now = steadyNow();
    forgetCallers(times, callersMax, now);
    return takeRequest(times, callerId, limit, now);
  };
}

/** The failure of a caller that exceeds a limit. `allowed` says how often the caller may do what. */
export function rateLimited(allowed: string, { waitSeconds }: RateLimitState): Failure {
  const headers = { 'retry-after': String(waitSeconds) };
  return fail('rate_limited', `${allowed}; retry after ${waitSeconds} s`, headers);
}

/** Limits each key, and each session of an owner, by itself. `usualLimit` is for callers that have none of their own. */
export function createLimitRate(steadyNow: () => number, usualLimit: RateLimit | undefined) {
  const take = createLimiter(steadyNow);
  /** Counts a request, adds the headers of its limit, and rejects it if it exceeds the limit. */
  return ({
    caller,
    headers,
  }: Pick<AuthenticatedContext, 'caller' | 'headers'>): Failure | undefined => {
    const limit = caller.rateLimit ?? usualLimit;
    if (limit === undefined) return undefined;
    const state = take(caller.rateLimitKey, limit);
    // The fields of draft-ietf-httpapi-ratelimit-headers. The draft may still change.
    headers['ratelimit-policy'] = `"default";q=${limit.count};w=${limit.seconds}`;
    headers.ratelimit = `"default";r=${state.remaining};t=${state.waitSeconds}`;
    if (state.allowed) return undefined;
    const what = caller.apiKeyId === undefined ? 'session' : 'key';
    return rateLimited(
      `This ${what} may send ${limit.count} requests in ${limit.seconds} seconds`,
      state,
    );
  };
}

export type LimitRate = ReturnType<typeof createLimitRate>;
