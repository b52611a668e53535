import { expect, test } from 'bun:test';
import { createHideApiKeys, hideApiKeys } from './hide-api-keys.ts';

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
