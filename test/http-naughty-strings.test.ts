import { afterAll, describe, expect, test } from 'bun:test';
import naughtyStrings from 'big-list-of-naughty-strings/blns.json';
import { expectError, readIds, readPet, readPets } from './support/answers.ts';
import { isName } from './support/is-name.ts';
import { openTestApp } from './support/test-app.ts';

const opening = openTestApp();

/** In the feed, after the events of all earlier tests. */
let position = '0';
afterAll(async () => (await opening)[Symbol.asyncDispose]());

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

describe('a naughty string in place of', () => {
  test('an id, a status, a limit or a cursor answers 404 or 400, unless it is a valid one', async () => {
    const app = await opening;
    for (const text of strings) {
      const sent = encodeURIComponent(text.toWellFormed());
      if (/^[1-9][0-9]{0,2}$/.test(text)) {
        expect((await app.send(`/v1/pets?id=${sent}`)).status).toBe(200);
        continue;
      }
      const isInt64 = /^(?:0|-?[1-9][0-9]{0,17})$/.test(text);
      await expectError(
        await app.send(`/v1/pets/${sent}`),
        // An empty text is another path, and URL parsers resolve one of dots.
        /^\.{0,2}$/.test(text) ? 'route_not_found' : 'not_found',
      );
      if (isInt64) expect(await readIds(await app.send(`/v1/pets?id=${sent}`))).toEqual([]);
      else await expectError(await app.send(`/v1/pets?id=${sent}`), 'invalid_parameter');
      await expectError(await app.send(`/v1/pets?status=${sent}`), 'invalid_parameter');
      await expectError(await app.send(`/v1/pets?limit=${sent}`), 'invalid_parameter');
      await expectError(
        await app.send(`/v1/pets?cursor=${sent}`),
        text === '' ? 'invalid_parameter' : 'invalid_cursor',
      );
    }
    expect(app.failures).toEqual([]);
  });

  test('an unknown parameter or member is ignored, and escaped in the message if it is rejected', async () => {
    const app = await opening;
    const prefer = { prefer: 'handling=strict' };
    for (const text of strings.filter((each) => each !== '')) {
      const query = new URLSearchParams([[`x${text}`, text]]);
      const path = `/v1/pets?limit=1&${query}`;
      expect((await app.send(path)).status).toBe(200);
      await expectError(await app.send(path, { headers: prefer }), 'unknown_field');
      const body = { name: 'Rex', categoryId: 1, [`x${text}`]: text };
      await expectError(await app.post(body, prefer), 'unknown_field');
    }
    expect(app.failures).toEqual([]);
  });
});
