import type { Int64 } from '../../domain/values/int64.ts';
import { createLimiter, rateLimited } from '../access/rate-limit.ts';
import type { Failure } from '../failure.ts';

/** Counts a session that a valid key is about to open, and refuses it if it is one too many. */
export type SignInLimit = (apiKeyId: Int64) => Failure | undefined;

const limit = { count: 60, seconds: 60 };

/**
 * Bounds how fast one key adds to the audit trail, which is never shortened. Only sign-ins with a valid key count, so
 * that no attempt with another key, or from the same address, affects them.
 */
export function createSignInLimit(steadyNow: () => number): SignInLimit {
  const take = createLimiter(steadyNow);
  return (apiKeyId) => {
    const state = take(apiKeyId, limit);
    if (state.allowed) return undefined;
    return rateLimited(
      `This key may sign in ${limit.count} times in ${limit.seconds} seconds`,
      state,
    );
  };
}
