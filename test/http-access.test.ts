import { describe, expect, test } from 'bun:test';
import { scopes } from '../src/domain/access/api-key.ts';
import { operations } from '../src/http/operations.ts';
import { expectError, readIds, readPet } from './support/answers.ts';
import { addWorkspace } from './support/catalogue.ts';
import { openTestApp } from './support/test-app.ts';

const rex = { name: 'Rex', categoryId: 1 };

describe('the scope of a key', () => {
  test('pets:read lists and fetches, and answers 403 to a new animal', async () => {
    await using app = await openTestApp();
    const { text } = await app.createKey({ scopes: ['pets:read'] });
    await app.post(rex);
    expect(await readIds(await app.send('/v1/pets', { apiKey: text }))).toEqual([1]);
    expect((await app.send('/v1/pets/1', { apiKey: text })).status).toBe(200);
    const response = await app.post(rex, { authorization: `Bearer ${text}` });
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="animal-store", error="insufficient_scope", scope="pets:write"',
    );
    expect(await expectError(response, 'insufficient_scope')).toContain('pets:write');
    expect(await readIds(await app.send('/v1/pets'))).toEqual([1]);
  });

  test('pets:write adds, and answers 403 to a list and to a single animal', async () => {
    await using app = await openTestApp();
    const { text } = await app.createKey({ scopes: ['pets:write'] });
    await readPet(await app.post(rex, { authorization: `Bearer ${text}` }), 201);
    // What another key was just given is not to be had by this one.
    await app.send('/v1/pets');
    for (const path of ['/v1/pets', '/v1/pets/1']) {
      const response = await app.send(path, { apiKey: text });
      expect(response.headers.get('www-authenticate')).toContain('scope="pets:read"');
      await expectError(response, 'insufficient_scope');
    }
  });

  test('that can be granted is needed by an operation, so that no later version gives old keys more', () => {
    const needed = new Set(operations.map(({ scope }) => scope));
    expect(scopes.filter((scope) => !needed.has(scope))).toEqual([]);
  });

  test('is both unless asked otherwise, so that no client of the contract meets 403', async () => {
    await using app = await openTestApp();
    await readPet(await app.post(rex), 201);
    expect(await readIds(await app.send('/v1/pets'))).toEqual([1]);
    expect((await app.send('/v1/pets/1')).status).toBe(200);
  });
});

describe('two workspaces', () => {
  test('each count ids from 1 and list their own animals alone', async () => {
    await using app = await openTestApp();
    const other = await addWorkspace(app, 'other');
    const inOther = { authorization: `Bearer ${other}` };
    const created = [
      await readPet(await app.post({ name: 'Rex', categoryId: 1 }), 201),
      await readPet(await app.post({ name: 'Rita', categoryId: 1 }, inOther), 201),
      await readPet(await app.post({ name: 'Fluffy', categoryId: 1 }), 201),
    ];
    expect(created.map(({ id }) => id)).toEqual([1n, 1n, 2n]);
    expect(await readIds(await app.send('/v1/pets'))).toEqual([2, 1]);
    expect(await readIds(await app.send('/v1/pets', { apiKey: other }))).toEqual([1]);
    expect((await readPet(await app.send('/v1/pets/1'))).name).toBe('Rex');
    expect((await readPet(await app.send('/v1/pets/1', { apiKey: other }))).name).toBe('Rita');
  });

  test('do not see each other: an animal of the other is 404 and in no list', async () => {
    await using app = await openTestApp();
    const other = await addWorkspace(app, 'other');
    await app.post(rex);
    const foreign = await app.send('/v1/pets/1', { apiKey: other });
    const missing = await app.send('/v1/pets/1', { apiKey: await addWorkspace(app, 'third') });
    expect(await foreign.clone().text()).toBe(await missing.text());
    await expectError(foreign, 'not_found');
    for (const query of ['', '?id=1', '?status=available', '?id=1&status=available']) {
      expect(await readIds(await app.send(`/v1/pets${query}`, { apiKey: other }))).toEqual([]);
    }
  });

  test('gain nothing by a cursor of the other', async () => {
    await using app = await openTestApp();
    const other = await addWorkspace(app, 'other');
    const inOther = { authorization: `Bearer ${other}` };
    for (const headers of [{}, {}, {}, inOther]) await app.post(rex, headers);
    const link = (await app.send('/v1/pets?limit=1')).headers.get('link');
    const next = /<http:\/\/animals\.test(.+)>/.exec(link ?? '')?.[1] ?? '';
    expect(await readIds(await app.send(next, { apiKey: other }))).toEqual([1]);
  });
});
