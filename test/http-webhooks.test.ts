import { describe, expect, test } from 'bun:test';
import { Webhook as Receiver } from 'standardwebhooks';
import { background } from '../src/context/context.ts';
import { scopes } from '../src/domain/access/api-key.ts';
import { createSlots } from '../src/http/access/limits.ts';
import { isFailure } from '../src/http/failure.ts';
import { acquireTestSlot } from '../src/http/operations/webhook-attempts.ts';
import { operations } from '../src/http/operations.ts';
import { expectError, nextPath } from './support/answers.ts';
import { addPets, addWorkspace, equalPets } from './support/catalogue.ts';
import { chosenEngine, sqlOn } from './support/engines.ts';
import { openTestApp, type Sent, type TestApp } from './support/test-app.ts';
import { recordFailures } from './support/webhooks.ts';
import { readAuditTrail } from './support/whole-lists.ts';

const path = '/v1/webhooks';
const url = 'https://shop.example/hooks';

const create = (app: TestApp, body: unknown = { url }, sent?: Sent) =>
  app.write('POST', path, body, sent);

const update = (app: TestApp, patch: unknown, sent?: Sent) =>
  app.write('PATCH', `${path}/1`, patch, sent);

const rotate = (app: TestApp, body: unknown = {}, sent?: Sent) =>
  app.write('POST', `${path}/1/secret`, body, sent);

const testOf = (app: TestApp, id = 1) => app.write('POST', `${path}/${id}/test`);

interface Created {
  readonly id: number;
  readonly secret?: string;
}

const createdBy = async (response: Response) => (await response.json()) as Created;

/** An endpoint on loopback. */
function startEndpoint(answer: (request: Request) => Response | Promise<Response>) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

