import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { DatabaseUnavailable } from '../src/storage/contract/database-error.ts';
import { expectError } from './support/answers.ts';
import { openStream, type StreamOptions } from './support/event-stream.ts';
import { connect, nextTurn } from './support/raw-connection.ts';
import { openTestServer, type TestServer } from './support/test-server.ts';

const path = '/v1/events/stream';

const stream = (server: TestServer, options: Partial<StreamOptions> = {}) =>
  openStream(`http://127.0.0.1:${server.port}`, { apiKey: server.app.apiKey, ...options });

const addAnimals = async ({ app }: TestServer, count: number, name = 'Rex') => {
  for (let index = 0; index < count; index += 1) {
    expect((await app.post({ name, categoryId: 1 })).status).toBe(201);
  }
};

/** The status of a new stream, as soon as the key may have one more. */
async function statusOfNext(server: TestServer): Promise<number> {
  for (;;) {
    await nextTurn();
    await using next = await stream(server);
    if (next.response.status !== 429) return next.response.status;
  }
}

/** Lets the clock of deadlines be ahead until it is disposed. */
function advanceClock(milliseconds: number): Disposable {
  const { now } = performance;
  Object.assign(performance, { now: () => now.call(performance) + milliseconds });
  return { [Symbol.dispose]: () => void Object.assign(performance, { now }) };
}

