import { forgetCallers, type RateLimitTimes, takeRequest } from '../../domain/access/rate-limit.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { type Failure, fail } from '../answer/answer.ts';

/** Of sessions that are opened with one key. */
const limit = { count: 60, seconds: 60 };

const rememberedMax = 10_000;

/** Counts a session that a valid key is about to open, and refuses it if it is one too many. */
export type SignInLimit = (apiKeyId: Int64) => Failure | undefined;

/**
 * Bounds how fast one key adds to the audit trail, which is never shortened. Only sign-ins with a valid key count, so
 * that no attempt with another key, or from the same address, affects them.
 */
export function createSignInLimit(steadyNow: () => number): SignInLimit {
  const times: RateLimitTimes = new Map();
  return (apiKeyId) => {
    const now = steadyNow();
    forgetCallers(times, rememberedMax, now);
    const { allowed, waitSeconds } = takeRequest(times, apiKeyId, limit, now);
    if (allowed) return undefined;
    return fail(
      'rate_limited',
      `This key may sign in ${limit.count} times in ${limit.seconds} seconds; retry after ${waitSeconds} s`,
      { 'retry-after': String(waitSeconds) },
    );
  };
}
