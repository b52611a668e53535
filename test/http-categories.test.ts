import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { expectError, nextCursor, readIds } from './support/answers.ts';
import { addPets, equalPets, idsIn, readPages } from './support/catalogue.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

const put = (app: TestApp, id: string, category: unknown, headers = {}) =>
  app.write('PUT', `/v1/categories/${id}`, category, { headers });

const add = (app: TestApp, category: unknown, headers = {}) =>
  app.write('POST', '/v1/categories', category, { headers });

const remove = (app: TestApp, id: string, headers: Record<string, string> = {}) =>
  app.send(`/v1/categories/${id}`, { method: 'DELETE', headers });

const get = async (app: TestApp, id: string) => (await app.send(`/v1/categories/${id}`)).text();

describe('POST /v1/categories', () => {
  test('adds a category and answers with its Location, its tag and its JSON', async () => {
    await using app = await openTestApp();
    const response = await add(app, { name: 'Dogs', description: 'Of every\nsize', id: 9 });
    expect([response.status, response.headers.get('location')]).toEqual([201, '/v1/categories/1']);
    expect(response.headers.get('x-stability')).toBe('beta');
    const text = '{"id":1,"name":"Dogs","description":"Of every\\nsize"}';
    expect(await response.text()).toBe(text);
    const read = await app.send('/v1/categories/1');
    expect(await read.text()).toBe(text);
    expect(read.headers.get('etag')).toBe(response.headers.get('etag') ?? '');
    expect(await (await add(app, { name: 'Dogs' })).text()).toBe('{"id":2,"name":"Dogs"}');
  });

  test('skips the ids that clients chose, however many they are, and gives no id twice', async () => {
    await using app = await openTestApp();
    const chosen = ['1', '3', '4', '9007199254740993', '-1', '9223372036854775807'];
    for (const id of chosen) await put(app, id, { name: 'Chosen' });
    const ids = async (count: number) => {
      const added = await Promise.all(Array.from({ length: count }, () => add(app, { name: 'x' })));
      return (await Promise.all(added.map((answer) => answer.json() as Promise<{ id: number }>)))
        .map(({ id }) => id)
        .sort();
    };
    expect(await ids(1)).toEqual([2]);
    expect(await ids(3)).toEqual([5, 6, 7]);
    await remove(app, '7');
    await remove(app, '3');
    expect(await ids(1)).toEqual([8]);
    const many = Array.from({ length: 10_500 }, (_, index) => BigInt(index + 9));
    const named = { workspaceId: 1n, category: { name: 'Chosen' }, precondition: {} };
    // The queue for commands takes a few thousand.
    for (const part of [many.slice(0, 8000), many.slice(8000)]) {
      await Promise.all(
        part.map((id) => app.database.write(background, 'putCategory', { ...named, id })),
      );
    }
    expect(await ids(2)).toEqual([10_509, 10_510]);
  });

  test.each([
    [{}, 'name is required'],
    [{ name: null }, 'name must be a string'],
    [{ name: ' ' }, 'name must be a string of 1 to 255 characters'],
    [{ name: 'Dogs', description: null }, 'description must be a string of at most 1000'],
    [{ name: 'Dogs', description: 'x'.repeat(1001) }, 'description must be a string of at most'],
    [{ name: 'Dogs', description: 'a\u0000' }, 'description must be a string of at most 1000'],
    [{ name: 'Dogs', description: '\ud800' }, 'description must be a string of at most 1000'],
    [[], 'The body must be a JSON object'],
  ])('rejects %j and adds nothing', async (category, message) => {
    await using app = await openTestApp();
    expect(await expectError(await add(app, category), 'invalid_body')).toContain(message);
    expect(await expectError(await put(app, '7', category), 'invalid_body')).toContain(message);
    expect(await (await app.send('/v1/categories')).text()).toBe('[]');
  });
});

