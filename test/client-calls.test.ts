import { describe, expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import * as client from '../client/src/index.ts';
import { createAnimalStore, type ResponseInfo } from '../client/src/index.ts';
import { addPets, equalPets } from './support/catalogue.ts';
import { startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { connectClient, fetchThrough, loseFirstResponses } from './support/test-client.ts';
import { openTestServer } from './support/test-server.ts';

describe('the client', () => {
  test('fails no call while a server is killed and restarted', async () => {
    using folder = makeTemporaryFolder();
    const database = `sqlite:${folder.path}/animals.db`;
    await using killed = await startServerProcess(database);
    const failures = new Map<string, number>();
    const outage = Promise.withResolvers<void>();
    const store = createAnimalStore({
      baseUrl: `${killed.origin}/v1`,
      apiKey: killed.firstKey,
      fetch: fetchThrough(async (request, next) =>
        next(request).catch((error) => {
          const name = `${request.method} ${new URL(request.url).pathname}`;
          failures.set(name, (failures.get(name) ?? 0) + 1);
          // Three failures of each call take up to 1.5 s.
          if ([...failures.values()].filter((count) => count >= 3).length === 5) outage.resolve();
          throw error;
        }),
      ),
    });
    const rex = await store.pets.create({ name: 'Rex', categoryId: 1 });
    await killed.stop('SIGKILL');
    const calls = Promise.all([
      store.pets.create({ name: 'Ada', categoryId: 1 }),
      store.pets.update(rex.id, { name: 'Max' }),
      store.categories.put(7, { name: 'Dogs' }),
      store.events.list({ after: 1, types: ['category.*'], wait: 30 }),
      store.orders.list().toArray({ max: 1 }),
    ]);
    // A call that gives up fails the test here.
    await Promise.race([outage.promise, calls]);
    const { port } = new URL(killed.origin);
    await using _restarted = await startServerProcess(database, { args: ['--port', port] });
    const [ada, max, dogs, { events }, orders] = await calls;
    expect([ada.id, max.name, dogs.id, orders]).toEqual([2n, 'Max', 7n, []]);
    expect(events.map(({ type }) => type)).toEqual(['category.created']);
    expect(await store.pets.list().toArray({ max: 9 })).toHaveLength(2);
    // Without types, max can be forgotten.
    for (const options of [[], [{}]]) {
      const call = Reflect.apply(store.pets.list().toArray, undefined, options);
      await expect(call).rejects.toThrow('toArray needs { max: NUMBER }');
    }
  }, 60_000);

  test('retries only errors that a later attempt can avoid, and no longer than its limit', async () => {
    let attempts = 0;
    let answer: ResponseInit & { readonly code: string } = { code: '' };
    using refusing = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch() {
        attempts += 1;
        return Response.json({ code: answer.code, message: 'No' }, answer);
      },
    });
    const baseUrl = `http://127.0.0.1:${refusing.port}/v1`;
    const store = createAnimalStore({ baseUrl, apiKey: 'key', retryMillisecondsMax: 20 });
    // Without types, `max` can be left out.
    for (const options of [[], [{}]]) {
      const call = Reflect.apply(store.pets.list().toArray, undefined, options);
      await expect(call).rejects.toThrow('toArray needs { max: NUMBER }');
    }
    expect(attempts).toBe(0);
    const attempt = async (status: number, code: string, headers = {}, options = {}) => {
      attempts = 0;
      answer = { status, code, headers };
      const made = store.pets.create({ name: 'Rex', categoryId: 1 }, options);
      await expect(made).rejects.toMatchObject({ code, httpStatus: status });
      return attempts > 1 ? 'retried' : 'once';
    };
    const final = [
      [400, 'invalid_body'],
      [401, 'invalid_api_key'],
      [403, 'insufficient_scope'],
      [404, 'not_found'],
      [409, 'conflict'],
      [412, 'precondition_failed'],
      [422, 'idempotency_key_reused'],
    ] as const;
    for (const [status, code] of final) expect(await attempt(status, code)).toBe('once');
    const passing = [
      [409, 'idempotency_in_progress'],
      [429, 'rate_limited'],
      [500, 'internal_error'],
      [503, 'outcome_unknown'],
    ] as const;
    for (const [status, code] of passing) expect(await attempt(status, code)).toBe('retried');
    expect(await attempt(503, 'unavailable', { 'retry-after': '1' })).toBe('once');
    expect(await attempt(503, 'unavailable', {}, { retryMillisecondsMax: 0 })).toBe('once');
    expect(await attempt(503, 'unavailable', {}, { retryMillisecondsMax: Number.NaN })).toBe(
      'once',
    );
    const leaving = new AbortController();
    const left = store.pets.get(1, {
      signal: leaving.signal,
      retryMillisecondsMax: 600_000,
      onResponse: () => queueMicrotask(() => leaving.abort(new Error('enough'))),
    });
    await expect(left).rejects.toThrow('enough');
  });

  test.each(['127.0.0.1', 'localhost', '[::1]', 'shop.localhost'])(
    'sends no request for %s to a proxy of the environment',
    async (host) => {
      await using server = await openTestServer();
      const asked: string[] = [];
      await using proxy = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch(request) {
          asked.push(request.url);
          return new Response(null, { status: 502 });
        },
      });
      const url = `http://127.0.0.1:${proxy.port}`;
      const names = ['HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy'] as const;
      const before = names.map((name) => process.env[name]);
      Object.assign(process.env, { HTTP_PROXY: url, http_proxy: url, NO_PROXY: '', no_proxy: '' });
      try {
        const baseUrl = `http://${host}:${server.port}/v1`;
        const options = { baseUrl, apiKey: server.app.apiKey, retryMillisecondsMax: 0 };
        // The test server listens on 127.0.0.1 alone, and some machines do not know the name.
        await createAnimalStore(options)
          .pets.get(404)
          .catch(() => {});
      } finally {
        for (const [index, name] of names.entries()) {
          const value = before[index];
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
      }
      expect(asked).toEqual([]);
    },
  );

  test('knows errors and records of another copy of the package', async () => {
    await using server = await openTestServer();
    await addPets(server.app, equalPets(1));
    using folder = makeTemporaryFolder();
    cpSync(join(import.meta.dir, '../client/src'), folder.path, { recursive: true });
    const other: typeof client = await import(join(folder.path, 'index.ts'));
    expect(other.isAnimalStoreError).not.toBe(client.isAnimalStoreError);
    const store = connectClient(server);
    const error = await store.pets.get(404).catch((thrown: unknown) => thrown);
    expect(other.isAnimalStoreError(error, 'not_found')).toBe(true);
    expect(other.isAnimalStoreError(new Error('other'))).toBe(false);
    const pet = await store.pets.get(1);
    const baseUrl = `http://127.0.0.1:${server.port}/v1`;
    const otherStore = other.createAnimalStore({ baseUrl, apiKey: server.app.apiKey });
    expect((await otherStore.pets.update(1, { name: 'Max' }, { ifMatch: pet })).name).toBe('Max');
  });

  test('leaves nothing at a signal that lives on, and needs no AbortSignal.any', async () => {
    await using server = await openTestServer();
    await addPets(server.app, equalPets(1));
    const store = connectClient(server);
    const { any } = AbortSignal;
    // Browsers of 2023 do not have it.
    Object.assign(AbortSignal, { any: undefined });
    try {
      const leaving = new AbortController();
      for (let call = 0; call < 3; call += 1) await store.pets.get(1, { signal: leaving.signal });
      expect(getEventListeners(leaving.signal, 'abort')).toHaveLength(0);
      const waiting = store.events.list({ after: 1, wait: 30, signal: leaving.signal });
      leaving.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      await expect(store.pets.get(1, { signal: leaving.signal })).rejects.toThrow('enough');
    } finally {
      Object.assign(AbortSignal, { any });
    }
  });

  test('sends no Idempotency-Key with a patch that changes nothing, and retries it', async () => {
    await using server = await openTestServer();
    await addPets(server.app, equalPets(1));
    const seen: Request[] = [];
    const store = connectClient(server, { fetch: loseFirstResponses(seen) });
    expect((await store.pets.update(1, {})).name).toBe('Rex');
    await store.pets.update(1, { name: undefined, status: undefined });
    await store.pets.update(1, {}, { idempotencyKey: 'mine' });
    await store.pets.update(1, { name: 'Max' });
    const keys = seen.map(({ headers }) => headers.get('idempotency-key'));
    const own = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([null, null, null, 'mine', 'mine', own, own]);
  });

  test('creates a category only if it is missing, also when the first response is lost', async () => {
    await using server = await openTestServer();
    const store = connectClient(server, { fetch: loseFirstResponses() });
    const create = (name: string) => store.categories.put(7, { name }, { ifNoneMatch: '*' });
    expect((await create('Dogs')).name).toBe('Dogs');
    await expect(create('Cats')).rejects.toMatchObject({
      code: 'precondition_failed',
      httpStatus: 412,
    });
    expect((await store.categories.get(7)).name).toBe('Dogs');
  });

  test('reports each response: of a call, a page, a stream, and an error', async () => {
    await using server = await openTestServer({ rateLimit: { count: 600, seconds: 60 } });
    const all: number[] = [];
    const store = connectClient(server, {
      headers: { 'x-request-id': 'client', Prefer: 'handling=strict' },
      onResponse: ({ status }) => void all.push(status),
    });
    const reported: ResponseInfo[] = [];
    const onResponse = (response: ResponseInfo) => void reported.push(response);
    const write = { idempotencyKey: 'one', headers: { 'X-Request-Id': 'call' }, onResponse };
    await store.pets.create({ name: 'Rex', categoryId: 1 }, write);
    await store.pets.create({ name: 'Rex', categoryId: 1 }, write);
    const limit = { limit: 600, windowSeconds: 60 };
    expect(reported.splice(0)).toMatchObject([
      {
        status: 201,
        requestId: 'call',
        isReplayed: false,
        rateLimit: { ...limit, remaining: 599 },
      },
      { status: 201, requestId: 'call', isReplayed: true, rateLimit: { ...limit, remaining: 598 } },
    ]);
    await addPets(server.app, equalPets(2));
    const headers = { Prefer: undefined };
    await store.pets.list({ limit: 2 }, { headers, onResponse }).toArray({ max: 9 });
    for await (const event of store.events.stream({ after: 0, headers, onResponse })) {
      if (event.type === 'pet.created') break;
    }
    await store.pets.delete(1, { onResponse });
    const missing = store.pets.update(1, { name: 'Max' }, { onResponse });
    await expect(missing).rejects.toMatchObject({ requestId: 'client', httpStatus: 404 });
    expect(reported.map(({ status }) => status)).toEqual([200, 200, 200, 204, 404]);
    const applied = reported.map((response) => response.headers.get('preference-applied'));
    expect(applied).toEqual([null, null, null, 'handling=strict', null]);
    expect(all).toEqual([201, 201, 200, 200, 200, 204, 404]);
  });

  test('rejects a header that it sends itself, and throws the error of onResponse', async () => {
    await using server = await openTestServer();
    const store = connectClient(server);
    const pet = { name: 'Rex', categoryId: 1 };
    const replaced = store.pets.create(pet, { headers: { 'Idempotency-Key': 'mine' } });
    await expect(replaced).rejects.toThrow('headers must not contain idempotency-key');
    const fault = new Error('A fault of the caller');
    const onResponse = () => {
      throw fault;
    };
    const thrown = await store.pets.create(pet, { onResponse }).catch((error) => error);
    expect(thrown).toBe(fault);
    expect(await store.pets.list().toArray({ max: 9 })).toHaveLength(1);
  });
});

