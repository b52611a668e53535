import { describe, expect, test } from 'bun:test';
import { expectError, nextPath, readIds } from './support/answers.ts';
import { addPets, downFrom } from './support/catalogue.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp } from './support/test-app.ts';

const pet = { name: 'Rex', categoryId: 1n } as const;

/** 250 animals, of which every tenth is sold, and one is pending. The tests that share them add none. */
const opening = openSharedApp((app) =>
  addPets(
    app,
    Array.from({ length: 250 }, (_, index) => ({
      ...pet,
      status: index === 6 ? 'pending' : index % 10 === 9 ? 'sold' : 'available',
    })),
  ),
);

describe('GET /v1/pets', () => {
  test('answers [] without a Link if it has no animals', async () => {
    await using app = await openTestApp();
    const response = await app.send('/v1/pets');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('[]');
    expect(response.headers.get('link')).toBeNull();
  });

  test('answers an array of animals as JSON, which only the caller may cache', async () => {
    await using app = await openTestApp();
    await addPets(app, [pet, { name: 'Fluffy', categoryId: 2n, status: 'sold' }]);
    const response = await app.send('/v1/pets');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe(
      '[{"id":2,"name":"Fluffy","categoryId":2,"status":"sold"},' +
        '{"id":1,"name":"Rex","categoryId":1,"status":"available"}]',
    );
  });

  // axios and jQuery write lists like this, and an unknown parameter would be a filter without effect.
  test.each(['id[]=1&id[]=2', 'id%5B%5D=1', 'id[0]=1', 'id[0][]=1', 'id[a][b]=1'])(
    'refuses a list with brackets: ?%s',
    async (query) => {
      const app = await opening;
      const name = /^[a-z]+/.exec(query)?.[0];
      const message = await expectError(await app.send(`/v1/pets?${query}`), 'invalid_parameter');
      expect(message).toStartWith(`${name} must be sent without brackets`);
    },
  );

  test('ignores an unknown parameter with brackets', async () => {
    const app = await opening;
    expect(
      (await app.send('/v1/pets?utm[]=x&[]=1&ids[]=1&limit[]=2&toString[]=1&constructor[]=1'))
        .status,
    ).toBe(200);
  });

  test.each([
    '',
    '?limit=5',
    '?status=available',
    '?id=1&id=2',
    '?status=available&id=1&id=2&limit=1',
  ])('shows an animal that was added after the same list was cached: %j', async (query) => {
    await using app = await openTestApp();
    for (const id of [1, 2]) {
      await app.post({ name: 'Rex', categoryId: 1 });
      for (const _again of [1, 2]) {
        const [newest] = await readIds(await app.send(`/v1/pets${query}`));
        expect(newest).toBe(id);
      }
    }
  });

  test('lists the newest 20 without a limit', async () => {
    const { send } = await opening;
    expect(await readIds(await send('/v1/pets'))).toEqual(downFrom(250, 231));
  });

  test.each([
    ['0', '0'],
    ['101', '101'],
    ['empty', ''],
    ['010', '010'],
    ['a space and 5', '%205'],
    ['5.0', '5.0'],
    ['an Arabic digit', '٣'],
    ['2^64 + 5', '18446744073709551621'],
    ['given twice', '5&limit=5'],
  ])('answers 400 invalid_parameter to a limit of %s', async (_name, limit) => {
    const { send } = await opening;
    const response = await send(`/v1/pets?limit=${limit}`);
    expect(await expectError(response, 'invalid_parameter')).toStartWith('limit must ');
  });

  test.each(['', 'Sold', 'lost', 'sold,pending', '__proto__'])(
    'answers 400 invalid_parameter to status=%s',
    async (status) => {
      const { send } = await opening;
      const response = await send(`/v1/pets?status=${status}`);
      expect(await expectError(response, 'invalid_parameter')).toStartWith('status must ');
    },
  );

  test('ignores unknown parameters', async () => {
    const { send } = await opening;
    const path = '/v1/pets?limit=1&Limit=0&color=red&color=blue&=&__proto__=1';
    expect(await readIds(await send(path))).toEqual([250]);
  });
});

describe('sort and from', () => {
  test.each([
    ['sort=id', [1, 2, 3]],
    ['from=100', [100, 99, 98]],
    ['from=100&sort=id', [100, 101, 102]],
    ['from=7&sort=id&status=sold&categoryId=1', [10, 20, 30]],
    ['from=2&sort=id&id=1&id=2&id=2&id=9', [2, 9]],
    ['from=0', []],
    ['from=0&sort=id', [1, 2, 3]],
    ['from=-5&sort=id', [1, 2, 3]],
    ['from=251', [250, 249, 248]],
    ['from=251&sort=id', []],
    ['from=9223372036854775807', [250, 249, 248]],
    ['from=9223372036854775807&sort=id', []],
    ['from=-9223372036854775808', []],
    ['from=-9223372036854775808&sort=id', [1, 2, 3]],
  ])('start the page of %s', async (query, ids) => {
    const { send } = await opening;
    const response = await send(`/v1/pets?limit=3&${query}`);
    expect(response.headers.get('x-stability')).toBeNull();
    const link = response.headers.get('link') ?? '';
    expect(link).not.toContain('from=');
    expect(link.includes('sort=id')).toBe(link !== '' && query.includes('sort=id'));
    expect(await readIds(response)).toEqual(ids);
  });

  test('answer sort=-id with the cursor and the cached page of a list without it', async () => {
    const { send, responseCache } = await opening;
    const before = responseCache.entries;
    const links = new Set<string | null>();
    for (const query of ['', '&sort=-id', '', '&sort=-id']) {
      links.add((await send(`/v1/pets?limit=13${query}`)).headers.get('link'));
    }
    expect([links.size, responseCache.entries - before]).toEqual([1, 1]);
  });

  test.each([
    'sort=name',
    'sort=ID',
    'sort=id&sort=id',
    'from=1.0',
    'from=9223372036854775808',
    'from=1&from=1',
  ])('answer 400 invalid_parameter to %s', async (query) => {
    const { send } = await opening;
    const message = await expectError(await send(`/v1/pets?${query}`), 'invalid_parameter');
    expect(message).toStartWith(`${query.split('=')[0]} must `);
  });

  test('answer 400 invalid_parameter to from with a cursor', async () => {
    const { send } = await opening;
    const path = nextPath(await send('/v1/pets?limit=3&sort=id&from=5'));
    expect(await readIds(await send(`${path}`))).toEqual([8, 9, 10]);
    await expectError(await send(`${path}&from=5`), 'invalid_parameter');
  });
});

describe('the id filter', () => {
  test('accepts up to 100 ids, and answers 400 to 101', async () => {
    const { send } = await opening;
    const names = downFrom(101, 1).map((id) => `id=${id}`);
    const path = `/v1/pets?limit=100&${names.slice(1).join('&')}`;
    expect(await readIds(await send(path))).toEqual(downFrom(100, 1));
    const message = await expectError(
      await send(`/v1/pets?${names.join('&')}`),
      'invalid_parameter',
    );
    expect(message).toBe('id must appear at most 100 times, got 101');
  });

  test.each(['', '1.0', '01', '1,2', '9223372036854775808', '5&id='])(
    'answers 400 invalid_parameter to id=%s',
    async (id) => {
      const { send } = await opening;
      await expectError(await send(`/v1/pets?id=${id}`), 'invalid_parameter');
    },
  );
});
