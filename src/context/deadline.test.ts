import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { every } from './deadline.ts';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Work that ends when the test ends it. */
function startWork() {
  let begun = 0;
  let current = Promise.withResolvers<void>();
  const repetition = every(60_000, () => {
    begun += 1;
    current = Promise.withResolvers();
    return current.promise;
  });
  return {
    repetition,
    begun: () => begun,
    async end() {
      current.resolve();
      await current.promise;
    },
  };
}

test('slow work pauses before it is repeated', async () => {
  const { begun, end } = startWork();
  jest.advanceTimersByTime(59_999);
  expect(begun()).toBe(0);
  jest.advanceTimersByTime(600_000);
  expect(begun()).toBe(1);
  await end();
  jest.advanceTimersByTime(59_999);
  expect(begun()).toBe(1);
  jest.advanceTimersByTime(1);
  expect(begun()).toBe(2);
});

test('no work starts after the end, during a pause or during work', async () => {
  const resting = startWork();
  resting.repetition[Symbol.dispose]();
  const working = startWork();
  jest.advanceTimersByTime(60_000);
  working.repetition[Symbol.dispose]();
  await working.end();
  jest.advanceTimersByTime(600_000);
  expect([resting.begun(), working.begun()]).toEqual([0, 1]);
});
