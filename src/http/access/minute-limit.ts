import type { Failure } from '../failure.ts';
import type { Caller } from './caller.ts';
import { createLimiter, rateLimited } from './rate-limit.ts';

/** Counts what a caller is about to do, and refuses it if it is one too many. */
export type MinuteLimit = (caller: Caller['rateLimitKey']) => Failure | undefined;

const limit = { count: 60, seconds: 60 };

/**
 * Bounds how fast one caller adds to the audit trail, which is never shortened. `allowed` says in the message what the caller may do.
 */
export function createMinuteLimit(steadyNow: () => number, allowed: string): MinuteLimit {
  const take = createLimiter(steadyNow);
  return (caller) => {
    const state = take(caller, limit);
    return state.allowed
      ? undefined
      : rateLimited(`${allowed} ${limit.count} times in ${limit.seconds} seconds`, state);
  };
}