describe('PUT /v1/categories/{categoryId}', () => {
  test.each(['7', '0', '-5', '9223372036854775807', '-9223372036854775808', '9007199254740993'])(
    'names the category %s, then replaces its name',
    async (id) => {
      await using app = await openTestApp();
      const made = await put(app, id, { name: 'Dogs', description: 'Small' });
      expect([made.status, made.headers.get('location')]).toEqual([201, `/v1/categories/${id}`]);
      expect(await made.text()).toBe(`{"id":${id},"name":"Dogs","description":"Small"}`);
      const replaced = await put(app, id, { name: 'Cats' });
      expect([replaced.status, replaced.headers.get('location')]).toEqual([200, null]);
      expect(await get(app, id)).toBe(`{"id":${id},"name":"Cats"}`);
      expect(await (await app.send('/v1/categories')).text()).toBe(`[${await get(app, id)}]`);
    },
  );

  test.each(['x', '1.0', '9223372036854775808', '01'])('answers 404 for %s', async (id) => {
    await using app = await openTestApp();
    await expectError(await put(app, id, { name: 'Dogs' }), 'not_found');
  });

  test('accepts a category as it was read, strict or not, and rejects the id of another', async () => {
    await using app = await openTestApp();
    for (const id of ['7', '9223372036854775807']) {
      await put(app, id, { name: 'Dogs', description: 'Small' });
      const text = await get(app, id);
      for (const headers of [{}, { prefer: 'handling=strict' }]) {
        const kept = await put(app, id, text, headers);
        expect([kept.status, await kept.text()]).toEqual([200, text]);
        for (const [other, fault] of [
          ['8', `id must be that of the path, ${id}, got 8`],
          [`"${id}"`, 'id must be an integer'],
          ['null', 'id must be an integer'],
        ] as const) {
          const refused = await put(app, id, `{"id":${other},"name":""}`, headers);
          const message = await expectError(refused, 'invalid_body');
          expect(message).toContain(fault);
          expect(message).toContain('name must be a string');
        }
      }
      expect(await get(app, id)).toBe(text);
    }
    const strict = { prefer: 'handling=strict' };
    await expectError(await put(app, '7', { name: 'Dogs', color: 1 }, strict), 'unknown_field');
    await expectError(await add(app, { name: 'Dogs', id: 1 }, strict), 'unknown_field');
  });

  test('only adds with If-None-Match: *, and only replaces with If-Match', async () => {
    await using app = await openTestApp();
    const onlyNew = { 'if-none-match': '*' };
    await expectError(
      await put(app, '7', { name: 'x' }, { 'if-match': '*' }),
      'precondition_failed',
    );
    const made = await put(app, '7', { name: 'Dogs' }, onlyNew);
    expect(made.status).toBe(201);
    await expectError(await put(app, '7', { name: 'Cats' }, onlyNew), 'precondition_failed');
    const tag = made.headers.get('etag') ?? '';
    const unlessSame = { 'if-none-match': `W/${tag}` };
    await expectError(await put(app, '7', { name: 'Cats' }, unlessSame), 'precondition_failed');
    expect((await put(app, '7', { name: 'Cats' }, { 'if-match': tag })).status).toBe(200);
    await expectError(
      await put(app, '7', { name: 'x' }, { 'if-match': tag }),
      'precondition_failed',
    );
    await expectError(
      await put(app, '7', { name: 'x' }, { 'if-none-match': 'x' }),
      'invalid_header',
    );
    expect(await get(app, '7')).toBe('{"id":7,"name":"Cats"}');
  });
});

describe('DELETE /v1/categories/{categoryId}', () => {
  test('removes the name of a category, and leaves its animals alone', async () => {
    await using app = await openTestApp();
    await put(app, '7', { name: 'Dogs' });
    await app.post({ name: 'Rex', categoryId: 7 });
    const removed = await remove(app, '7', { 'idempotency-key': 'a' });
    expect([removed.status, await removed.text()]).toEqual([204, '']);
    await expectError(await remove(app, '7'), 'not_found');
    expect((await remove(app, '7', { 'idempotency-key': 'a' })).status).toBe(204);
    await expectError(await app.send('/v1/categories/7'), 'not_found');
    expect(await readIds(await app.send('/v1/pets?categoryId=7'))).toEqual([1]);
  });
});

