import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { expectError, readPet, readPets } from './support/answers.ts';
import { addingNothing } from './support/catalogue.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp } from './support/test-app.ts';

const cat = '\u{1f431}';

describe('a name is kept as it was sent:', () => {
  test.each([
    ['255 letters', 'a'.repeat(255)],
    ['255 emoji, each of two UTF-16 units', cat.repeat(255)],
    ['255 letters of three bytes', '\u732b'.repeat(255)],
    ['composed', 'Ren\u00e9'],
    ['decomposed', 'Rene\u0301'],
    ['white space at both ends', '  Rex\u00a0\u3000'],
    [
      'right to left, with marks of direction',
      '\u202e\u05db\u05dc\u05d1\u200f \u0643\u0644\u0628\u202c',
    ],
    ['a family of emoji', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u{1f3fd}'],
    ['noncharacters and private use', '\ufffe\uffff\u{10ffff}\ue000'],
    ['the replacement character', '\ufffd'],
    ['quotes and backslashes', '"Rex\\" \\u0041 \'x\' `y` \\n'],
    ['text in JSON, HTML and SQL syntax', '{"a":1}</script><b>\'; DROP TABLE pets;--'],
    ['names of inherited members', '__proto__'],
    ['many combining marks on one letter', `e${'\u0301'.repeat(200)}`],
  ])('%s', async (_name, name) => {
    await using app = await openTestApp();
    const created = await readPet(await app.post({ name, categoryId: 1 }), 201);
    expect(created.name).toBe(name);
    expect((await readPet(await app.send('/v1/pets/1'))).name).toBe(name);
    expect(await readPets(await app.send('/v1/pets'))).toEqual([created]);
  });
});

describe('POST /v1/pets answers 400 invalid_body to a name', () => {
  const opening = openSharedApp();

  test.each([
    ['without characters', '""'],
    ['of 256 letters', JSON.stringify('a'.repeat(256))],
    ['of 255 letters and an emoji', JSON.stringify('a'.repeat(255) + cat)],
    [
      'of many kinds of white space',
      JSON.stringify(' \u00a0\u1680\u2003\u202f\u205f\u3000\u2028\u2029'),
    ],
    ...[...'\u00ad\u115f\u200b\u200e\u2060\u2800\u3164\ufeff\uffa0\u{e0061}'].map((unseen) => [
      `of characters that are not shown, U+${unseen.codePointAt(0)?.toString(16)}`,
      JSON.stringify(` ${unseen}\u2003${unseen}`),
    ]),
    ['with U+0000', String.raw`"Rex\u0000"`],
    ['with a line break', String.raw`"Rex\n"`],
    ['with U+007F', '"Rex\u007f"'],
    ['with U+0085, which Unicode counts as white space', '"Rex\u0085"'],
    ['with a lone high surrogate', String.raw`"Rex\ud83d"`],
    ['with a lone low surrogate', String.raw`"\udc31Rex"`],
    ['with surrogates the wrong way round', String.raw`"\udc31\ud83d"`],
  ])('%s, and adds nothing', async (_name, name) => {
    const app = await opening;
    const body = `{"name":${name},"categoryId":1}`;
    const response = await addingNothing(app, () => app.post(body));
    expect(await expectError(response, 'invalid_body')).toStartWith('name must ');
  });
});

// Earlier versions took such names.
describe('a stored name that cannot be seen', () => {
  const unseen = '\u200b\u2800';
  test('of an animal stays, can be repeated, and no other name becomes one', async () => {
    await using app = await openTestApp();
    const pet = { name: unseen, categoryId: 1n };
    await app.database.write(background, 'createPets', {
      workspaceId: 1n,
      pets: [pet, { ...pet, name: 'Rex' }],
    });
    const changed = await app.write('PATCH', '/v1/pets/1', { name: unseen, categoryId: 2 });
    expect(await readPet(changed)).toMatchObject({ name: unseen, categoryId: 2n });
    for (const [id, name] of [
      [1, '\u200b'],
      [2, unseen],
    ]) {
      const response = await app.write('PATCH', `/v1/pets/${id}`, { name });
      expect(await expectError(response, 'invalid_body')).toStartWith('name must ');
    }
    expect((await readPet(await app.send('/v1/pets/2'))).name).toBe('Rex');
  });

  test('of a category stays, can be repeated, and no other name becomes one', async () => {
    await using app = await openTestApp();
    const category = { name: unseen };
    await app.database.write(background, 'createCategory', { workspaceId: 1n, category });
    const repeated = await app.write('PUT', '/v1/categories/1', {
      name: unseen,
      description: 'new',
    });
    expect(repeated.status).toBe(200);
    for (const id of [1, 2]) {
      const response = await app.write('PUT', `/v1/categories/${id}`, { name: '\u3164' });
      expect(await expectError(response, 'invalid_body')).toStartWith('name must ');
    }
    expect((await app.send('/v1/categories/2')).status).toBe(404);
  });
});