describe('a stream of events', () => {
  test('sends stored events and then new ones, each with the text of the list', async () => {
    await using server = await openTestServer();
    await addAnimals(server, 3, '"\u{1f431}\u2028\\');
    await using events = await stream(server, { query: '?after=1' });
    expect(events.response.status).toBe(200);
    expect(Object.fromEntries(events.response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-stability': 'beta',
    });
    // No block is without data, because some readers take each block for an event.
    const { retry, id = 0, data = '' } = (await events.nextFrame()) ?? {};
    expect([retry, id]).toEqual([3000, 2]);
    const seen: Awaited<ReturnType<typeof events.nextEvent>>[] = [{ id, data }];
    seen.push(await events.nextEvent());
    await addAnimals(server, 1);
    seen.push(await events.nextEvent());
    expect(seen.map((event) => event?.id)).toEqual([2, 3, 4]);
    const list = await (await server.app.send('/v1/events?after=1')).text();
    expect(`[${seen.map((event) => event?.data).join(',')}]`).toBe(list);
  });

  test('with after=now begins with its position, so that a client that loses it at once misses nothing', async () => {
    await using server = await openTestServer();
    await addAnimals(server, 2);
    const lost = await stream(server, { query: '?after=now' });
    expect(await lost.nextFrame()).toEqual({ retry: 3000, id: 2 });
    await lost[Symbol.asyncDispose]();
    await addAnimals(server, 1);
    await using events = await stream(server, { query: '?after=now', lastEventId: 2 });
    expect((await events.nextEvent())?.id).toBe(3);
  });

  test('of a key without pets:read has the events of orders only', async () => {
    await using server = await openTestServer();
    const { app } = server;
    const { text: apiKey } = await app.createKey({ scopes: ['events:read', 'orders:read'] });
    await using events = await stream(server, { apiKey, query: '?after=0' });
    await addAnimals(server, 1);
    expect((await app.write('POST', '/v1/store/orders', { petId: 1 })).status).toBe(201);
    const event = await events.nextEvent();
    expect([event?.id, event?.data]).toEqual([2, expect.stringContaining('"order.created"')]);
  });

  test.each(['type=category.*', 'record=category:1'])(
    'with %s moves its position past the other events, also past deleted ones',
    async (filter) => {
      await using server = await openTestServer();
      const { app } = server;
      await using events = await stream(server, { query: `?after=0&${filter}` });
      await events.waitFor(': connected\n');
      await addAnimals(server, 3);
      app.now += 15_000;
      expect(await events.nextFrame()).toEqual({ retry: 3000, id: 3 });
      app.now += 15_000;
      // A heartbeat is no block.
      await events.waitFor(':\n');
      await app.database.write(background, 'deleteOldEvents', { before: app.now, eventsMax: 3 });
      await using resumed = await stream(server, { query: `?${filter}`, lastEventId: 3 });
      await app.write('POST', '/v1/categories', { name: 'Dogs' });
      expect((await resumed.nextEvent())?.id).toBe(4);
      expect((await events.nextEvent())?.id).toBe(4);
    },
  );

  test('has no length, also for HEAD', async () => {
    await using server = await openTestServer();
    const headers = { authorization: `Bearer ${server.app.apiKey}` };
    const url = `http://127.0.0.1:${server.port}${path}`;
    const response = await fetch(url, { method: 'HEAD', headers });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
    expect(await response.text()).toBe('');
  });

  test('sends no position that its client has', async () => {
    await using server = await openTestServer();
    await addAnimals(server, 2);
    await using events = await stream(server, { query: '?after=2' });
    await events.waitFor(': connected\n');
    await addAnimals(server, 1);
    expect(await events.nextFrame()).toMatchObject({ retry: 3000, id: 3 });
  });

  test('sends no heartbeat while events cannot be read, says so once in the log, and ends', async () => {
    await using server = await openTestServer();
    const { app } = server;
    await using events = await stream(server);
    await events.waitFor(': connected\n');
    let reads = 0;
    const readEvents = () => {
      reads += 1;
      throw new DatabaseUnavailable('down');
    };
    const { readEvents: readAgain } = app.database;
    Object.assign(app.database, { readEvents });
    await addAnimals(server, 1);
    while (reads === 0) await nextTurn();
    app.now += 16_000;
    await addAnimals(server, 1);
    while (reads === 1) await nextTurn();
    Object.assign(app.database, { readEvents: readAgain });
    app.now += 500;
    expect(await events.nextFrame()).toMatchObject({ retry: 3000, id: 1 });
    expect(await events.nextEvent()).toMatchObject({ id: 2 });
    expect(app.failures).toHaveLength(1);
    Object.assign(app.database, { readEvents });
    await addAnimals(server, 1);
    while (reads === 2) await nextTurn();
    {
      using _later = advanceClock(20_000);
      app.now += 20_000;
      await addAnimals(server, 1);
      expect(await events.nextFrame()).toBeUndefined();
    }
    expect(app.failures).toHaveLength(2);
  });

  test('ends at once if its events are damaged, with a line in the log', async () => {
    await using server = await openTestServer();
    const { app } = server;
    await using events = await stream(server);
    await events.waitFor(': connected\n');
    const readEvents = () => {
      throw new DatabaseUnavailable('damaged', { isDamaged: true });
    };
    Object.assign(app.database, { readEvents });
    await addAnimals(server, 1);
    expect(await events.nextFrame()).toBeUndefined();
    expect(app.failures).toHaveLength(1);
  });

  test('sends nothing while its key cannot be checked', async () => {
    await using server = await openTestServer();
    const { app } = server;
    await using events = await stream(server);
    const origin = { requestId: 'r', actor: 'owner', now: app.now } as const;
    const pet = { name: 'Rex', categoryId: 1n };
    const add = () => app.database.write(background, 'createPet', { workspaceId: 1n, pet, origin });
    await add();
    expect((await events.nextEvent())?.id).toBe(1);
    // After a change of keys, the key is looked up again.
    await app.createKey();
    let checks = 0;
    const findApiKey = () => {
      checks += 1;
      throw new DatabaseUnavailable('down');
    };
    Object.assign(app.database, { findApiKey });
    app.now += 400;
    while (checks === 0) await nextTurn();
    await add();
    Object.assign(app.database, { findApiKey: () => undefined });
    expect(await events.nextFrame()).toBeUndefined();
  });

  test('ends when the server stops, and sends its client a delay for the retry', async () => {
    const stopping = new AbortController();
    await using server = await openTestServer({ stopping: stopping.signal });
    await using events = await stream(server);
    await events.waitFor(': connected\n');
    stopping.abort();
    const { retry = 0 } = (await events.nextFrame()) ?? {};
    expect(retry).toBeGreaterThanOrEqual(1000);
    expect(retry).toBeLessThan(5000);
    expect(await events.nextFrame()).toBeUndefined();
  });

  test('is refused beyond ten of a key, and allowed again when one has ended', async () => {
    await using server = await openTestServer();
    const open = await Promise.all(Array.from({ length: 10 }, () => stream(server)));
    await using refused = await stream(server);
    expect(refused.response.status).toBe(429);
    await open[0]?.[Symbol.asyncDispose]();
    expect(await statusOfNext(server)).toBe(200);
    for (const one of open) await one[Symbol.asyncDispose]();
  });

  test('frees its slot if the client closed before the first byte', async () => {
    await using server = await openTestServer();
    for (let count = 0; count < 15; count += 1) {
      const connection = await connect(server.port);
      await connection.send([
        `GET ${path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${server.app.apiKey}\r\n\r\n`,
      ]);
      connection.terminate();
    }
    expect(await statusOfNext(server)).toBe(200);
  });

  test('is not opened by HEAD', async () => {
    await using server = await openTestServer();
    const head = await server.app.send(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'text/event-stream',
      '',
    ]);
    for (const [query, status] of [
      ['?after=9', 410],
      ['?after=x', 400],
    ] as const) {
      const refused = await server.app.send(`${path}${query}`, { method: 'HEAD' });
      expect(refused.status).toBe(status);
    }
  });

  test('answers 400 to an invalid Last-Event-ID, and ignores an empty one', async () => {
    await using server = await openTestServer();
    for (const id of ['now', '-1', '1.0', '01', '1 2']) {
      const headers = { 'last-event-id': id };
      await expectError(await server.app.send(path, { headers }), 'invalid_header');
    }
    for (const none of ['null', 'undefined']) {
      const response = await server.app.send(path, {
        method: 'HEAD',
        headers: { 'last-event-id': none },
      });
      expect(response.status).toBe(200);
    }
    const empty = await server.app.send(path, { headers: { 'last-event-id': '' } });
    expect(empty.status).toBe(200);
    await empty.body?.cancel();
  });
});
