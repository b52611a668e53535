import { describe, expect, test } from 'bun:test';
import naughtyStrings from 'big-list-of-naughty-strings/blns.json';
import { expectError, readPet, readPets } from './support/answers.ts';
import { isName } from './support/is-name.ts';
import { openSharedApp } from './support/shared-app.ts';

const opening = openSharedApp();

/** In the feed, after the events of all earlier tests. */
let position = '0';

/** The list has only texts in the Unicode form NFC, so this adds the other form of each. */
const strings = [...new Set(naughtyStrings.flatMap((text) => [text, text.normalize('NFD')]))];

/** Strings that the name of a test can contain. The others have their number in the list. */
const cases = strings.map((text, index) => [`${index} ${JSON.stringify(text)}`, text] as const);

describe('a naughty string as a name is returned as it was sent in every answer, or answers 400:', () => {
  test.each(cases)('%s', async (_name, name) => {
    const app = await opening;
    const response = await app.post({ name, categoryId: 1 });
    if (!isName(name)) {
      await expectError(response, 'invalid_body');
      return;
    }
    const record = await response.clone().text();
    const feed = await app.send(`/v1/events?after=${position}`);
    position = feed.headers.get('last-event-id') ?? '';
    const inFeed = record.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
    expect(await feed.text()).toContain(`"data":${inFeed}}`);
    const created = await readPet(response, 201);
    expect(created.name).toBe(name);
    expect(await readPet(await app.send(`/v1/pets/${created.id}`))).toEqual(created);
    expect(await readPets(await app.send('/v1/pets?limit=1'))).toEqual([created]);
    expect(await readPets(await app.send(`/v1/pets?id=${created.id}`))).toEqual([created]);
    const search = async (text: string) =>
      readPets(await app.send(`/v1/pets?limit=1&name=${encodeURIComponent(text)}`));
    const found = await search(name.toUpperCase());
    if (name.toUpperCase().toLowerCase() === name.toLowerCase()) expect(found).toEqual([created]);
    const plain = name.normalize('NFD').replaceAll(/[\u0300-\u036f]/g, '');
    if (isName(plain)) expect(await search(plain)).toEqual([created]);
    const category = { name, description: name };
    const put = await app.write('PUT', '/v1/categories/7', category);
    expect(await put.json()).toEqual({ id: 7, ...category });
    expect(await (await app.send('/v1/categories/7')).json()).toEqual({ id: 7, ...category });
  });

  test('and most of them are names', () => {
    expect(strings.filter(isName).length).toBeGreaterThan(400);
  });
});
