import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type OperationId, operationIds } from '../client/src/contract.ts';
import { type AnimalStore, createAnimalStore, etagOf, stringify } from '../client/src/index.ts';
import { parseJson, parseWithoutSource } from '../client/src/json.ts';
import { contractPath, makeContract } from '../scripts/generate-contracts.ts';
import { publishedDocument } from '../src/cli/openapi.ts';
import { formatExactJson } from '../src/domain/values/exact-json.ts';
import { consoleOperations } from '../src/http/console/console-operations.ts';
import { addPets, equalPets } from './support/catalogue.ts';
import { connectClient, fetchThrough, loseFirstResponses } from './support/test-client.ts';
import { openTestServer } from './support/test-server.ts';
import { recordFailures } from './support/webhooks.ts';

/** The method of each operation. The types reject a missing one. */
const methods = {
  listPets: (store) => store.pets.list,
  createPet: (store) => store.pets.create,
  getPet: (store) => store.pets.get,
  updatePet: (store) => store.pets.update,
  deletePet: (store) => store.pets.delete,
  listCategories: (store) => store.categories.list,
  createCategory: (store) => store.categories.create,
  getCategory: (store) => store.categories.get,
  putCategory: (store) => store.categories.put,
  deleteCategory: (store) => store.categories.delete,
  listOrders: (store) => store.orders.list,
  createOrder: (store) => store.orders.create,
  getOrder: (store) => store.orders.get,
  updateOrder: (store) => store.orders.update,
  cancelOrder: (store) => store.orders.cancel,
  countInventory: (store) => store.inventory.count,
  listEvents: (store) => store.events.list,
  streamEvents: (store) => store.events.stream,
  listWebhooks: (store) => store.webhooks.list,
  createWebhook: (store) => store.webhooks.create,
  getWebhook: (store) => store.webhooks.get,
  updateWebhook: (store) => store.webhooks.update,
  deleteWebhook: (store) => store.webhooks.delete,
  rotateWebhookSecret: (store) => store.webhooks.rotateSecret,
  testWebhook: (store) => store.webhooks.test,
  listDeliveries: (store) => store.webhooks.deliveries,
  getKey: ({ key }) => key.get,
} as const satisfies Record<OperationId, (store: AnimalStore) => unknown>;

const big = 9223372036854775807n;

