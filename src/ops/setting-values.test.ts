import { expect, test } from 'bun:test';
import { parseDuration } from './setting-values.ts';

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

test('the rule for a duration says if it can be 0', () => {
  const rule = 'a whole number followed by s, m, h or d, such as 90d,';
  expect(parseDuration('1')).toEqual({ mustBe: `0, or ${rule} and at most 3653d` });
  expect(parseDuration('0s', 1)).toEqual({ mustBe: `${rule} at least 1s and at most 3653d` });
});

test('the example of a duration is not longer than the longest one', () => {
  const rule = 'a whole number followed by s, m, h or d, such as 30s,';
  expect(parseDuration('75', 1000, 240_000)).toEqual({
    mustBe: `${rule} at least 1s and at most 240s`,
  });
});
