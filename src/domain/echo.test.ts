import { expect, test } from 'bun:test';
import { createHideApiKeys, hideApiKeys } from './access/hide-api-keys.ts';
import { echo } from './echo.ts';
import { parseExactJson } from './values/exact-json.ts';

test.each([
  ['text', '"text"'],
  ['\u001b[31m\n\u009b\u2028', '"\\u001b[31m\\n\\u009b\\u2028"'],
  ['\ud800', '"\\ud800"'],
  [undefined, 'nothing'],
  [null, 'null'],
  [[1], 'an array'],
  [{}, 'an object'],
  ['a'.repeat(100), `"${'a'.repeat(63)}…`],
  ['🐈'.repeat(100), `"${'🐈'.repeat(63)}…`],
  [`see anst_live_${'a'.repeat(38)}!`, '"see anst_…!"'],
])('%p is echoed as %s', (value, text) => {
  expect(echo(value)).toBe(text);
});

test.each(['1e400', '1e-400', '9007199254740993.5', '3.5', '18446744073709551616'])(
  'the number %s is echoed as it was sent',
  (source) => {
    expect(echo(parseExactJson(source))).toBe(source);
  },
);

const apiKey = 'anst_live_AKbT0bdk0Io4tOF2cGoxTEJ1S8mxzVUW0id4sJ';
const percentOf = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');

test.each([
  apiKey,
  apiKey.replaceAll('_', '%5F'),
  apiKey.replaceAll('_', '%5f'),
  apiKey.replace('T', '%54').replace('o', '%6F'),
  percentOf(apiKey),
  percentOf(apiKey).toUpperCase(),
  percentOf(apiKey).replaceAll('%', '%25'),
  percentOf(apiKey).replaceAll('%', '%2525'),
])('a key in an address is hidden in the form %s', (text) => {
  const encoded = `/v1/pets/${text}/x%20y?${text}&limit=20`;
  for (const hide of [hideApiKeys, createHideApiKeys('another-key-of-the-operator')]) {
    expect(hide(encoded)).toBe('/v1/pets/anst_…/x%20y?anst_…&limit=20');
  }
  const own = text.replace(/^(?:a|%(?:25)*61)/, 'A');
  const ownKey = apiKey.replace('a', 'A');
  expect(createHideApiKeys(ownKey)(`/v1/${own}/x`)).toBe('/v1/…/x');
});
