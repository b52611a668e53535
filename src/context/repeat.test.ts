import { describe, expect, test } from 'bun:test';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../storage/contract/database-error.ts';
import { background, createContext } from './context.ts';
import { lookAgain, repeat } from './repeat.ts';

const outage = new DatabaseUnavailable('PostgreSQL cannot be reached');

/** A call that fails with each of these errors, and then returns its number of attempts. */
function failing(...errors: unknown[]) {
  let attempts = 0;
  return () => {
    attempts += 1;
    const error = errors[attempts - 1];
    return error === undefined ? attempts : Promise.reject(error);
  };
}

describe('a repeated call', () => {
  test('succeeds after an outage, whose first failure is reported once', async () => {
    const reported: unknown[] = [];
    const context = { ...background, report: (error: unknown) => reported.push(error) };
    const later = new DatabaseUnavailable('still away');
    expect(await repeat(context, {}, failing(outage, later, later))).toBe(4);
    expect(reported).toEqual([outage]);
  });

  test.each([
    ['damaged data', new DatabaseUnavailable('damaged', { isDamaged: true })],
    ['an unknown outcome', new DatabaseOutcomeUnknown('no answer')],
    ['a mistake in the program', new TypeError('mistake')],
  ])('is not repeated after %s', async (_, error) => {
    await expect(repeat(background, {}, failing(error))).rejects.toBe(error);
  });

  test('ends with its last failure when its call is over: by its deadline, its signal or its attempts', async () => {
    const always = () => Promise.reject(outage);
    const over = createContext({ millisecondsMax: 0 });
    await expect(repeat(over, {}, always)).rejects.toBe(outage);
    const left = new AbortController();
    const resting = repeat(
      { ...background, signal: left.signal },
      { restMilliseconds: 1e9 },
      always,
    );
    left.abort();
    await expect(resting).rejects.toBe(outage);
    await expect(repeat(background, { attemptsMax: 3 }, failing(1, 2, 3, 4))).rejects.toBe(1);
    const passing = { attemptsMax: 3, isPassing: () => true };
    await expect(repeat(background, passing, failing(1, 2, 3, 4))).rejects.toBe(3);
  });
});

test('a look at what another process changes is repeated until it finds something, or was the last', () => {
  const policy = { looksMax: 3, restMilliseconds: 0 };
  const looks: boolean[] = [];
  const look = (isLast: boolean) => {
    looks.push(isLast);
    return looks.length === 2 ? 'found' : undefined;
  };
  expect(lookAgain(policy, look)).toBe('found');
  expect(lookAgain(policy, look)).toBeUndefined();
  expect(looks).toEqual([false, false, false, false, true]);
});
