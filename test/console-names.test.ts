import { expect, test } from 'bun:test';
import { animalName } from '../console/src/texts/animals.ts';
import { isolate, visibleName } from '../console/src/texts/short-name.ts';

const named = (name: string) => animalName({ id: 5n, name });

test('a name with right-to-left or direction characters does not reorder the sentence around it', () => {
  expect(named('כלב')).toBe('\u2068כלב\u2069 (animal 5)');
  expect(named('قطة 7')).toBe('\u2068قطة 7\u2069 (animal 5)');
  expect(named('𞤀𞤁')).toBe('\u2068𞤀𞤁\u2069 (animal 5)');
  expect(named('Rex\u202e')).toBe('\u2068Rex\u202e\u2069 (animal 5)');
  // A name cannot end its own isolation.
  expect(named('Rex\u2069\u202e')).toBe('\u2068Rex\u202e\u2069 (animal 5)');
  expect(named('\u2067Rex')).toBe('\u2068Rex\u2069 (animal 5)');
  expect(named('א'.repeat(100))).toBe(`\u2068${'א'.repeat(59)}…\u2069 (animal 5)`);
});

test('other names stay as they are, so that copied text has no invisible characters', () => {
  for (const name of ['Rex', 'Zoë', 'n\u0303', '小白', '🐕‍🦺', ''])
    expect(isolate(name)).toBe(name);
});

test('a name of which nothing is visible is shown as the number, so that its link can be seen', () => {
  const shown = (name: string) => visibleName({ id: 5n, name });
  for (const name of ['\u200b', '\u2066\u2067\u2068', ' \u3164\u2800', '\u00ad\u{e0041}'])
    expect(shown(name)).toBe('5');
  for (const name of ['Rex', '\u2067Rex', '🐕‍🦺', '.']) expect(shown(name)).toBe(name);
});