describe('POST /v1/webhooks', () => {
  test('adds a webhook after the newest event, and answers with its secret, its Location and the tag of its record', async () => {
    await using app = await openTestApp();
    await addPets(app, equalPets(2));
    await app.post({ name: 'Rex', categoryId: 1 });
    const body = { url, types: ['pet.*', 'order.created'], description: 'The website' };
    const response = await create(app, body);
    expect([response.status, response.headers.get('location')]).toEqual([201, `${path}/1`]);
    expect(response.headers.get('x-stability')).toBe('beta');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { secret, ...webhook } = (await response.json()) as { secret: string };
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook as object).toEqual({
      id: 1,
      ...body,
      status: 'enabled',
      position: 1,
      createdAt: '2027-01-15T12:00:00.000Z',
    });
    const read = await app.send(`${path}/1`);
    expect(read.headers.get('etag')).toBe(response.headers.get('etag'));
    expect(await read.text()).toBe(JSON.stringify(webhook));
    const { secret: _, ...plain } = (await (await create(app)).json()) as { secret: string };
    const list = await app.send(path);
    expect(await list.json()).toEqual([plain, webhook]);
    expect(list.headers.get('etag')).toMatch(/^W\//);
    const known = { 'if-none-match': list.headers.get('etag') ?? '' };
    expect((await app.send(path, { headers: known })).status).toBe(304);
    await app.send(`${path}/2`, { method: 'DELETE' });
    expect((await app.send(path, { headers: known })).status).toBe(200);
  });

  test.each([
    [{}, 'url is required'],
    [{ url: 7 }, 'url must be an https URL'],
    [{ url: '' }, 'url must be an https URL'],
    [{ url: `https://shop.example/${'x'.repeat(2048)}` }, 'url must be an https URL'],
    [{ url: 'ftp://shop.example/' }, 'url must be an https URL'],
    [{ url: 'https://user:pass@shop.example/' }, 'url must be an https URL'],
    // They look like others.
    [{ url: 'https://shop.example/#x' }, 'url must be an https URL'],
    [{ url: 'https://8.8.8.8#@shop.example/' }, 'url must be an https URL'],
    [{ url: 'https://@shop.example/' }, 'url must be an https URL'],
    [{ url, types: [] }, 'types must be a list of one or more types without repeats'],
    [{ url, types: 'pet.*' }, 'types must be a list of one or more types without repeats'],
    [
      { url, types: ['pet.*', 'pet.*'] },
      'types must be a list of one or more types without repeats',
    ],
    [
      { url, types: ['pet.*', 'pet.sold'] },
      'types must be a list of one or more types without repeats',
    ],
    [{ url, types: null }, 'types must be a list of one or more types without repeats'],
    [{ url, description: 'a\0b' }, 'description must be a string of at most 1000 characters'],
    [{ url: 7, types: [7] }, 'got 7; types must be'],
  ])('rejects %j', async (body, message) => {
    await using app = await openTestApp();
    expect(await expectError(await create(app, body), 'invalid_body')).toContain(message);
    expect(await (await app.send(path)).json()).toEqual([]);
  });

  test('rejects every target that the server must not call with the same words', async () => {
    await using app = await openTestApp();
    const messages = new Set<string>();
    for (const target of [
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/latest/meta-data',
      'https://a.inner.example/',
      'https://missing.test/',
      'https://shop.example:25/',
      'http://shop.example/',
    ]) {
      messages.add(await expectError(await create(app, { url: target }), 'invalid_body'));
    }
    expect([...messages]).toEqual([
      'url must begin with https:// and have a host name that exists and has public addresses only, and port 443 or a port from 1024 on, unless --webhook-allow of the server permits the target',
    ]);
    await create(app);
    const changed = await update(app, { url: 'https://10.0.0.1/' });
    expect([...messages]).toContain(await expectError(changed, 'invalid_body'));
    expect(await (await app.send(`${path}/1`)).json()).toMatchObject({ url });
  });

  test('adds at most 10 webhooks, and uses no id twice', async () => {
    await using app = await openTestApp();
    for (let count = 0; count < 10; count += 1) expect((await create(app)).status).toBe(201);
    // No name is looked up for one that is too many.
    const message = await expectError(await create(app, { url: 'https://no.test/' }), 'conflict');
    expect(message).toBe('The workspace has 10 webhooks, which is the maximum; delete one first');
    await app.write('DELETE', `${path}/10`);
    expect((await createdBy(await create(app))).id).toBe(11);
  });

  test('shows a secret once: a replay lacks it, and neither the results, the audit trail, events, lists nor logs have it', async () => {
    await using app = await openTestApp();
    const headers = { 'idempotency-key': 'same' };
    const first = await create(app, { url }, { headers });
    const again = await create(app, { url }, { headers });
    const { secret = '', ...webhook } = await createdBy(first);
    expect(secret).toMatch(/^whsec_/);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect([again.status, again.headers.get('etag'), again.headers.get('location')]).toEqual([
      201,
      first.headers.get('etag'),
      first.headers.get('location'),
    ]);
    expect(await again.text()).toBe(JSON.stringify(webhook));
    const rotated = await rotate(app, {}, { headers });
    const { secret: newSecret = '' } = await createdBy(rotated);
    expect(newSecret).toMatch(/^whsec_/);
    const replayed = await rotate(app, {}, { headers });
    expect(await replayed.json()).toEqual({
      previousSecretExpiresAt: '2027-01-16T12:00:00.000Z',
    });
    const { id: workspaceId = 0n } =
      (await app.database.findWorkspace(background, 'default')) ?? {};
    expect(await app.database.readWebhookSecrets(background, workspaceId, 1n, app.now)).toEqual([
      newSecret,
      secret,
    ]);
    const reads = [path, `${path}/1`, `${path}/1/deliveries`, '/v1/events?limit=100'];
    const texts = await Promise.all(reads.map(async (each) => (await app.send(each)).text()));
    const trail = await readAuditTrail(app.database);
    expect(trail.map(({ event }) => event)).toEqual([
      'api_key_created',
      'webhook_created',
      'webhook_secret_rotated',
    ]);
    const stored = await sqlOn(chosenEngine, app.data.url, 'SELECT * FROM idempotency_keys');
    expect(stored).toHaveLength(2);
    const all = JSON.stringify([texts, trail, stored, app.failures, app.refusals], (_key, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const each of [secret, newSecret]) expect(all).not.toContain(each.slice(6, -1));
  });

  test('stores the URL in the form that is called', async () => {
    await using app = await openTestApp();
    const shown = async (sent: string) =>
      ((await (await create(app, { url: sent })).json()) as { url: string }).url;
    expect(await shown('HTTPS://Shop.example')).toBe('https://shop.example/');
    expect(await shown('https://shop.example:443/a/../b c'.replace(' ', '%20'))).toBe(
      'https://shop.example/b%20c',
    );
    const patched = await update(app, { url: 'https://SHOP.example/x' });
    expect(await patched.json()).toMatchObject({ url: 'https://shop.example/x' });
  });

  // Each one adds to the audit trail, which is never shortened.
  test('refuses the 61st change of webhooks by a key in a minute, and no other key', async () => {
    await using app = await openTestApp();
    await create(app);
    for (let change = 2; change <= 60; change += 1) {
      const response = await update(app, { description: `${change}` });
      expect(response.status).toBe(200);
    }
    for (const refused of [
      await update(app, { description: 'one too many' }),
      await create(app),
      await rotate(app),
      await app.write('DELETE', `${path}/1`),
    ]) {
      await expectError(refused, 'rate_limited');
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    expect(await readAuditTrail(app.database)).toHaveLength(61);
    const { text: apiKey } = await app.createKey({ scopes });
    expect((await update(app, { description: 'other' }, { apiKey })).status).toBe(200);
    app.now += 1000;
    expect((await update(app, { description: 'later' })).status).toBe(200);
  });

  test('returns the stored result of a repeated request, even if the name has no address any more', async () => {
    const resolved: { fault?: 'refused_target' } = {};
    await using app = await openTestApp();
    await using other = await openTestApp(
      {
        webhooks: {
          ...app.webhooks,
          checkTarget: async (url) => (resolved.fault ? { fault: resolved.fault } : { url }),
        },
      },
      { data: app.data, apiKey: app.apiKey, now: app.now },
    );
    const headers = { 'idempotency-key': 'same' };
    expect((await create(other, { url }, { headers })).status).toBe(201);
    resolved.fault = 'refused_target';
    const again = await create(other, { url }, { headers });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    await expectError(
      await create(other, { url: `${url}/2` }, { headers }),
      'idempotency_key_reused',
    );
    await expectError(await create(other, { url }), 'invalid_body');
  });
});

describe('PATCH /v1/webhooks/{webhookId}', () => {
  test('changes, pauses and continues a webhook, and obeys If-Match', async () => {
    await using app = await openTestApp();
    await create(app, { url, types: ['pet.*'], description: 'x' });
    const etag = (await app.send(`${path}/1`)).headers.get('etag') ?? '';
    const stale = { headers: { 'if-match': '"x"' } };
    for (const response of [
      await update(app, { status: 'paused' }, stale),
      await rotate(app, {}, stale),
      await app.write('DELETE', `${path}/1`, undefined, stale),
    ]) {
      expect(await expectError(response, 'precondition_failed')).toContain(
        'The webhook has changed',
      );
    }
    const patch = { types: null, description: null, status: 'paused' };
    const paused = await update(app, patch, { headers: { 'if-match': etag } });
    const webhook = {
      id: 1,
      url,
      status: 'paused',
      position: 0,
      createdAt: '2027-01-15T12:00:00.000Z',
    };
    expect([paused.status, await paused.json()]).toEqual([200, webhook]);
    expect(paused.headers.get('etag')).not.toBe(etag);
    const merge = { headers: { 'content-type': 'application/merge-patch+json' } };
    expect((await update(app, { status: 'enabled', id: 1 }, merge)).status).toBe(200);
    expect(await (await update(app, {})).json()).toEqual({ ...webhook, status: 'enabled' });
    const removed = await app.write('DELETE', `${path}/1`);
    expect([removed.status, await removed.text()]).toEqual([204, '']);
    for (const response of [
      await app.send(`${path}/1`),
      await app.send(`${path}/1/deliveries`),
      await update(app, {}),
      await update(app, { status: 'paused' }),
      await rotate(app),
      await testOf(app),
      await app.write('DELETE', `${path}/1`),
      await testOf(app, 7),
    ]) {
      expect(await expectError(response, 'not_found')).toMatch(/^There is no webhook [17]$/);
    }
  });

  test.each([
    [{ status: 'failing' }, 'status must be enabled or paused'],
    [{ status: null }, 'status must not be null'],
    [{ url: null }, 'url must not be null'],
    [{ position: -1 }, 'position must be now or a whole number from 0'],
    [{ position: 1.5 }, 'position must be now or a whole number from 0'],
    [{ position: '1' }, 'position must be now or a whole number from 0'],
    [{ position: 9007199254740992 }, 'position must be now or a whole number from 0'],
    [{ types: [] }, 'types must be a list of one or more types without repeats'],
    [{ id: 2, status: 'paused' }, 'id must be that of the path, 1, got 2'],
    [{ color: 'red' }, 'The body must have one of url, types, description, status, position'],
  ])('rejects %j', async (patch, message) => {
    await using app = await openTestApp();
    await create(app);
    expect(await expectError(await update(app, patch), 'invalid_body')).toContain(message);
  });

  test('moves the position to now or back, and answers 410 with the lowest one for a position without its events, or the highest one for a later one', async () => {
    await using app = await openTestApp();
    await create(app);
    for (let count = 0; count < 3; count += 1) await app.post({ name: 'Rex', categoryId: 1 });
    const positionAfter = async (patch: unknown) =>
      ((await (await update(app, patch)).json()) as { position: number }).position;
    expect(await positionAfter({ position: 'now' })).toBe(3);
    expect(await positionAfter({ position: 1 })).toBe(1);
    expect(await expectError(await update(app, { position: 4 }), 'cursor_expired')).toBe(
      'There is no event after this position yet. The highest position of webhook 1 is now 3, the newest event; set position to it or a ' +
        'lower one, or to now',
    );
    await update(app, { status: 'paused' });
    await app.database.write(background, 'deleteOldEvents', { before: app.now + 1, eventsMax: 9 });
    const message = await expectError(await update(app, { status: 'enabled' }), 'cursor_expired');
    expect(message).toContain('The lowest position of webhook 1 is now 3');
    expect(await positionAfter({ status: 'enabled', position: 3 })).toBe(3);
  });
});

describe('POST /v1/webhooks/{webhookId}/secret', () => {
  test('replaces the secret with an overlap of a day, or at once, and answers 409 during the overlap', async () => {
    await using app = await openTestApp();
    const created = await create(app);
    const { secret: first } = await createdBy(created);
    const response = await rotate(app);
    expect(response.headers.get('etag')).toBe(created.headers.get('etag'));
    const { secret, ...rest } = (await response.json()) as { secret: string };
    expect(secret).not.toBe(first ?? '');
    expect(rest as object).toEqual({ previousSecretExpiresAt: '2027-01-16T12:00:00.000Z' });
    expect(await expectError(await rotate(app), 'conflict')).toBe(
      'Webhook 1 still has the secret before its last rotation; rotate again when that has expired, or with overlapSeconds 0, which ends ' +
        'both secrets at once',
    );
    expect(
      Object.keys((await (await rotate(app, { overlapSeconds: 0 })).json()) as object),
    ).toEqual(['secret']);
    expect((await rotate(app, { overlapSeconds: 1 })).status).toBe(200);
    for (const overlapSeconds of [-1, 2_592_001, 1.5, '1', null]) {
      expect(await expectError(await rotate(app, { overlapSeconds }), 'invalid_body')).toContain(
        'overlapSeconds must be a whole number from 0 to 2592000',
      );
    }
  });
});

describe('POST /v1/webhooks/{webhookId}/test', () => {
  test('sends one signed request, and returns the response', async () => {
    await using app = await openTestApp();
    const received: { headers: Record<string, string>; body: string }[] = [];
    await using endpoint = startEndpoint(async (request) => {
      received.push({ headers: request.headers.toJSON(), body: await request.text() });
      return new Response('thank you', { status: 202 });
    });
    const { secret = '' } = await createdBy(await create(app, { url: endpoint.url }));
    app.now = Date.now();
    const response = await testOf(app);
    expect(response.headers.get('etag')).toBeNull();
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        delivered: true,
        httpStatus: 202,
        milliseconds: expect.any(Number),
        responseExcerpt: 'thank you',
      },
    ]);
    const [{ headers, body } = { headers: {}, body: '' }, ...others] = received;
    expect(others).toEqual([]);
    expect(new Receiver(secret).verify(body, headers)).toEqual({
      id: headers['webhook-id'],
      type: 'webhook.test',
      timestamp: new Date(app.now).toISOString(),
      data: {},
    });
    expect(headers['webhook-id']).toMatch(/^evt_test_\w{16}$/);
    expect(await (await app.send(`${path}/1/deliveries`)).json()).toEqual([]);
    expect(await (await app.send('/v1/events')).json()).toEqual([]);
    // Each request is another test.
    const again = { headers: { 'idempotency-key': 'same' } };
    for (const _ of [1, 2]) await app.write('POST', `${path}/1/test`, undefined, again);
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ headers: each }) => each['webhook-id'])).size).toBe(3);
  });

  test('says why there is no response, and that an answer is no success', async () => {
    await using app = await openTestApp();
    await using endpoint = startEndpoint(() => Response.redirect('http://127.0.0.1:9/', 307));
    await create(app, { url: endpoint.url });
    await create(app, { url: 'http://127.0.0.1:9/' });
    const results = [await testOf(app, 1), await testOf(app, 2)];
    expect(await Promise.all(results.map((each) => each.json()))).toEqual([
      { delivered: false, httpStatus: 307, milliseconds: expect.any(Number) },
      { delivered: false, error: 'connection_failed', milliseconds: expect.any(Number) },
    ]);
  });

  test('has a failing webhook probed at once if the endpoint accepts it, and not otherwise', async () => {
    await using app = await openTestApp();
    let httpStatus = 500;
    await using endpoint = startEndpoint(() => new Response(null, { status: httpStatus }));
    await create(app, { url: endpoint.url });
    await app.post({ name: 'Rex', categoryId: 1 });
    await recordFailures(app);
    await testOf(app);
    expect(await app.database.hasDueWebhooks(background, app.now)).toBe(false);
    httpStatus = 204;
    await testOf(app);
    expect(await app.database.hasDueWebhooks(background, app.now)).toBe(true);
    expect(await (await app.send(`${path}/1`)).json()).toMatchObject({ status: 'failing' });
  });

  test('runs one test of a webhook at a time', async () => {
    await using app = await openTestApp();
    const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using endpoint = startEndpoint(async () => {
      arrived.resolve();
      await answered.promise;
      return new Response();
    });
    await create(app, { url: endpoint.url });
    const running = testOf(app);
    await arrived.promise;
    const second = await testOf(app);
    expect(second.headers.get('retry-after')).toBe('1');
    expect(await expectError(second, 'rate_limited')).toBe(
      'A test of this webhook is running; retry later',
    );
    answered.resolve();
    expect((await running).status).toBe(200);
    expect((await testOf(app)).status).toBe(200);
  });

  test('is refused only while a server runs ten of its workspace, or a hundred', () => {
    const slots = createSlots();
    const acquire = (workspaceId: bigint, id: bigint) => acquireTestSlot(slots, workspaceId, id);
    const running = Array.from({ length: 100 }, (_, index) =>
      acquire(BigInt(Math.floor(index / 10)), BigInt(index)),
    );
    expect(acquire(1n, 999n)).toMatchObject({
      message: 'The server runs 10 tests of webhooks in this workspace; retry later',
    });
    expect(acquire(10n, 1n)).toMatchObject({
      message: 'The server runs 100 tests of webhooks; retry later',
    });
    for (const slot of running) if (!isFailure(slot)) slot[Symbol.dispose]();
    expect(isFailure(acquire(1n, 999n))).toBe(false);
  });

  test('ends with 503 when the server stops', async () => {
    const stop = new AbortController();
    await using app = await openTestApp({ stopping: stop.signal });
    const arrived = Promise.withResolvers<void>();
    await using endpoint = startEndpoint(() => {
      arrived.resolve();
      return new Promise(() => {});
    });
    await create(app, { url: endpoint.url });
    const response = testOf(app);
    await arrived.promise;
    stop.abort();
    expect(await expectError(await response, 'unavailable')).toBe(
      'The server is stopping; retry later',
    );
    expect(app.failures).toEqual([]);
  });
});

