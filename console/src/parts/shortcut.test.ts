import { expect, test } from 'bun:test';
import { hasLetter } from './shortcut.ts';

test.each([
  ['z', 'KeyZ', true],
  ['Z', 'KeyZ', true],
  // A German keyboard has Y and Z the other way round.
  ['z', 'KeyY', true],
  ['y', 'KeyZ', false],
  // A Russian and a Greek one.
  ['я', 'KeyZ', true],
  ['ζ', 'KeyZ', true],
  ['н', 'KeyY', false],
  // Dvorak has no letter there.
  [';', 'KeyZ', false],
  ['Unidentified', 'KeyZ', false],
])('the key %p at the place of %s is a Z: %p', (key, code, isZ) => {
  expect(hasLetter({ key, code }, 'z')).toBe(isZ);
});
