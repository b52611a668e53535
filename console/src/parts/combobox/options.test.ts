import { describe, expect, test } from 'bun:test';
import { findMeant, findOptions, type Option } from './options.ts';

const options: readonly Option[] = [
  ...[
    { value: '1', text: 'Bobcats', hint: '1' },
    { value: '2', text: 'Cats', hint: '2' },
  ],
  ...[
    { value: '12', text: 'Käfer', hint: '12' },
    { value: '3', text: 'Dogs', hint: '3' },
    { value: '4', text: 'Dogs', hint: '4' },
  ],
];
const newOf = (typed: string) => [{ value: `new ${typed}`, text: `New: ${typed}` }];
const find = (typed: string, added?: typeof newOf) =>
  findOptions(options, typed, true, added).map(({ value }) => value);

describe('a typed text finds options', () => {
  test('as the lists search, and first those that begin with it', () => {
    expect(find('cat')).toEqual(['2', '1']);
    expect(find('KAF')).toEqual(['12']);
    expect(find(' ')).toHaveLength(5);
  });

  test('by a whole number, of which a part finds none', () => {
    expect(find('12')).toEqual(['12']);
    expect(find('1')).toEqual(['1']);
  });

  test('and offers a new one, unless one of this name exists', () => {
    expect(find(' bobcat ', newOf)).toEqual(['1', 'new bobcat']);
    expect(find('bobcats', newOf)).toEqual(['1']);
  });
});

test('who leaves a field means the only option of the name, or the only one found', () => {
  const meant = (typed: string) =>
    findMeant(findOptions(options, typed, true, newOf), typed)?.value;
  expect(meant('cats')).toBe('2');
  expect(meant('Hamster')).toBe('new Hamster');
  expect(meant('bob')).toBeUndefined();
  expect(meant('dogs')).toBeUndefined();
  expect(meant('4')).toBe('4');
  expect(meant('')).toBeUndefined();
});