describe('GET /v1/webhooks/{webhookId}/deliveries', () => {
  test('lists attempts in pages, newest first, and only with cursors of the same webhook', async () => {
    await using app = await openTestApp();
    await create(app);
    await create(app);
    await app.post({ name: 'Rex', categoryId: 1 });
    await recordFailures(app);
    const first = await app.send(`${path}/1/deliveries?limit=1`);
    expect(await first.json()).toEqual([
      {
        id: 2,
        eventId: 'evt_1_aaaaaaaa',
        at: '2027-01-15T12:00:00.000Z',
        attempt: 2,
        httpStatus: 500,
        milliseconds: 8,
        responseExcerpt: 'no\nway',
      },
    ]);
    const next = nextPath(first) ?? '';
    const second = await app.send(next);
    expect([await second.json(), second.headers.get('link')]).toEqual([
      [
        {
          id: 1,
          eventId: 'evt_1_aaaaaaaa',
          at: '2027-01-15T12:00:00.000Z',
          attempt: 1,
          error: 'timeout',
          milliseconds: 15_000,
        },
      ],
      null,
    ]);
    expect(await (await app.send(`${path}/2/deliveries?limit=9`)).json()).toHaveLength(2);
    await expectError(await app.send(next.replace('/1/', '/2/')), 'invalid_cursor');
    expect(await (await app.send(`${path}/1`)).json()).toMatchObject({ status: 'failing' });
  });
});

