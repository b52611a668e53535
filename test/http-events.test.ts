import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { createResponseCache } from '../src/http/answer/response-cache.ts';
import { createFeed } from '../src/http/feed/feed.ts';
import type { Database } from '../src/storage/contract/database.ts';
import { expectError, nextPath } from './support/answers.ts';
import { signIn, signInAsOwner } from './support/console-session.ts';
import { operatorKeyOf } from './support/new-key.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

const path = '/v1/events';

interface Event {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly timestamp: string;
  readonly requestId: string;
  readonly actor: string;
  readonly data: Record<string, unknown>;
  readonly previous?: Record<string, unknown>;
}

async function listEvents(app: TestApp, query = ''): Promise<Event[]> {
  const response = await app.send(`${path}${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Event[];
}

/** Repeats an action until the result is as expected. */
async function until<Result>(waiting: Promise<Result>, act: () => Promise<unknown>) {
  let isOver = false;
  const over = waiting.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await act();
    // On SQLite no answer lets a timer run.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return over;
}

/** Advances the clock until the result is available. A second ends only after the database has answered. */
const pass = <Result>(app: TestApp, waiting: Promise<Result>): Promise<Result> =>
  until(waiting, async () => {
    app.now += 1000;
    await app.send(path, { method: 'HEAD' });
  });

const readSequences = (text: string) =>
  (JSON.parse(text) as Event[]).map(({ sequence }) => sequence);

const typesOf = async (app: TestApp, query?: string) =>
  (await listEvents(app, query)).map(({ type }) => type);

const addAnimals = async (app: TestApp, count: number) => {
  for (let index = 0; index < count; index += 1) {
    expect((await app.post({ name: `Pet ${index}`, categoryId: 1 })).status).toBe(201);
  }
};

describe('the feed', () => {
  test('has each change of an animal, with the record as its own answer shows it', async () => {
    await using app = await openTestApp();
    const created = await app.post(
      { name: 'Rex', categoryId: 1 },
      { 'x-request-id': 'request-of-rex' },
    );
    const record = await created.text();
    await app.write('PATCH', '/v1/pets/1', { name: 'Max', status: 'sold' });
    const changed = await (await app.send('/v1/pets/1')).json();
    await app.write('DELETE', '/v1/pets/1');
    const text = await (await app.send(path)).text();
    expect(text).toContain(`"requestId":"request-of-rex","actor":"key:1","data":${record}}`);
    expect(JSON.parse(text)).toEqual([
      {
        id: expect.stringMatching(/^evt_1_[0-9A-Za-z]{8}$/),
        sequence: 1,
        type: 'pet.created',
        timestamp: new Date(app.now).toISOString(),
        requestId: 'request-of-rex',
        actor: 'key:1',
        data: JSON.parse(record),
      },
      expect.objectContaining({
        sequence: 2,
        type: 'pet.updated',
        data: changed,
        previous: { name: 'Rex', status: 'available' },
      }),
      expect.objectContaining({ sequence: 3, type: 'pet.deleted', data: changed }),
    ]);
  });

  test('names the key, the session with a key, or the session of an owner that made a change', async () => {
    await using app = await openTestApp({ operatorApiKey: operatorKeyOf('operator') });
    const { text: apiKey } = await app.createKey();
    const pet = { name: 'Rex', categoryId: 1 };
    await app.post(pet, { authorization: 'Bearer operator' });
    await app.post(pet);
    for (const page of [await signIn(app, { apiKey }), await signInAsOwner(app)]) {
      await page.write('POST', '/console/v1/pets', pet);
    }
    const actors = (await listEvents(app)).map(({ actor }) => actor);
    expect(actors).toEqual(['key:0', 'key:1', 'key:2', 'owner']);
  });

  test('has an order and then its animal, with one requestId', async () => {
    await using app = await openTestApp();
    await addAnimals(app, 2);
    await app.write(
      'POST',
      '/v1/store/orders',
      { petId: 1 },
      { headers: { 'x-request-id': 'order' } },
    );
    await app.write('PATCH', '/v1/store/orders/1', { status: 'shipped' });
    await app.write('POST', '/v1/store/orders', { petId: 2 });
    await app.write('DELETE', '/v1/store/orders/2', undefined, {
      headers: { 'x-request-id': 'cancel' },
    });
    const events = await listEvents(app, '?after=2');
    const brief = events.map(({ type, data, previous }) => [type, data.id, data.status, previous]);
    expect(brief).toEqual([
      ['order.created', 1, 'pending', undefined],
      ['pet.updated', 1, 'pending', { status: 'available' }],
      ['order.updated', 1, 'shipped', { status: 'pending', complete: false, shipDate: null }],
      ['pet.updated', 1, 'sold', { status: 'pending' }],
      ['order.created', 2, 'pending', undefined],
      ['pet.updated', 2, 'pending', { status: 'available' }],
      ['order.updated', 2, 'cancelled', { status: 'pending' }],
      ['pet.updated', 2, 'available', { status: 'pending' }],
    ]);
    expect(events.map(({ requestId }) => requestId).slice(0, 2)).toEqual(['order', 'order']);
    expect(events.map(({ requestId }) => requestId).slice(-2)).toEqual(['cancel', 'cancel']);
    expect(events[1]?.data).toEqual({ id: 1, name: 'Pet 0', categoryId: 1, status: 'pending' });
  });

  test('has categories, also when a description is added or removed', async () => {
    await using app = await openTestApp();
    await app.write('PUT', '/v1/categories/7', { name: 'Dogs' });
    await app.write('PUT', '/v1/categories/7', { name: 'Dogs', description: 'All' });
    await app.write('PUT', '/v1/categories/7', { name: 'Hounds' });
    await app.write('DELETE', '/v1/categories/7');
    await app.write('POST', '/v1/categories', { name: 'Cats' });
    const events = await listEvents(app);
    expect(events.map(({ type, data, previous }) => [type, data, previous])).toEqual([
      ['category.created', { id: 7, name: 'Dogs' }, undefined],
      ['category.updated', { id: 7, name: 'Dogs', description: 'All' }, { description: null }],
      ['category.updated', { id: 7, name: 'Hounds' }, { name: 'Dogs', description: 'All' }],
      ['category.deleted', { id: 7, name: 'Hounds' }, undefined],
      ['category.created', { id: 1, name: 'Cats' }, undefined],
    ]);
  });

  test('has no event for replays, refusals and empty changes', async () => {
    await using app = await openTestApp();
    const keyed = { 'idempotency-key': 'once' };
    await app.post({ name: 'Rex', categoryId: 1 }, keyed);
    await app.post({ name: 'Rex', categoryId: 1 }, keyed);
    await app.post({ name: 'Max', categoryId: 1 }, keyed);
    await app.write('PATCH', '/v1/pets/1', {});
    await app.write('PATCH', '/v1/pets/1', { name: 'Rex' });
    await app.write('PATCH', '/v1/pets/1', { name: 'Max' }, { headers: { 'if-match': '"other"' } });
    await app.write('POST', '/v1/store/orders', { petId: 9 });
    await app.write('DELETE', '/v1/pets/9');
    expect(await typesOf(app)).toEqual(['pet.created']);
  });
});

describe('GET /v1/events', () => {
  test('pages through the feed from a position, with a link while more events follow', async () => {
    await using app = await openTestApp();
    await addAnimals(app, 5);
    const seen: number[] = [];
    let next: string | undefined = `${path}?limit=2&after=1`;
    for (let count = 0; next !== undefined && count < 9; count += 1) {
      const page: Response = await app.send(next);
      seen.push(...((await page.json()) as Event[]).map(({ sequence }) => sequence));
      expect(page.headers.get('last-event-id')).toBe(String(seen.at(-1)));
      next = nextPath(page);
    }
    expect(seen).toEqual([2, 3, 4, 5]);
  });

  test('begins with the oldest event without a position, and after the newest with now', async () => {
    await using app = await openTestApp();
    await addAnimals(app, 2);
    expect((await listEvents(app)).map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect((await listEvents(app, '?after=0')).map(({ sequence }) => sequence)).toEqual([1, 2]);
    const now = await app.send(`${path}?after=now`);
    expect([await now.text(), now.headers.get('last-event-id')]).toEqual(['[]', '2']);
    expect([now.headers.get('link'), now.headers.get('etag')]).toEqual([null, null]);
    expect(now.headers.get('cache-control')).toBe('no-store');
  });

  test('filters by types and kinds, and returns the position up to which it scanned', async () => {
    await using app = await openTestApp();
    await addAnimals(app, 2);
    await app.write('POST', '/v1/store/orders', { petId: 1 });
    await addAnimals(app, 1);
    expect(await typesOf(app, '?type=order.*&type=pet.updated')).toEqual([
      'order.created',
      'pet.updated',
    ]);
    const none = await app.send(`${path}?type=category.*`);
    expect([await none.json(), none.headers.get('last-event-id')]).toEqual([[], '5']);
    const first = await app.send(`${path}?type=pet.*&limit=3`);
    expect(first.headers.get('last-event-id')).toBe('4');
    const far = await app.send(`${path}?type=pet.created&after=2`);
    expect([readSequences(await far.text()), far.headers.get('last-event-id')]).toEqual([[5], '5']);
    const link = `<http://animals.test${path}?limit=3&after=4&type=pet.*>; rel="next"`;
    expect(first.headers.get('link')).toBe(link);
  });

  test('lists the events of one record, and returns the end of the feed if no more follow', async () => {
    await using app = await openTestApp();
    await addAnimals(app, 3);
    await app.write('POST', '/v1/store/orders', { petId: 2 });
    await app.write('PUT', '/v1/categories/2', { name: 'Dogs' });
    await app.write('PUT', '/v1/categories/-2', { name: 'Cats' });
    await app.write('PATCH', '/v1/pets/2', { name: 'Max' });
    await addAnimals(app, 1);
    for (const [query, sequences, position] of [
      ['record=pet:2', [2, 5, 8], 9],
      ['record=pet:2&limit=3', [2, 5, 8], 9],
      ['record=pet:2&limit=2', [2, 5], 5],
      ['record=pet:2&limit=2&after=5', [8], 9],
      ['record=pet:2&type=pet.created&type=category.*', [2], 9],
      ['record=pet:2&type=category.*', [], 9],
      ['record=category:-2', [7], 9],
      ['record=order:1&after=4', [], 9],
      ['record=order:2&after=now', [], 9],
    ] as const) {
      const page = await app.send(`${path}?${query}`);
      const found = [readSequences(await page.text()), Number(page.headers.get('last-event-id'))];
      expect([query, ...found]).toEqual([query, [...sequences], position]);
      const next = page.headers.get('link')?.replaceAll('%3A', ':');
      expect(next?.includes(`limit=2&after=5&record=pet:2>`)).toBe(
        position === 9 ? undefined : true,
      );
    }
  });

  test.each([
    ['record=pet', 'record must be one of pet:ID, order:ID, category:ID'],
    ['record=pet:01', 'record must be one of'],
    ['record=feed:0', 'record must be one of'],
    ['record=category:9223372036854775808', 'record must be one of'],
    ['type=pet.sold', 'type must be one of'],
    ['after=01', 'after must be now or a position'],
    ['after=1000000000000000', 'after must be now or a position'],
    ['after=', 'after must not be empty'],
    ['wait=31', 'wait must be an integer from 0 to 30'],
    ['limit=0', 'limit must be an integer from 1 to 100'],
  ])('answers 400 to %s', async (query, message) => {
    await using app = await openTestApp();
    const answered = await expectError(await app.send(`${path}?${query}`), 'invalid_parameter');
    expect(answered).toStartWith(message);
  });

  test('answers 410 to positions that are deleted, in a gap, or were never assigned', async () => {
    await using app = await openTestApp();
    await addAnimals(app, 3);
    const expectGone = async (after: number, kept: string) => {
      for (const address of ['?', '/stream?', '?record=pet:3&', '/stream?record=order:1&']) {
        const response = await app.send(`${path}${address}after=${after}`);
        const message = await expectError(response, 'cursor_expired');
        expect(message).toStartWith(
          `Not all events after position ${after} are in the feed, which has ${kept}; take the position of after=now`,
        );
      }
    };
    await expectGone(4, 'those from 1 to 3');
    await expectGone(999_999_999_999_999, 'those from 1 to 3');
    const before = app.now + 1;
    expect(
      await app.database.write(background, 'deleteOldEvents', { before, eventsMax: 2 }),
    ).toEqual({
      ok: { workspaceId: 1n, workspace: 'default', first: 1, last: 2, count: 2 },
    });
    await expectGone(0, 'those from 3 to 3');
    await expectGone(1, 'those from 3 to 3');
    expect((await listEvents(app, '?after=2')).map(({ sequence }) => sequence)).toEqual([3]);
    expect((await listEvents(app)).map(({ sequence }) => sequence)).toEqual([3]);
    await app.database.write(background, 'deleteOldEvents', { before, eventsMax: 2 });
    await expectGone(2, 'none after 3');
    expect(await listEvents(app, '?after=3')).toEqual([]);
  });

  test('waits for the next event and returns it', async () => {
    await using app = await openTestApp();
    await addAnimals(app, 2);
    const waiting = app.send(`${path}?after=now&wait=30`);
    // The position of now may be read after the first of these is added.
    const response = await until(waiting, () => addAnimals(app, 1));
    const events = (await response.json()) as Event[];
    const sequences = events.map(({ sequence }) => sequence);
    const [first = 0] = sequences;
    expect(first).toBeGreaterThan(2);
    expect(sequences).toEqual(sequences.map((_sequence, index) => first + index));
    expect(response.headers.get('last-event-id')).toBe(String(sequences.at(-1)));
  });

  test.each(['type=order.*', 'record=pet:2'])(
    'with %s waits past other events, and not longer than requested',
    async (filter) => {
      await using app = await openTestApp();
      const waiting = app.send(`${path}?after=0&wait=30&${filter}`);
      await addAnimals(app, 1);
      const response = await pass(app, waiting);
      expect([await response.json(), response.headers.get('last-event-id')]).toEqual([[], '1']);
    },
  );

  test('never waits for HEAD', async () => {
    await using app = await openTestApp();
    const head = await app.send(`${path}?wait=30`, { method: 'HEAD' });
    expect([head.status, head.headers.get('last-event-id')]).toEqual([200, '0']);
  });

  test('answers 401 to a waiting request if its key is revoked', async () => {
    await using app = await openTestApp();
    const { text: apiKey, id } = await app.createKey();
    const waiting = app.send(`${path}?wait=30`, { apiKey });
    await app.database.write(background, 'revokeApiKey', { id, now: app.now });
    await expectError(await pass(app, waiting), 'invalid_api_key');
  });

  test.each([
    [[], []],
    [['pets:read'], ['pet.created', 'pet.updated', 'category.created']],
    [['orders:read'], ['order.created']],
    [
      ['pets:read', 'orders:read'],
      ['pet.created', 'order.created', 'pet.updated', 'category.created'],
    ],
  ] as const)(
    'with events:read and %p answers with %p, and a position after the others',
    async (others, types) => {
      await using app = await openTestApp();
      await addAnimals(app, 1);
      await app.write('POST', '/v1/store/orders', { petId: 1 });
      await app.write('POST', '/v1/categories', { name: 'Dogs' });
      const { text: apiKey } = await app.createKey({ scopes: ['events:read', ...others] });
      const page = await signIn(app, { apiKey });
      const answers = [await app.send(path, { apiKey }), await page.send('/console/v1/events')];
      for (const answer of answers) {
        const events = (await answer.json()) as Event[];
        expect(events.map(({ type }) => type)).toEqual([...types]);
        expect(answer.headers.get('last-event-id')).toBe('4');
      }
      expect((await app.send(`${path}?type=feed.reset`, { apiKey })).status).toBe(200);
    },
  );

  test.each([
    ['type=order.created', ['pets:read'], 'orders:read'],
    ['type=order.*', ['pets:read'], 'orders:read'],
    ['type=pet.*', ['orders:read'], 'pets:read'],
    ['type=category.deleted', ['orders:read'], 'pets:read'],
    ['record=category:7', ['orders:read'], 'pets:read'],
    ['record=order:7', ['pets:read'], 'orders:read'],
  ] as const)(
    'with %p as its filter, events:read and %p, answers 403 and names %s',
    async (filter, scopes, missing) => {
      await using app = await openTestApp();
      const { text: apiKey } = await app.createKey({ scopes: ['events:read', ...scopes] });
      for (const address of [path, `${path}/stream`]) {
        const response = await app.send(`${address}?type=feed.reset&${filter}`, { apiKey });
        expect(response.headers.get('www-authenticate')).toContain(`scope="${missing}"`);
        const message = await expectError(response, 'insufficient_scope');
        expect(message).toMatch(
          new RegExp(`^Events of (?:type )?\\S+ need a key with the scope ${missing}$`),
        );
      }
    },
  );
});

