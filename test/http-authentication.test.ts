import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { scopes } from '../src/domain/access/api-key.ts';
import { digestToken } from '../src/http/console/token.ts';
import { operations } from '../src/http/operations.ts';
import type { Database } from '../src/storage/contract/database.ts';
import { expectError, readIds } from './support/answers.ts';
import { signInAsOwner } from './support/console-session.ts';
import { operatorKeyOf, rotateKey } from './support/new-key.ts';
import { okOf } from './support/outcome.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp, type TestApp, testNow } from './support/test-app.ts';
import { readApiKeys } from './support/whole-lists.ts';

describe('a request', () => {
  /** No test of this group adds an animal. */
  const opening = openSharedApp();

  async function get(authorization: string | undefined, path = '/v1/pets'): Promise<Response> {
    const app = await opening;
    return app.send(path, {
      apiKey: null,
      headers: authorization === undefined ? {} : { authorization },
    });
  }

  test.each<[string, (apiKey: string) => string]>([
    ['Bearer KEY', (apiKey) => `Bearer ${apiKey}`],
    ['bearer KEY', (apiKey) => `bearer ${apiKey}`],
    ['BEARER KEY', (apiKey) => `BEARER ${apiKey}`],
    ['two spaces after Bearer', (apiKey) => `Bearer  ${apiKey}`],
    ['spaces around the value', (apiKey) => `  Bearer ${apiKey}  `],
  ])('is accepted with %s', async (_name, write) => {
    const { apiKey } = await opening;
    expect((await get(write(apiKey))).status).toBe(200);
  });

  test('with the key in the query or the body answers 401 missing_api_key', async () => {
    const { apiKey, send } = await opening;
    for (const name of ['access_token', 'api_key', 'key', 'apiKey', 'authorization']) {
      await expectError(await get(undefined, `/v1/pets?${name}=${apiKey}`), 'missing_api_key');
    }
    const response = await send('/v1/pets', {
      method: 'POST',
      apiKey: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `access_token=${apiKey}`,
    });
    await expectError(response, 'missing_api_key');
  });
});

test('every scope of a key is needed by an operation, so that a later version gives old keys no more rights', () => {
  const needed = new Set(operations.map(({ scope }) => scope));
  expect(scopes.filter((scope) => !needed.has(scope))).toEqual([]);
});

