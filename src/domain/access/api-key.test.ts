import { expect, test } from 'bun:test';
import { generateApiKey, isApiKey, isOperatorApiKey } from './api-key.ts';

const { crc32 } = Bun.hash;
const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));

test('a key is valid in its own environment only', () => {
  const live = generateApiKey('production', randomBytes, crc32);
  const test = generateApiKey('staging', randomBytes, crc32);
  expect(live).toMatch(/^anst_live_[0-9A-Za-z]{38}$/);
  expect(test).toMatch(/^anst_test_[0-9A-Za-z]{38}$/);
  expect(isApiKey(live, 'production', crc32)).toBe(true);
  expect(isApiKey(live, 'staging', crc32)).toBe(false);
  expect(isApiKey(test, 'production', crc32)).toBe(false);
});

test('a key is invalid if any one character is changed', () => {
  const apiKey = generateApiKey('production', randomBytes, crc32);
  for (let index = 0; index < apiKey.length; index += 1) {
    const other = apiKey[index] === 'a' ? 'b' : 'a';
    const changed = apiKey.slice(0, index) + other + apiKey.slice(index + 1);
    expect(isApiKey(changed, 'production', crc32)).toBe(false);
  }
});

test('key generation skips bytes that would make some characters more likely', () => {
  const chunks = [
    new Uint8Array(32).fill(255),
    new Uint8Array(32).fill(248),
    new Uint8Array(32).fill(247),
  ];
  const text = generateApiKey('production', () => chunks.shift() ?? new Uint8Array(), crc32);
  expect(text.slice(10, 42)).toBe('z'.repeat(32));
});

test('an operator’s key must be long enough and have only characters of a bearer token', () => {
  expect(isOperatorApiKey('a'.repeat(20))).toBe(true);
  expect(isOperatorApiKey(`${'-._~+/'.repeat(4)}==`)).toBe(true);
  for (const text of [
    'a'.repeat(19),
    'a'.repeat(513),
    `${'a'.repeat(20)} b`,
    `${'a'.repeat(20)}é`,
  ]) {
    expect(isOperatorApiKey(text)).toBe(false);
  }
});
