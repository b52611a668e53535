import { expect, test } from 'bun:test';
import { createLimiter } from './limits.ts';

test('beyond the bound, callers with a full allowance are forgotten, and then those that sent nothing for longest', () => {
  let now = 0;
  const take = createLimiter(() => now);
  const isAllowed = (caller: bigint, count = 1, seconds = 60) =>
    take(caller, { count, seconds }).allowed;
  for (let caller = 1n; caller <= 90_000n; caller += 1n) isAllowed(caller, 2);
  for (let caller = 90_001n; caller <= 100_001n; caller += 1n) isAllowed(caller, 1, 1);
  now = 1000;
  expect([isAllowed(1n, 2), isAllowed(1n, 2)]).toEqual([true, false]);
  for (let caller = 100_002n; caller <= 110_002n; caller += 1n) isAllowed(caller);
  // Caller 1 was the first, and sends most.
  expect([isAllowed(1n, 2), isAllowed(2n), isAllowed(20_000n)]).toEqual([false, true, false]);
});
