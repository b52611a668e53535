import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { statusesInFiles } from '../console/src/animals/members.ts';
import { createWordReader } from '../console/src/import/prepare/words.ts';
import { errorText } from '../console/src/texts/errors.ts';
import { countRecords, pluralize } from '../console/src/texts/local-count.ts';
import { pseudoModules } from './support/pseudo-language.ts';
import { pseudoText } from './support/pseudo-text.ts';

// The types of pseudo-language.ts show that a module in another language compiles.
test('every module of texts of the console can be in another language', () => {
  const files = readdirSync(join(import.meta.dir, '../console/src/texts'));
  expect(Object.keys(pseudoModules).map((name) => `${name}.ts`)).toEqual(files.toSorted());
});

test('a text of the pseudo-language is longer, and so is what its functions return', () => {
  expect(pseudoText('Set category…')).toBe('[Śééť çááťééğóóŕý…]');
  expect(pseudoText('S')).toBe('S');
  expect(pseudoModules.common.common.pageTitle('Ζώα')).toStartWith('[Ζώα – Á');
});

test('a count has the form of its number', () => {
  expect([0, 1, 2].map((count) => countRecords('pet', count))).toEqual([
    '0 animals',
    '1 animal',
    '2 animals',
  ]);
  expect(countRecords('category', 1, true)).toBe('1+ categories');
  expect(pluralize(1, { other: '#' })).toBe('1');
});

test('an import reads the words of an export for each status', () => {
  const index = { idOf: () => undefined, nameOf: () => undefined };
  const answers = { statusWords: new Map(), categoryWords: new Map() };
  const { statusOf } = createWordReader(answers, index).contextOf(undefined);
  const entries = Object.entries(statusesInFiles);
  expect(entries.map(([status, word]) => [status, statusOf(word)])).toEqual(
    entries.map(([status]) => [status, status]),
  );
});

test('no sentence of the console contains words of the server', () => {
  const textOf = (code: 'not_found' | 'invalid_body', message: string) =>
    errorText(Object.assign(new Error(message), { code }) as Parameters<typeof errorText>[0]);
  expect(textOf('not_found', 'There is no category 7')).toBe(
    'No category has the number 7. It may be deleted.',
  );
  expect(textOf('not_found', 'There is no photo 7')).toBe(
    'Nothing has the number 7. It may be deleted.',
  );
  expect(textOf('invalid_body', 'url must be an https URL of at most 2048 characters, …')).toBe(
    'The URL must begin with https:// and have at most 2048 characters. It must not contain a user, a password or a fragment.',
  );
});
