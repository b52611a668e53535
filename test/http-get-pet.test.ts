import { describe, expect, test } from 'bun:test';
import { expectError, readPet } from './support/answers.ts';
import { addPets, equalPets } from './support/catalogue.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

/** Has one animal. The tests that share it add none. */
const opening = openSharedApp((app) =>
  addPets(app, [{ name: 'Rex', categoryId: 7n, status: 'sold' }]),
);

const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';
const successor = '<http://animals.test/v1/pets>; rel="successor-version"';

describe('GET /v1/pets/{petId}', () => {
  test('answers the animal as JSON, with its members in the documented order', async () => {
    const { send } = await opening;
    const response = await send('/v1/pets/1');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    expect(await response.text()).toBe('{"id":1,"name":"Rex","categoryId":7,"status":"sold"}');
  });

  test.each([
    '0',
    '2',
    '-1',
    '9223372036854775807',
    '18446744073709551617',
    '01',
    '1.0',
    '%31',
    'x',
    '__proto__',
    '9'.repeat(5000),
  ])('answers 404 not_found to petId %s', async (petId) => {
    const { send } = await opening;
    await expectError(await send(`/v1/pets/${petId}`), 'not_found');
  });
});

describe('until its removal, every answer of getPet has the date of the removal and the successor:', () => {
  const prefer = { headers: { prefer: '=' } };
  test.each<[string, number, (app: TestApp) => Promise<Response>]>([
    ['200', 200, ({ send }) => send('/v1/pets/1')],
    ['200 to HEAD', 200, ({ send }) => send('/v1/pets/1', { method: 'HEAD' })],
    ['400', 400, ({ send }) => send('/v1/pets/1', prefer)],
    ['401 without a key', 401, ({ send }) => send('/v1/pets/1', { apiKey: null })],
    ['401 with a key that does not open', 401, ({ send }) => send('/v1/pets/1', { apiKey: 'x' })],
    [
      '403',
      403,
      async ({ send, createKey }) =>
        send('/v1/pets/1', { apiKey: (await createKey({ scopes: ['pets:write'] })).text }),
    ],
    ['404', 404, ({ send }) => send('/v1/pets/2')],
    ['404 to what is no id', 404, ({ send }) => send('/v1/pets/x')],
  ])('%s', async (_name, httpStatus, request) => {
    expectNotice(await request(await opening), httpStatus);
  });

  test('500', async () => {
    await using app = await openTestApp({
      rateLimit: { count: 1, seconds: 1 },
      steadyNow: () => {
        throw new Error('A clock failed');
      },
    });
    expectNotice(await app.send('/v1/pets/1'), 500);
  });

  function expectNotice({ status, headers }: Response, httpStatus: number) {
    expect(status).toBe(httpStatus);
    expect(headers.get('deprecation')).toMatch(/^@[0-9]+$/);
    expect(headers.get('sunset')).toBe(sunset);
    expect(headers.get('link')).toBe(successor);
  }

  test('and the stable operations have no such headers', async () => {
    await using app = await openTestApp();
    const created = await app.post({ name: 'Rex', categoryId: 1 });
    for (const { headers } of [await app.send('/v1/pets'), created]) {
      expect(headers.get('deprecation')).toBeNull();
      expect(headers.get('sunset')).toBeNull();
      expect(headers.get('link')).toBeNull();
    }
  });
});

describe('on 5 December 2030', () => {
  const lastMoment = Date.parse('2030-12-04T23:59:59.999Z');
  const removedAt = Date.parse('2030-12-05T00:00:00Z');

  async function openAt(now: number): Promise<TestApp> {
    const app = await openTestApp();
    await addPets(app, equalPets(1));
    app.now = now;
    return app;
  }

  test('getPet answers 200 until the millisecond before', async () => {
    await using app = await openAt(lastMoment);
    const response = await app.send('/v1/pets/1');
    expect(response.headers.get('deprecation')).toMatch(/^@[0-9]+$/);
    expect((await readPet(response)).id).toBe(1n);
  });

  test.each([
    ['from its first moment', removedAt],
    ['ten years later', Date.UTC(2040, 11, 5)],
  ])(
    'getPet answers 410 %s, with Sunset and the link, and without Deprecation',
    async (_name, now) => {
      await using app = await openAt(now);
      for (const path of ['/v1/pets/1', '/v1/pets/2', '/v1/pets/x']) {
        const response = await app.send(path);
        expect(response.headers.get('sunset')).toBe(sunset);
        expect(response.headers.get('link')).toBe(successor);
        expect(response.headers.get('deprecation')).toBeNull();
        expect(await expectError(response, 'operation_removed')).toContain('2030-12-05');
      }
    },
  );

  test('201 has no Location, because it would answer 410', async () => {
    await using before = await openAt(lastMoment);
    await using after = await openAt(removedAt);
    const body = { name: 'Rex', categoryId: 1 };
    const [there, gone] = [await before.post(body), await after.post(body)];
    expect(there.headers.get('location')).toBe('/v1/pets/2');
    expect(gone.headers.get('location')).toBeNull();
    expect((await readPet(gone, 201)).id).toBe(2n);
  });
});
