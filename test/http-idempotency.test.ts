import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { expectError } from './support/answers.ts';
import { call } from './support/call-server.ts';
import { prepareData } from './support/engines.ts';
import { okOf } from './support/outcome.ts';
import { type ServerProcess, startServerProcess } from './support/server-process.ts';
import { openTestApp } from './support/test-app.ts';

const rex = { name: 'Rex', categoryId: 7 };
const dayMilliseconds = 24 * 3_600_000;

describe('POST /v1/pets with an Idempotency-Key', () => {
  test('adds one animal however often it is sent, and repeats the answer', async () => {
    await using app = await openTestApp();
    const first = await app.post(rex, { 'idempotency-key': 'abc' });
    const again = await app.post(rex, { 'idempotency-key': 'abc' });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(await first.text());
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(await (await app.send('/v1/pets')).json()).toHaveLength(1);
  });

  test('keeps every digit in the repeated answer', async () => {
    await using app = await openTestApp();
    const body =
      '{"name":"\\u00e9\\ud83d\\udc31","categoryId":-9223372036854775808,"status":"sold"}';
    await app.post(body, { 'idempotency-key': 'abc' });
    const again = await app.post(body, { 'idempotency-key': 'abc' });
    expect(await again.text()).toBe(
      '{"id":1,"name":"é🐱","categoryId":-9223372036854775808,"status":"sold"}',
    );
  });

  test('rejects the key for another body, and adds nothing', async () => {
    await using app = await openTestApp();
    await app.post(rex, { 'idempotency-key': 'abc' });
    const other = await app.post({ ...rex, name: 'Max' }, { 'idempotency-key': 'abc' });
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    expect(await (await app.send('/v1/pets')).json()).toHaveLength(1);
  });

  test('rejects the key for another query, and adds nothing', async () => {
    await using app = await openTestApp();
    const sent = { headers: { 'idempotency-key': 'abc' } };
    expect((await app.write('POST', '/v1/pets', rex, sent)).status).toBe(201);
    const other = await app.write('POST', '/v1/pets?color=red', rex, sent);
    await expectError(other, 'idempotency_key_reused');
    expect(await (await app.send('/v1/pets')).json()).toHaveLength(1);
  });

  test('is the same key with and without quotes', async () => {
    await using app = await openTestApp();
    await app.post(rex, { 'idempotency-key': '"a-b"' });
    const again = await app.post(rex, { 'idempotency-key': 'a-b' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('answers a second request that arrives during the first with a request to retry', async () => {
    await using app = await openTestApp();
    // The key is cached, so that neither request waits for its lookup until the other is done.
    await app.send('/v1/pets');
    const responses = await Promise.all([
      app.post(rex, { 'idempotency-key': 'abc' }),
      app.post(rex, { 'idempotency-key': 'abc' }),
    ]);
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409]);
    const refused = responses.find(({ status }) => status === 409);
    expect(await refused?.json()).toMatchObject({ code: 'idempotency_in_progress' });
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect((await app.post(rex, { 'idempotency-key': 'abc' })).status).toBe(201);
    expect(await (await app.send('/v1/pets')).json()).toHaveLength(1);
  });

  test('is stored for 24 hours, and then cleared in small steps', async () => {
    await using app = await openTestApp();
    for (const key of ['a', 'b', 'c']) await app.post(rex, { 'idempotency-key': key });
    const clear = async () =>
      okOf(
        await app.database.write(background, 'deleteExpiredIdempotencyKeys', {
          now: app.now,
          keysMax: 2,
        }),
      );
    app.now += dayMilliseconds - 1;
    expect(
      (await app.post(rex, { 'idempotency-key': 'a' })).headers.get('idempotent-replayed'),
    ).toBe('true');
    expect(await clear()).toBe(0);
    app.now += 1;
    expect(
      (await app.post(rex, { 'idempotency-key': 'a' })).headers.get('idempotent-replayed'),
    ).toBeNull();
    expect([await clear(), await clear()]).toEqual([2, 0]);
    expect(
      (await app.post(rex, { 'idempotency-key': 'a' })).headers.get('idempotent-replayed'),
    ).toBe('true');
  });

  test.each(['', 'a b', 'é', '"', '"a', 'a'.repeat(256), `"${'a'.repeat(256)}"`, '""', 'a\tb'])(
    'rejects the invalid key %p',
    async (key) => {
      await using app = await openTestApp();
      const response = await app.post(rex, { 'idempotency-key': key });
      const message = await expectError(response, 'invalid_header');
      expect(message).toContain('the first not a double quote, or as many in double quotes');
    },
  );

  test.each(['!', '~'.repeat(255), `"${'a'.repeat(255)}"`, '"\\""'])(
    'accepts the key %p',
    async (key) => {
      await using app = await openTestApp();
      expect((await app.post(rex, { 'idempotency-key': key })).status).toBe(201);
    },
  );

  test('adds exactly one animal if the server is killed between commit and answer', async () => {
    await using data = await prepareData();
    let apiKey: string | undefined;
    const outcomes: (string | null)[] = [];
    for (let round = 1; round <= 4; round += 1) {
      const headers = { 'idempotency-key': `round-${round}` };
      const send = (server: ServerProcess) =>
        call(server, apiKey, '/v1/pets', 'POST', rex, headers);
      {
        await using server = await startServerProcess(data.url);
        apiKey ??= server.firstKey;
        await using watcher = await data.open();
        const answer = send(server).catch(() => undefined);
        // Sends the request and nothing else, so the kill comes directly after the commit.
        await new Promise(setImmediate);
        while ((await watcher.readPet(background, 1n, BigInt(round))) === undefined) {
          await new Promise(setImmediate);
        }
        await server.stop('SIGKILL');
        await answer;
      }
      await using server = await startServerProcess(data.url);
      const again = await send(server);
      expect(again.status).toBe(201);
      expect(await again.json()).toMatchObject({ id: round });
      outcomes.push(again.headers.get('idempotent-replayed'));
      await server.stop('SIGTERM');
    }
    expect(outcomes).toEqual(Array(4).fill('true'));
  });
});
