import type { Failure } from '../failure.ts';
import type { Caller } from './caller.ts';
import { createLimiter, rateLimited } from './rate-limit.ts';

/** Counts a change that is about to add to the audit trail, and refuses it if it is one too many. */
export type LimitAudited = (caller: Pick<Caller, 'rateLimitKey'>) => Failure | undefined;

const limit = { count: 60, seconds: 60 };

/** Bounds how fast one caller adds to the audit trail, which is never shortened. */
export function createAuditedLimit(steadyNow: () => number): LimitAudited {
  const take = createLimiter(steadyNow);
  return ({ rateLimitKey }) => {
    const state = take(rateLimitKey, limit);
    if (state.allowed) return undefined;
    return rateLimited(
      `This caller may change webhooks ${limit.count} times in ${limit.seconds} seconds`,
      state,
    );
  };
}