describe('GET /v1/categories', () => {
  test('lists every category once, from the highest id to the lowest int64', async () => {
    await using app = await openTestApp();
    const ids = ['9223372036854775807', '5', '1', '0', '-1', '-9223372036854775808'];
    for (const id of ids) await put(app, id, { name: `Number ${id}` });
    const each = ids.map((id) => `[{"id":${id},"name":"Number ${id}"}]`);
    expect(await readPages(app, '/v1/categories?limit=1')).toEqual(each);
    const pages = await readPages(app, '/v1/categories?limit=4');
    expect(pages.join('').replace('][', ',')).toBe(each.join('').replaceAll('][', ','));
  });

  test('rejects the cursor of another list, and lists no category of another workspace', async () => {
    await using app = await openTestApp();
    await addPets(app, equalPets(2));
    await put(app, '7', { name: 'Dogs' });
    const cursor = nextCursor(await app.send('/v1/pets?limit=1'));
    const refused = await app.send(`/v1/categories?cursor=${cursor}`);
    expect(await expectError(refused, 'invalid_cursor')).toBe('cursor belongs to another list');
    await app.database.write(background, 'createWorkspace', { name: 'other', now: app.now });
    const { text: apiKey } = await app.createKey({ workspace: 'other' });
    expect(await (await app.send('/v1/categories', { apiKey })).text()).toBe('[]');
    await expectError(await app.send('/v1/categories/7', { apiKey }), 'not_found');
    await expectError(
      await app.send('/v1/categories/7', { apiKey, method: 'DELETE' }),
      'not_found',
    );
  });
});

describe('GET /v1/pets?categoryId', () => {
  test('lists the animals of a category, alone and with status and ids, page by page', async () => {
    await using app = await openTestApp();
    const statuses = ['available', 'pending', 'sold'] as const;
    await addPets(
      app,
      Array.from({ length: 30 }, (_, index) => ({
        name: `Pet ${index}`,
        categoryId: index % 2 === 0 ? 9223372036854775807n : -1n,
        status: statuses[index % 3] ?? 'sold',
      })),
    );
    const most = 'categoryId=9223372036854775807';
    const odd = Array.from({ length: 15 }, (_, index) => 29 - 2 * index);
    const idsOf = async (path: string) => (await readPages(app, path)).flatMap(idsIn);
    expect(await idsOf(`/v1/pets?${most}&limit=4`)).toEqual(odd);
    expect(await idsOf(`/v1/pets?${most}&limit=2&status=sold`)).toEqual([27, 21, 15, 9, 3]);
    expect(await idsOf(`/v1/pets?${most}&id=3&id=4&id=5&limit=1`)).toEqual([5, 3]);
    expect(await idsOf(`/v1/pets?${most}&id=3&id=4&id=5&status=sold`)).toEqual([3]);
    expect(await idsOf('/v1/pets?categoryId=-1&limit=100')).toEqual(odd.map((id) => id + 1));
    expect(await idsOf('/v1/pets?categoryId=9007199254740993')).toEqual([]);
    const cursor = nextCursor(await app.send(`/v1/pets?${most}&limit=1`));
    const refused = await app.send(`/v1/pets?categoryId=-1&cursor=${cursor}`);
    expect(await expectError(refused, 'invalid_cursor')).toContain('categoryId');
  });

  test.each(['x', '', '1.0', '9223372036854775808'])('answers 400 to %j', async (value) => {
    await using app = await openTestApp();
    await expectError(await app.send(`/v1/pets?categoryId=${value}`), 'invalid_parameter');
  });
});
