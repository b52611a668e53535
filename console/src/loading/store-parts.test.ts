import { expect, test } from 'bun:test';
import { storeParts } from './store-parts.ts';

test('what a browser has no room for is left out, and a form is kept', () => {
  let history: unknown;
  storeParts(
    new Map<string, unknown>([
      ['reloaded', true],
      ['selection', [{ id: 1n }]],
      ['function', () => {}],
      ['dialog', { draft: { name: 'Rex' } }],
    ]),
    (parts) => {
      // As Firefox does.
      if (parts.has('selection')) throw new Error('Illegal value');
      history = structuredClone(parts);
    },
  );
  expect(history).toEqual(
    new Map<string, unknown>([
      ['reloaded', true],
      ['dialog', { draft: { name: 'Rex' } }],
    ]),
  );
});
