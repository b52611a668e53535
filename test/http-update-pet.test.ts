import { describe, expect, test } from 'bun:test';
import { operations } from '../src/http/operations.ts';
import { expectError, readIds, readPet } from './support/answers.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';
import { addWebhook } from './support/webhooks.ts';

const rex = { name: 'Rex', categoryId: 7 };

const mergePatch = { 'content-type': 'application/merge-patch+json' };

const change = (
  app: TestApp,
  id: number | string,
  patch: unknown,
  headers: Record<string, string> = {},
  method = 'PATCH',
) => app.write(method, `/v1/pets/${id}`, patch, { headers: { ...mergePatch, ...headers } });

const remove = (app: TestApp, id: number | string, headers: Record<string, string> = {}) =>
  app.send(`/v1/pets/${id}`, { method: 'DELETE', headers });

/** An app with one animal, and the tag of the animal. */
async function openWithRex() {
  const app = await openTestApp();
  const created = await app.post(rex);
  return Object.assign(app, { tag: created.headers.get('etag') ?? '' });
}

describe('PATCH /v1/pets/{petId}', () => {
  test('changes the sent members, keeps the others, and answers with the animal and its new tag', async () => {
    await using app = await openWithRex();
    const { tag } = app;
    const response = await change(app, 1, { status: 'sold' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-stability')).toBe('beta');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe('{"id":1,"name":"Rex","categoryId":7,"status":"sold"}');
    const read = await app.send('/v1/pets/1');
    expect(read.headers.get('etag')).toBe(response.headers.get('etag') ?? '');
    expect(read.headers.get('etag')).not.toBe(tag);
    expect((await readPet(read)).status).toBe('sold');
    const all = { name: 'Rita', categoryId: 9223372036854775807n, status: 'pending' };
    const text = '{"id":1,"name":"Rita","categoryId":9223372036854775807,"status":"pending"}';
    expect(await readPet(await change(app, 1, text))).toEqual({ id: 1n, ...all } as never);
    expect(await (await app.send('/v1/pets/1')).text()).toBe(text);
  });

  test('stores nothing if nothing changes', async () => {
    await using app = await openWithRex();
    const { tag } = app;
    const list = (await app.send('/v1/pets')).headers.get('etag') ?? '';
    for (const patch of [
      {},
      { name: 'Rex' },
      { id: 1, ...rex, status: 'available', color: 'red' },
    ]) {
      const response = await change(app, 1, patch);
      expect([response.status, response.headers.get('etag')]).toEqual([200, tag]);
    }
    const unchanged = await app.send('/v1/pets', { headers: { 'if-none-match': list } });
    expect(unchanged.status).toBe(304);
  });

  test.each([
    [{ name: null }, 'name must not be null; leave it out to keep it as it is'],
    [
      { id: null, status: null },
      'id must not be null; leave it out to keep it as it is; status must not be null',
    ],
    [{ id: 2, name: '' }, 'name must be a string of 1 to 255'],
    [{ id: 2, name: 'Rita' }, 'id must be that of the path, 1, got 2'],
    [{ id: '1' }, 'id must be an integer'],
    [{ color: 'red' }, 'The body must have one of name, categoryId, status, or no member'],
    [{ id: 1 }, 'The body must have one of name, categoryId, status, or no member'],
    [{ status: 'lost', categoryId: 1.5 }, 'categoryId must be an integer'],
    [[], 'The body must be a JSON object'],
  ])('rejects %j with every fault, and changes nothing', async (patch, message) => {
    await using app = await openWithRex();
    const { tag } = app;
    expect(await expectError(await change(app, 1, patch), 'invalid_body')).toContain(message);
    expect((await app.send('/v1/pets/1')).headers.get('etag')).toBe(tag);
  });

  test.each(['2', '0', '-1', '9223372036854775807', 'x', '1.0', '9223372036854775808'])(
    'answers 404 for the animal %s',
    async (id) => {
      await using app = await openWithRex();
      await expectError(await change(app, id, { name: 'Rita' }), 'not_found');
      await expectError(await remove(app, id), 'not_found');
    },
  );

  test('accepts JSON and JSON Merge Patch, and names both if it gets another type', async () => {
    await using app = await openWithRex();
    const json = { 'content-type': 'application/json; charset=utf-8' };
    expect((await readPet(await change(app, 1, { name: 'Rita' }, json))).name).toBe('Rita');
    const refused = await change(
      app,
      1,
      { name: 'X' },
      { 'content-type': 'application/json-patch+json' },
    );
    const accepted = 'application/merge-patch+json, application/json';
    expect(refused.headers.get('accept-patch')).toBe(accepted);
    await expectError(refused, 'unsupported_media_type');
    const options = await app.send('/v1/pets/1', { method: 'OPTIONS' });
    expect(options.headers.get('accept-patch')).toBe(accepted);
    expect(options.headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE, OPTIONS');
    expect(
      (await app.send('/v1/pets', { method: 'OPTIONS' })).headers.get('accept-patch'),
    ).toBeNull();
    await expectError(
      await app.post(rex, { 'content-type': 'application/merge-patch+json' }),
      'unsupported_media_type',
    );
  });

  test('accepts a whole animal with strict handling, and rejects unknown members', async () => {
    await using app = await openWithRex();
    const strict = { prefer: 'handling=strict' };
    const whole = (await (await app.send('/v1/pets/1')).json()) as object;
    const changed = await change(app, 1, { ...whole, name: 'Rita' }, strict);
    expect(changed.headers.get('preference-applied')).toBe('handling=strict');
    expect((await readPet(changed)).name).toBe('Rita');
    await expectError(await change(app, 1, { name: 'X', color: 'red' }, strict), 'unknown_field');
  });

  test('is done once under an Idempotency-Key, whose stored answer comes before 404 and 412', async () => {
    await using app = await openWithRex();
    const { tag } = app;
    const once = { 'idempotency-key': 'a', 'if-match': tag };
    const first = await change(app, 1, { name: 'Rita' }, once);
    const text = await first.text();
    // The tag is stale by now.
    const again = await change(app, 1, { name: 'Rita' }, once);
    expect([again.status, await again.text()]).toEqual([200, text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('etag')).toBe(first.headers.get('etag') ?? '');
    const other = await change(app, 1, { name: 'Max' }, once);
    await expectError(other, 'idempotency_key_reused');
    const nothing = { 'idempotency-key': 'b' };
    expect((await change(app, 1, {}, nothing)).status).toBe(200);
    await remove(app, 1);
    const replayed = await change(app, 1, {}, nothing);
    expect([replayed.status, await replayed.text()]).toEqual([200, text]);
    // Refused requests are not stored.
    const refused = { 'idempotency-key': 'c' };
    await expectError(await change(app, 2, { name: 'x' }, refused), 'not_found');
    await app.post(rex);
    expect((await change(app, 2, { name: 'x' }, refused)).status).toBe(200);
  });
});

describe('PATCH {} without an Idempotency-Key', () => {
  const patched = operations.filter(({ method }) => method === 'PATCH').map(({ path }) => path);

  /** An animal, its order, a webhook, and the number of writes in the queue. */
  async function openWithRecords() {
    const app = await openWithRex();
    await app.write('POST', '/v1/store/orders', { petId: 1 });
    await addWebhook(app);
    const writeCount = async () => (await app.database.statistics()).commits.commands.sum;
    const empty = (path: string, headers: Record<string, string> = {}, id = 1) =>
      app.write('PATCH', `/v1${path.replace(/\{\w+\}/, String(id))}`, ' { } ', { headers });
    return { app, empty, writeCount };
  }

  test.each(patched)(
    'answers with the record of %s and its tag, and writes nothing',
    async (path) => {
      const { app, empty, writeCount } = await openWithRecords();
      await using _app = app;
      const read = await app.send(`/v1${path.replace(/\{\w+\}/, '1')}`);
      const etag = read.headers.get('etag') ?? '';
      const text = await read.text();
      const before = await writeCount();
      for (const more of [
        {},
        { 'if-match': etag },
        { 'if-match': '*' },
        { prefer: 'handling=strict' },
      ]) {
        const answer = await empty(path, more);
        expect([answer.status, await answer.text()]).toEqual([200, text]);
        expect(answer.headers.get('etag')).toBe(etag);
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(answer.headers.get('preference-applied')).toBe(
          'prefer' in more ? 'handling=strict' : null,
        );
      }
      await expectError(await empty(path, { 'if-match': '"x"' }), 'precondition_failed');
      await expectError(await empty(path, { 'if-match': `W/${etag}` }), 'precondition_failed');
      await expectError(await empty(path, { 'if-none-match': etag }), 'precondition_failed');
      await expectError(await empty(path, { 'if-match': etag }, 2), 'not_found');
      const { text: reader } = await app.createKey({ scopes: ['pets:read', 'orders:read'] });
      const counted = await writeCount();
      const asReader = { authorization: `Bearer ${reader}` };
      await expectError(await empty(path, asReader), 'insufficient_scope');
      expect([counted, await writeCount()]).toEqual([before + 1, before + 1]);
    },
  );

  test.each(patched)('is stored for %s with a key', async (path) => {
    const { app, empty } = await openWithRecords();
    await using _app = app;
    const once = { 'idempotency-key': 'look' };
    expect((await empty(path, once)).headers.get('idempotent-replayed')).toBeNull();
    expect((await empty(path, once)).headers.get('idempotent-replayed')).toBe('true');
    await expectError(await empty(path, once, 2), 'idempotency_key_reused');
  });
});

describe('DELETE /v1/pets/{petId}', () => {
  test('removes the animal permanently, and its id is never used again', async () => {
    await using app = await openWithRex();
    const response = await remove(app, 1);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(response.headers.get('etag')).toBeNull();
    await expectError(await app.send('/v1/pets/1'), 'not_found');
    expect(await readIds(await app.send('/v1/pets'))).toEqual([]);
    await expectError(await remove(app, 1), 'not_found');
    await expectError(await change(app, 1, { name: 'X' }), 'not_found');
    expect((await readPet(await app.post(rex), 201)).id).toBe(2n);
  });
});

describe('If-Match', () => {
  const changes = [
    ['PATCH', { name: 'Rita' }, 200],
    ['DELETE', undefined, 204],
  ] as const;

  test.each(changes)('allows %s if the animal matches', async (method, patch, httpStatus) => {
    for (const make of [
      (tag: string) => tag,
      () => '*',
      (tag: string) => `,"x", ${tag} ,W/"y",,`,
    ]) {
      await using app = await openWithRex();
      const { tag } = app;
      expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
      const response = await change(app, 1, patch, { 'if-match': make(tag) }, method);
      expect(response.status).toBe(httpStatus);
    }
  });

  test.each(changes)('refuses %s if the animal has changed', async (method, patch) => {
    await using app = await openWithRex();
    const { tag } = app;
    const stale = { 'if-match': tag };
    expect((await change(app, 1, { status: 'pending' }, stale)).status).toBe(200);
    await expectError(await change(app, 1, patch, stale, method), 'precondition_failed');
    const weak = `W/${(await app.send('/v1/pets/1')).headers.get('etag')}`;
    await expectError(
      await change(app, 1, patch, { 'if-match': weak }, method),
      'precondition_failed',
    );
    await expectError(await change(app, 2, patch, { 'if-match': '*' }, method), 'not_found');
    expect(await readPet(await app.send('/v1/pets/1'))).toMatchObject({
      name: 'Rex',
      status: 'pending',
    });
  });

  test.each(['', 'x', '"a', 'a"', '"a" "b"', '*, "a"', 'w/"a"', ',', '"a" x'])(
    'is rejected as %j',
    async (header) => {
      await using app = await openWithRex();
      const headers = { 'if-match': header };
      await expectError(await change(app, 1, { name: 'X' }, headers), 'invalid_header');
      await expectError(await remove(app, 1, headers), 'invalid_header');
      expect((await app.post(rex, headers)).status).toBe(201);
    },
  );

  test('prevents lost updates of many clients that read, change and write one animal', async () => {
    await using app = await openWithRex();
    let refused = 0;
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        for (;;) {
          const read = await app.send('/v1/pets/1');
          const { name } = await readPet(read);
          const headers = { 'if-match': read.headers.get('etag') ?? '' };
          const response = await change(app, 1, { name: `${name}i` }, headers);
          if (response.status === 200) return;
          await expectError(response, 'precondition_failed');
          refused += 1;
        }
      }),
    );
    expect((await readPet(await app.send('/v1/pets/1'))).name).toBe(`Rex${'i'.repeat(50)}`);
    expect(refused).toBeGreaterThan(0);
  });
});

test('the tag of an animal is strong and the same in every answer, and the animal is never compressed', async () => {
  await using app = await openTestApp();
  const created = await app.post({ name: '猫'.repeat(255), categoryId: 1 });
  const tag = created.headers.get('etag') ?? '';
  const read = await app.send('/v1/pets/1', { headers: { 'accept-encoding': 'gzip' } });
  expect([read.headers.get('etag'), read.headers.get('content-encoding')]).toEqual([tag, null]);
  expect(await read.text()).toBe(await created.text());
  const known = await app.send('/v1/pets/1', { headers: { 'if-none-match': tag } });
  expect(known.status).toBe(304);
});
