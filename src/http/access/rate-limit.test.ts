import { expect, test } from 'bun:test';
import { createLimiter } from './rate-limit.ts';

test('beyond the bound, callers with a full allowance are forgotten, and then the oldest', () => {
  let now = 0;
  const take = createLimiter(() => now);
  const limit = { count: 1, seconds: 60 };
  const isAllowed = (caller: bigint) => take(caller, limit).allowed;
  isAllowed(0n);
  now = 60_000;
  for (let caller = 1n; caller <= 100_000n; caller += 1n) isAllowed(caller);
  // Caller 0 has a full allowance, then caller 1 is the oldest.
  expect([isAllowed(1n), isAllowed(100_001n), isAllowed(1n)]).toEqual([false, true, true]);
});
