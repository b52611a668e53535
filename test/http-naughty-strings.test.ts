import { afterAll, describe, expect, test } from 'bun:test';
import naughtyStrings from 'big-list-of-naughty-strings/blns.json';
import { expectError, readIds, readPet, readPets } from './support/answers.ts';
import { isName } from './support/is-name.ts';
import { openTestApp } from './support/test-app.ts';

const opening = openTestApp();

/** In the feed, after the events of all tests before. */
let position = '0';
afterAll(async () => (await opening)[Symbol.asyncDispose]());

/** Whatever would change its form in Unicode (NFC) stands in the list in that form; so here it is in the other too. */
const strings = [...new Set(naughtyStrings.flatMap((text) => [text, text.normalize('NFD')]))];

/** Those that can stand in the test's own name; the others are told by their place in the list. */
const cases = strings.map((text, index) => [`${index} ${JSON.stringify(text)}`, text] as const);

describe('a naughty string as a name comes back in every answer as it was sent, or answers 400:', () => {
  test.each(cases)('%s', async (_name, name) => {
    const app = await opening;
    const response = await app.post({ name, categoryId: 1 });
    if (!isName(name)) {
      await expectError(response, 'invalid_body');
      return;
    }
    const record = await response.clone().text();
    const told = await app.send(`/v1/events?after=${position}`);
    position = told.headers.get('last-event-id') ?? '';
    expect(await told.text()).toContain(`"data":${record}}`);
    const created = await readPet(response, 201);
    expect(created.name).toBe(name);
    expect(await readPet(await app.send(`/v1/pets/${created.id}`))).toEqual(created);
    expect(await readPets(await app.send('/v1/pets?limit=1'))).toEqual([created]);
    expect(await readPets(await app.send(`/v1/pets?id=${created.id}`))).toEqual([created]);
    const wanted = encodeURIComponent(name.toUpperCase());
    const found = await readPets(await app.send(`/v1/pets?limit=1&name=${wanted}`));
    if (name.toUpperCase().toLowerCase() === name.toLowerCase()) expect(found).toEqual([created]);
    const category = { name, description: name };
    const put = await app.send('/v1/categories/7', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(category),
    });
    expect(await put.json()).toEqual({ id: 7, ...category });
    expect(await (await app.send('/v1/categories/7')).json()).toEqual({ id: 7, ...category });
  });

  test('and most of them are names', () => {
    expect(strings.filter(isName).length).toBeGreaterThan(400);
  });
});

describe('a naughty string in place of', () => {
  test('an id, a status, a limit or a cursor answers 404 or 400, but for what happens to be one', async () => {
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
        // An empty text is another path, and one of dots leads elsewhere, as in every address.
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

  test('an unknown parameter or member is ignored, and named safely where it is refused', async () => {
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