describe('the client', () => {
  test('calls every operation, with every digit', async () => {
    await using server = await openTestServer();
    const store = connectClient(server);
    const rex = await store.pets.create({ name: 'Rex', categoryId: big });
    expect(rex).toEqual({ id: 1n, name: 'Rex', categoryId: big, status: 'available' });
    expect(await store.pets.get(1)).toEqual(rex);
    const max = await store.pets.update(rex.id, { name: 'Max' }, { ifMatch: rex });
    expect(max.name).toBe('Max');
    const stale = store.pets.update(rex.id, { name: 'Old' }, { ifMatch: rex });
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed', httpStatus: 412 });
    expect(etagOf(max)).toMatch(/^"[0-9a-f]{32}"$/);
    const unicorns = await store.categories.put(big, { name: 'Unicorns' });
    expect(await store.categories.get(big)).toEqual(unicorns);
    expect((await store.categories.create({ name: 'Dogs' })).id).toBe(1n);
    expect(await store.categories.list().toArray({ max: 9 })).toHaveLength(2);
    await store.categories.delete(1);
    const order = await store.orders.create({ petId: rex.id, note: 'For Zoë' });
    expect(await store.orders.get(order.id)).toEqual(order);
    await store.orders.cancel(order.id);
    const sold = await store.orders.create({ petId: 1 });
    expect((await store.orders.update(sold.id, { status: 'shipped' })).complete).toBe(true);
    expect(await store.orders.list({ status: 'shipped' }).toArray({ max: 9 })).toHaveLength(1);
    const { note: _note, ...cancelled } = await store.orders.get(order.id);
    const found = { petId: [rex.id, 99n], note: 'ZOË' };
    expect(await store.orders.list(found).toArray({ max: 9 })).toMatchObject([cancelled]);
    expect(await store.orders.list({ petId: [] }).toArray({ max: 9 })).toEqual([]);
    expect(await store.orders.update(order.id, { note: null })).toEqual(cancelled);
    expect(await store.inventory.count()).toEqual({ available: 0n, pending: 0n, sold: 1n });
    const { events, position } = await store.events.list({ after: 0, types: ['pet.*'], limit: 1 });
    expect(events[0]).toMatchObject({ sequence: 1n, type: 'pet.created', data: rex });
    expect(position).toBe(1n);
    const ofRex = await store.events.list({ record: `pet:${rex.id}`, types: ['pet.created'] });
    expect(ofRex.events).toMatchObject([{ sequence: 1n, actor: 'key:1', data: rex }]);
    await store.pets.delete(1n);
    expect(await store.pets.list().toArray({ max: 9 })).toEqual([]);
    expect(stringify({ big, text: 'a' })).toBe('{"big":9223372036854775807,"text":"a"}');
  });

  test('manages webhooks: a position is a bigint, and a changed record has its version', async () => {
    await using server = await openTestServer();
    const store = connectClient(server);
    const url = 'http://127.0.0.1:9/hook';
    const { secret, ...created } = await store.webhooks.create({ url, types: ['pet.*'] });
    expect(secret).toMatch(/^whsec_/);
    expect(created).toMatchObject({ id: 1n, url, types: ['pet.*'], position: 0n });
    expect(await store.webhooks.get(created.id)).toEqual(created);
    await store.pets.create({ name: 'Rex', categoryId: 1 });
    const moved = await store.webhooks.update(1, { position: 'now', types: null });
    expect([moved.position, moved.types]).toEqual([1n, undefined]);
    const paused = await store.webhooks.update(1, { status: 'paused' }, { ifMatch: moved });
    expect(await store.webhooks.list().toArray({ max: 20 })).toEqual([paused]);
    expect(await store.webhooks.update(1, { status: 'enabled', position: 0n })).toMatchObject({
      position: 0n,
    });
    const rotated = await store.webhooks.rotateSecret(1, { overlapSeconds: 0 });
    expect(rotated.secret).not.toBe(secret);
    expect(await store.webhooks.test(1)).toMatchObject({
      delivered: false,
      error: 'connection_failed',
    });
    await recordFailures(server.app);
    const deliveries = await store.webhooks.deliveries(1, { limit: 1 }).toArray({ max: 9 });
    expect(deliveries).toMatchObject([
      { id: 2n, attempt: 2, httpStatus: 500 },
      { id: 1n, attempt: 1, error: 'timeout' },
    ]);
    await store.webhooks.delete(1);
    await expect(store.webhooks.get(1)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('walks a list page by page, and continues from a saved position', async () => {
    await using server = await openTestServer();
    await addPets(server.app, equalPets(7));
    const store = connectClient(server);
    const ids: bigint[] = [];
    for await (const { id } of store.pets.list({ limit: 3 })) ids.push(id);
    expect(ids).toEqual([7n, 6n, 5n, 4n, 3n, 2n, 1n]);
    const pages = store.pets.list({ limit: 3 });
    const [first] = await Array.fromAsync(take(pages.pages(), 1));
    const rest = await Array.fromAsync(pages.pages({ from: first?.next }));
    expect(rest.map(({ items }) => items.length)).toEqual([3, 1]);
    const rising = await store.pets.list({ sort: 'id', from: 4n, limit: 3 }).toArray({ max: 9 });
    expect(rising.map(({ id }) => id)).toEqual([4n, 5n, 6n, 7n]);
    expect(await store.pets.list({ ids: [1n, 5] }).toArray({ max: 9 })).toHaveLength(2);
  });

  test('sends its key only to its own server, also after a Link or a redirect to another', async () => {
    await using server = await openTestServer();
    await addPets(server.app, equalPets(3));
    const asked: string[] = [];
    const store = connectClient(server, {
      fetch: fetchThrough(async (request, next) => {
        asked.push(new URL(request.url).host);
        const response = await next(request);
        const link = '<https://evil.example/v1/pets?limit=1&cursor=x>; rel="next"';
        const headers = new Headers(response.headers);
        if (headers.has('link')) headers.set('link', link);
        return new Response(response.body, { status: response.status, headers });
      }),
    });
    const walking = store.pets.list({ limit: 1 }).toArray({ max: 9 });
    await expect(walking).rejects.toMatchObject({ code: 'invalid_cursor' });
    expect(new Set(asked)).toEqual(new Set([`127.0.0.1:${server.port}`]));
    using elsewhere = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => Response.redirect(url.replace(/:\d+/, `:${server.port}`), 307),
    });
    const led = createAnimalStore({
      baseUrl: `http://127.0.0.1:${elsewhere.port}/v1`,
      apiKey: server.app.apiKey,
      retryMillisecondsMax: 0,
    });
    await expect(led.pets.get(1)).rejects.toMatchObject({ code: 'unexpected_response' });
    await expect(led.events.stream().next()).rejects.toMatchObject({ code: 'unexpected_response' });
  });

  test('makes each change once, although the first answer to each is lost', async () => {
    await using server = await openTestServer();
    const store = connectClient(server, { fetch: loseFirstResponses() });
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.pets.create({ name: `Pet ${index}`, categoryId: 1 }),
      ),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(20);
    expect(await connectClient(server).pets.list().toArray({ max: 99 })).toHaveLength(20);
  }, 60_000);

  test('ends a call when its signal is aborted or its time is up', async () => {
    await using server = await openTestServer();
    const leaving = new AbortController();
    const waiting = connectClient(server).events.list({ wait: 30, signal: leaving.signal });
    leaving.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    using silent = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Promise(() => {}),
    });
    const store = createAnimalStore({
      baseUrl: `http://127.0.0.1:${silent.port}/v1`,
      apiKey: 'x',
      timeoutMilliseconds: 50,
      retryMillisecondsMax: 0,
    });
    await expect(store.pets.get(1)).rejects.toMatchObject({ code: 'timed_out' });
  });

  test('continues the stream after connections that are cut at any byte', async () => {
    await using server = await openTestServer();
    const direct = connectClient(server);
    for (let index = 0; index < 30; index += 1) {
      await direct.pets.create({ name: `Pet \u{1f431} ${index}`, categoryId: big });
    }
    let random = 7;
    const store = connectClient(server, {
      fetch: fetchThrough(async (request, next) => {
        random = (random * 16_807) % 2_147_483_647;
        return cutAfter(await next(request), random % 3000);
      }),
    });
    const seen: bigint[] = [];
    for await (const event of store.events.stream({ after: 0 })) {
      seen.push(event.sequence);
      if (event.type === 'pet.created') expect(event.data.categoryId).toBe(big);
      if (seen.length === 30) break;
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => BigInt(index + 1)));
    const expired = connectClient(server).events.stream({ after: 1000 }).next();
    await expect(expired).rejects.toMatchObject({ code: 'cursor_expired' });
  }, 120_000);

  test('rejects an empty list of types and an ifMatch without a version', async () => {
    await using server = await openTestServer();
    await addPets(server.app, equalPets(3));
    const store = connectClient(server);
    expect(await store.pets.list({ ids: [] }).toArray({ max: 9 })).toEqual([]);
    await expect(store.events.list({ types: [] })).rejects.toThrow('type must not be empty');
    const pet = await store.pets.get(1);
    for (const ifMatch of [etagOf({ ...pet }), undefined, { ...pet }]) {
      const changed = store.pets.update(1, { name: 'Max' }, { ifMatch });
      await expect(changed).rejects.toThrow('ifMatch has no ETag');
    }
    expect((await store.pets.get(1)).name).toBe('Rex');
    const read = await store.pets.update(2, {});
    expect((await store.pets.update(2, { name: 'Max' }, { ifMatch: read })).name).toBe('Max');
  });

  test('reports another server as unexpected_response, and no server as connection_failed', async () => {
    const html = () =>
      new Response('<p>Welcome</p>\n\n', { headers: { 'content-type': 'text/html' } });
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: html });
    const at = (baseUrl: string) =>
      createAnimalStore({ baseUrl, apiKey: 'key', retryMillisecondsMax: 0 });
    const wrong = at(`http://127.0.0.1:${other.port}/v1`);
    const unexpected = { code: 'unexpected_response' };
    await expect(wrong.events.stream().next()).rejects.toMatchObject(unexpected);
    await expect(wrong.events.list()).rejects.toMatchObject(unexpected);
    await expect(wrong.pets.list().toArray({ max: 1 })).rejects.toMatchObject(unexpected);
    const unreachable = at('http://127.0.0.1:1/v1');
    const failed = { code: 'connection_failed', message: expect.stringContaining('failed: ') };
    await expect(unreachable.pets.create({ name: 'Rex', categoryId: 1 })).rejects.toMatchObject({
      ...failed,
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    await expect(unreachable.events.stream().next()).rejects.toMatchObject(failed);
    expect(() => at('http://user:secret@a.example/v1')).toThrow('no user and no password');
    for (const apiKey of ['anst_live_…', 'anst_live_1\n', '']) {
      expect(() => createAnimalStore({ baseUrl: 'http://a.example/v1', apiKey })).toThrow(
        'apiKey must be one or more visible ASCII characters',
      );
    }
  });

  test('rejects numbers that JavaScript has already rounded', async () => {
    await using server = await openTestServer();
    const create = connectClient(server).pets.create({ name: 'Rex', categoryId: 2 ** 60 });
    const message = '1152921504606847000 is not an exact integer';
    await expect(create).rejects.toThrow(message);
    const store = connectClient(server);
    await expect(store.pets.get(2 ** 60)).rejects.toThrow(message);
    await expect(store.pets.list({ categoryId: 2 ** 60 }).toArray({ max: 1 })).rejects.toThrow(
      message,
    );
    await expect(store.events.stream({ after: 2 ** 60 }).next()).rejects.toThrow(message);
  });
});