describe('webhooks', () => {
  test('of another workspace do not exist', async () => {
    await using app = await openTestApp();
    await create(app);
    await addWorkspace(app, 'annex');
    const { text: apiKey } = await app.createKey({ workspace: 'annex', scopes });
    expect(await (await app.send(path, { apiKey })).json()).toEqual([]);
    const own = operations.filter(({ path: each }) => each.startsWith('/webhooks/'));
    expect(own).toHaveLength(6);
    for (const { method, path: each } of own) {
      const address = `/v1${each.replace('{webhookId}', '1')}`;
      const body = { PATCH: { status: 'paused' }, POST: {} }[method as string];
      const response = await app.write(method, address, body, { apiKey });
      await expectError(response, 'not_found');
    }
    expect(await (await app.send(`${path}/1`)).json()).toMatchObject({ status: 'enabled' });
  });

  test('can be changed while their workspace is deleted, and then the key is invalid', async () => {
    await using app = await openTestApp();
    await addWorkspace(app, 'annex');
    const { id = 0n } = (await app.database.findWorkspace(background, 'annex')) ?? {};
    await app.database.write(background, 'deleteWorkspaceStep', { id, rowsMax: 100, now: app.now });
    const input = { workspaceId: id, url, types: undefined, description: undefined, secret: 's' };
    expect(
      await app.database.write(background, 'createWebhook', { ...input, now: app.now }),
    ).toEqual({
      refused: 'no_such_workspace',
    });
  });
});