/** Another server on the same data, with its own settings. */
async function openBeside(one: TestApp, database: Database, keepsEvents = true): Promise<TestApp> {
  return await openTestApp({
    database,
    responseCache: createResponseCache(database, 2 ** 20),
    feed: createFeed({ database, keepsEvents, steadyNow: () => one.now }),
  });
}

test('the lists of another server have every record up to the position of after=now', async () => {
  await using one = await openTestApp();
  const { apiKey } = one;
  await using database = await one.data.open();
  await using other = await openBeside(one, database);
  const listAtOther = async () => (await other.send('/v1/pets', { apiKey })).text();
  // From here on it answers from its cache as long as it may.
  expect(await listAtOther()).toBe('[]');
  await one.post({ name: 'Rex', categoryId: 1 });
  const now = await one.send(`${path}?after=now`);
  expect(now.headers.get('last-event-id')).toBe('1');
  expect(await listAtOther()).toContain('Rex');
});

test('a server that keeps no events answers 410 to lists, waits and streams', async () => {
  await using open = await openTestApp();
  await using app = await openBeside(open, open.database, false);
  for (const query of ['', '?after=now', '/stream', '/stream?after=0']) {
    const response = await open.send(`${path}${query}`);
    expect(response.status).toBe(200);
    await response.body?.cancel();
    const refused = await app.send(`${path}${query}`, { apiKey: open.apiKey });
    expect(await expectError(refused, 'cursor_expired')).toBe('This server keeps no events');
  }
});