test('JSON is read the same with and without the source of numbers', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const record = fc.record({
    id: int64,
    name: fc.string({ unit: 'grapheme' }),
    other: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()),
    deep: fc.array(fc.record({ categoryId: int64, text: fc.string({ unit: 'binary' }) })),
  });
  fc.assert(
    fc.property(record, (value) => {
      const text = formatExactJson(value);
      expect(parseWithoutSource(text)).toEqual(parseJson(text));
    }),
    { numRuns: 300 },
  );
});

test('every operation has a method', () => {
  expect(Object.keys(methods)).toEqual([...operationIds]);
});

test('the types of the client are those of the service: if not, run npm run openapi', async () => {
  expect(await Bun.file(contractPath).text()).toBe(makeContract());
});

test('the document and the client have no operation that only the console calls', async () => {
  const published = await publishedDocument();
  for (const { operationId } of consoleOperations) {
    expect(published).not.toContain(operationId);
    expect(Object.keys(methods)).not.toContain(operationId);
  }
});

async function* take<Item>(items: AsyncIterable<Item>, count: number): AsyncIterable<Item> {
  let taken = 0;
  for await (const item of items) {
    yield item;
    taken += 1;
    if (taken === count) return;
  }
}

function cutAfter(response: Response, bytesMax: number): Response {
  let left = bytesMax;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      controller.enqueue(part.subarray(0, left));
      left -= part.length;
      if (left <= 0) controller.error(new TypeError('The connection was cut'));
    },
  });
  const { status, headers } = response;
  return new Response(response.body?.pipeThrough(cut), { status, headers });
}
