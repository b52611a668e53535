import { describe, expect, test } from 'bun:test';
import { parseInt64, parseJsonInt64 } from './int64.ts';

describe('an int64 in a parameter', () => {
  test.each([
    ['0', 0n],
    ['-1', -1n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
  ])('%s is read', (text, value) => {
    expect(parseInt64(text)).toBe(value);
  });

  test.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '-0',
    '01',
    '0x1',
    '1e3',
    '1.0',
    '٣',
    '１',
    '9223372036854775808',
  ])('%p is rejected', (text) => {
    expect(parseInt64(text)).toBeUndefined();
  });
});

describe('an int64 in JSON', () => {
  test.each([
    ['0', 0n],
    ['-0', 0n],
    ['-0.0e-5', 0n],
    ['3.0', 3n],
    ['3e0', 3n],
    ['1.5e1', 15n],
    ['100e-2', 1n],
    ['1200E-1', 120n],
    ['9007199254740993', 2n ** 53n + 1n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['922337203685477580.7e1', 2n ** 63n - 1n],
    ['-9223372036854775808.000', -(2n ** 63n)],
  ])('%s is read to the last digit', (source, value) => {
    expect(parseJsonInt64(source)).toBe(value);
  });

  test.each([
    '3.5',
    '1e-1',
    '9223372036854775808',
    '-9223372036854775809',
    '1e19',
    '1e400',
    '1e999999999999',
    '1e-999999999999',
    `1${'0'.repeat(10_000)}`,
    `1.${'0'.repeat(10_000)}`,
  ])('%p is rejected', (source) => {
    expect(parseJsonInt64(source)).toBeUndefined();
  });
});
