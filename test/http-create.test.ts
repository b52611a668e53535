import { describe, expect, test } from 'bun:test';
import { expectError, readIds, readPet } from './support/answers.ts';
import { addingNothing } from './support/catalogue.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp } from './support/test-app.ts';

const rex = { name: 'Rex', categoryId: 1 };

describe('POST /v1/pets', () => {
  test('answers 201 with the animal, its members in the documented order, and its Location', async () => {
    await using app = await openTestApp();
    const response = await app.post('{"status":"sold","categoryId":7,"name":"Rex"}');
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe('/v1/pets/1');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('preference-applied')).toBeNull();
    expect(await response.text()).toBe('{"id":1,"name":"Rex","categoryId":7,"status":"sold"}');
  });

  test('has a Location that returns the new animal, also below a configured base URL', async () => {
    await using app = await openTestApp({
      publicUrls: {
        production: 'https://animals.example/store/v1',
        staging: 'https://x.example/v1',
      },
    });
    expect((await app.post(rex)).headers.get('location')).toBe('/store/v1/pets/1');
    await using plain = await openTestApp();
    const location = (await plain.post(rex)).headers.get('location') ?? '';
    expect(await readPet(await plain.send(location))).toMatchObject({ id: 1n, name: 'Rex' });
  });

  test('uses no id for a refused request', async () => {
    await using app = await openTestApp();
    await readPet(await app.post(rex), 201);
    await expectError(await app.post({ name: 'Rex' }), 'invalid_body');
    await expectError(await app.post('{'), 'invalid_json');
    expect((await readPet(await app.post(rex), 201)).id).toBe(2n);
    expect(await readIds(await app.send('/v1/pets'))).toEqual([2, 1]);
  });

  test('ignores unknown members, also an id and inherited names', async () => {
    await using app = await openTestApp();
    const unknown = [
      '"id":99',
      '"Status":"sold"',
      '"constructor":{"status":"sold"}',
      '"__proto__":{"status":"sold","name":"Fluffy"}',
      '"toString":1',
      '"":null',
      '"workspaceId":2',
    ];
    const response = await app.post(`{"name":"Rex","categoryId":1,${unknown.join(',')}}`);
    expect(await response.text()).toBe('{"id":1,"name":"Rex","categoryId":1,"status":"available"}');
  });
});

describe('POST /v1/pets answers 400 invalid_body to', () => {
  const opening = openSharedApp();

  test.each([
    ['an array', '[]', 'object'],
    ['null', 'null', 'object'],
    ['no members', '{}', 'name is required; categoryId is required'],
    ['inherited members', '{"__proto__":{"name":"Rex","categoryId":1}}', 'name is required'],
    ['a name of null', '{"name":null,"categoryId":1}', 'name must'],
    ['a name of an array', '{"name":["Rex"],"categoryId":1}', 'name must'],
    ['a status of null', '{"name":"Rex","categoryId":1,"status":null}', 'status must'],
    ['a status of 0', '{"name":"Rex","categoryId":1,"status":0}', 'status must'],
    ['a status in upper case', '{"name":"Rex","categoryId":1,"status":"SOLD"}', 'status must'],
    ['an inherited status', '{"name":"Rex","categoryId":1,"status":"toString"}', 'status must'],
  ])('%s, and adds nothing', async (_name, body, message) => {
    const app = await opening;
    const response = await addingNothing(app, () => app.post(body));
    expect(await expectError(response, 'invalid_body')).toContain(message);
  });
});