describe('a service that is not well-behaved', () => {
  const type = 'text/event-stream';

  /** A client of a service that answers every request with these parts, again and again if `times` is large. */
  function connectTo(parts: readonly string[], times: number, init: ResponseInit) {
    const seen = { bytes: 0, answers: 0, isEnded: false };
    const encoder = new TextEncoder();
    const answer = async ({ signal }: Request) => {
      const end = () => {
        seen.isEnded = true;
      };
      signal.addEventListener('abort', end);
      seen.answers += 1;
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const part = encoder.encode(parts[sent % parts.length]);
          if (sent === times * parts.length) return controller.close();
          sent += 1;
          seen.bytes += part.length;
          controller.enqueue(part);
        },
        cancel: end,
      });
      return new Response(body, init);
    };
    const store = createAnimalStore({
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKey: 'key',
      retryMillisecondsMax: 0,
      fetch: fetchThrough(answer),
    });
    return { store, seen };
  }

  /** Sent by a service without an end. */
  const chunk = 'x'.repeat(16_384);
  const unexpected = { code: 'unexpected_response' };

  test('an error body is read up to 64 KiB', async () => {
    const { store, seen } = connectTo([chunk], 200, { status: 400 });
    await expect(store.pets.get(1)).rejects.toMatchObject({ ...unexpected, httpStatus: 400 });
    expect(seen.bytes).toBeLessThan(200_000);
    expect(seen.isEnded).toBe(true);

    const message = 'ä'.repeat(30_000);
    const body = JSON.stringify({ code: 'invalid_body', message });
    const whole = connectTo([body], 1, { status: 400 });
    await expect(whole.store.pets.get(1)).rejects.toMatchObject({ code: 'invalid_body', message });
  });

  test('a message of a stream is read up to 1 MiB', async () => {
    const headers = { 'content-type': type };
    for (const [parts, times] of [
      [[chunk], 200],
      [[`${'x'.repeat(62)}\n`], 100_000],
    ] as const) {
      const { store, seen } = connectTo(parts, times, { headers });
      const message = 'A message of the stream is longer than 1 MiB';
      const first = store.events.stream({ signal: AbortSignal.timeout(5000) }).next();
      await expect(first).rejects.toMatchObject({ ...unexpected, message });
      expect(seen.bytes).toBeLessThan(1_200_000);
      expect(seen.isEnded).toBe(true);
    }
    // Parts can end within a character, a line or the blank line.
    const text = `id: 1\ndata: {"sequence":1,"type":"${'ä'.repeat(3000)}"}\n\n`;
    const store = createAnimalStore({
      baseUrl: 'http://127.0.0.1:1/v1',
      fetch: fetchThrough(
        async () => new Response(inBytes(`retry: 1\n\n${text}${text}`), { headers }),
      ),
    });
    const stream = store.events.stream();
    for (let count = 0; count < 2; count += 1) {
      const { value } = await stream.next();
      expect([value?.sequence, value?.type.length]).toEqual([1n, 3000]);
    }
    await stream.return();
  });

  test('after a delay that is too short or no number, the stream reconnects at most twice a second', async () => {
    const headers = { 'content-type': type };
    const watch = async (retry: string) => {
      const { store, seen } = connectTo([`${retry}\nid: 1\n\n`], 1, { headers });
      const leaving = new AbortController();
      setTimeout(() => leaving.abort(new Error('enough')), 1200);
      const reading = store.events.stream({ signal: leaving.signal }).next();
      await expect(reading).rejects.toThrow('enough');
      expect(seen.answers).toBeWithin(2, 4);
    };
    await Promise.all(['retry: 0', 'retry: -1', 'retry: x', 'retry: '].map(watch));
  });

  test('the stream reconnects at most twice a second if each connection breaks after an event', async () => {
    let connections = 0;
    const answer = async () => {
      connections += 1;
      const body = new ReadableStream<string>({
        start: (controller) => controller.enqueue('id: 1\n\n'),
        pull: (controller) => controller.error(new TypeError('The connection was cut')),
      }).pipeThrough(new TextEncoderStream());
      return new Response(body, { headers: { 'content-type': type } });
    };
    const store = createAnimalStore({
      baseUrl: 'http://127.0.0.1:1/v1',
      fetch: fetchThrough(answer),
    });
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(new Error('enough')), 2600);
    await expect(store.events.stream({ signal: leaving.signal }).next()).rejects.toThrow('enough');
    expect(connections).toBeWithin(2, 7);
  });
});

/** One byte in each part. */
function inBytes(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(sent, sent + 1));
      sent += 1;
    },
  });
}
