import { expect, test } from 'bun:test';
import { parseDuration } from './duration.ts';

test.each([
  ['0', 0],
  ['10s', 10_000],
  ['30m', 1_800_000],
  ['24h', 86_400_000],
  ['90d', 7_776_000_000],
])('%s is a duration', (text, milliseconds) => {
  expect(parseDuration(text)).toEqual({ value: milliseconds });
});

test.each(['', '1', '1w', '-1d', '1.5h', '1 d', '3654d', '99999999999s'])(
  '%p is rejected as a duration',
  (text) => {
    expect(parseDuration(text)).toHaveProperty('mustBe');
  },
);