describe('a key', () => {
  test('is valid until the millisecond before it expires', async () => {
    await using app = await openTestApp();
    const { text } = await app.createKey({ expiresAt: testNow + 1000 });
    app.now = testNow + 999;
    expect((await app.send('/v1/pets', { apiKey: text })).status).toBe(200);
    app.now = testNow + 1000;
    await expectError(await app.send('/v1/pets', { apiKey: text }), 'invalid_api_key');
  });

  test('that was revoked before the body arrived changes nothing', async () => {
    await using app = await openTestApp();
    const { text, id } = await app.createKey();
    const late = new ReadableStream(
      {
        async pull(controller) {
          await app.database.write(background, 'revokeApiKey', { id, now: app.now });
          app.now += 1000;
          controller.enqueue(Buffer.from('{"name":"Rex","categoryId":1}'));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'content-type': 'application/json' };
    const answer = await app.send('/v1/pets', {
      method: 'POST',
      apiKey: text,
      headers,
      body: late,
    });
    await expectError(answer, 'invalid_api_key');
    expect(await (await app.send('/v1/pets')).text()).toBe('[]');
  });

  test.each([
    ['revoked', undefined],
    ['rotated without an overlap', 0],
  ])('that was %s stays invalid when the clock is set back', async (_how, overlapMilliseconds) => {
    await using app = await openTestApp();
    const { text, id } = await app.createKey();
    if (overlapMilliseconds === undefined) {
      await app.database.write(background, 'revokeApiKey', { id, now: app.now });
    } else await rotateKey(app.database, { id, overlapMilliseconds, now: app.now });
    app.now = testNow - 3_600_000;
    await expectError(await app.send('/v1/pets', { apiKey: text }), 'invalid_api_key');
  });

  test('that was rotated is valid until the end of its overlap, and its successor from the start', async () => {
    await using app = await openTestApp();
    const { text, id } = await app.createKey();
    const rotation = { id, overlapMilliseconds: 1000, now: app.now };
    const successor = await rotateKey(app.database, rotation);
    app.now = testNow + 999;
    expect((await app.send('/v1/pets', { apiKey: text })).status).toBe(200);
    expect((await app.send('/v1/pets', { apiKey: successor })).status).toBe(200);
    app.now = testNow + 1000;
    await expectError(await app.send('/v1/pets', { apiKey: text }), 'invalid_api_key');
    expect((await app.send('/v1/pets', { apiKey: successor })).status).toBe(200);
  });

  test('of staging is valid on staging, and one of production is not', async () => {
    await using app = await openTestApp({ environment: 'staging' });
    const staging = await app.createKey({ environment: 'staging' });
    const production = await app.createKey({ environment: 'production' });
    expect((await app.send('/v1/pets', { apiKey: staging.text })).status).toBe(200);
    await expectError(await app.send('/v1/pets', { apiKey: production.text }), 'invalid_api_key');
  });

  test('has the minute of its last accepted request as its time of use', async () => {
    await using app = await openTestApp();
    const { text, id } = await app.createKey({ scopes: ['pets:read'] });
    async function lastUsedAt() {
      await app.uses.flush();
      const apiKeys = await readApiKeys(app.database);
      return apiKeys.find((apiKey) => apiKey.id === id)?.lastUsedAt;
    }

    await app.send('/v1/pets', { apiKey: `${text}0` });
    expect(await lastUsedAt()).toBeUndefined();
    app.now = testNow + 90_000;
    await app.send('/v1/pets', { apiKey: text });
    expect(await lastUsedAt()).toBe(testNow + 60_000);
  });
});

describe.each(['this', 'another'])('access that %s server ends between two writes', (server) => {
  const rex = { workspaceId: 1n, pet: { name: 'Rex', categoryId: 1n } };

  /** Sends requests until the access is cached, ends it, and writes before the next request. */
  async function endBetweenWrites(
    app: TestApp,
    send: () => Promise<Response>,
    end: (database: Database) => Promise<unknown>,
  ): Promise<Response> {
    await using other = await app.data.open({ now: () => app.now });
    for (let round = 0; round < 3; round += 1) {
      await app.database.write(background, 'createPet', rex);
      expect((await send()).status).toBe(200);
    }
    await end(server === 'this' ? app.database : other);
    await app.database.write(background, 'createPet', rex);
    return await send();
  }

  test('is refused at the next request of a key', async () => {
    await using app = await openTestApp();
    const { text, id } = await app.createKey();
    const answer = await endBetweenWrites(
      app,
      () => app.send('/v1/pets', { apiKey: text }),
      (database) => database.write(background, 'revokeApiKey', { id, now: app.now }),
    );
    await expectError(answer, 'invalid_api_key');
  });

  test('is refused at the next request to a deleted workspace', async () => {
    await using app = await openTestApp();
    const made = await app.database.write(background, 'createWorkspace', {
      name: 'other',
      now: app.now,
    });
    const { text } = await app.createKey({ workspace: 'other' });
    const step = { id: okOf(made).id, rowsMax: 1000, now: app.now };
    const answer = await endBetweenWrites(
      app,
      () => app.send('/v1/pets', { apiKey: text }),
      (database) => database.write(background, 'deleteWorkspaceStep', step),
    );
    await expectError(answer, 'invalid_api_key');
  });

  test('is refused at the next request of a session that was signed out', async () => {
    await using app = await openTestApp();
    const { cookie, send } = await signInAsOwner(app);
    const digest = digestToken(cookie.slice(cookie.indexOf('=') + 1));
    const answer = await endBetweenWrites(
      app,
      () => send('/console/v1/pets'),
      (database) => database.write(background, 'closeConsoleSession', { digest }),
    );
    await expectError(answer, 'missing_api_key');
  });
});

describe('a key of the operator', () => {
  const text = 'operator.chosen/key-0001==';
  const operatorApiKey = operatorKeyOf(text);
  const rex = { name: 'Rex', categoryId: 1 };

  test('is valid for workspace default with every scope, and is stored nowhere', async () => {
    await using app = await openTestApp({ operatorApiKey });
    const created = await app.post(rex, { authorization: `Bearer ${text}` });
    expect(created.status).toBe(201);
    expect(await readIds(await app.send('/v1/pets', { apiKey: text }))).toEqual([1]);
    expect(await readIds(await app.send('/v1/pets'))).toEqual([1]);
    expect(await app.database.findApiKey(background, operatorApiKey.digest)).toBeUndefined();
    await expectError(await app.send('/v1/pets', { apiKey: `${text}=` }), 'invalid_api_key');
  });

  test('answers 401 to a new animal if its workspace was deleted before the body arrived', async () => {
    const workspace = { ...operatorApiKey.workspace, id: 404n };
    await using app = await openTestApp({ operatorApiKey: { ...operatorApiKey, workspace } });
    const response = await app.post(rex, { authorization: `Bearer ${text}` });
    await expectError(response, 'invalid_api_key');
  });
});
