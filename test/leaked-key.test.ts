import { describe, expect, test } from 'bun:test';
import { call } from './support/call-server.ts';
import { refusal, runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { openTestApp } from './support/test-app.ts';

const operatorApiKey = 'key-of-the-operator-1';

async function openShop() {
  const folder = makeTemporaryFolder();
  const url = `sqlite:${folder.path}/a.db`;
  const env = { DATABASE_URL: url };
  const own = { ANIMAL_STORE_API_KEY: operatorApiKey };
  const run = (args: readonly string[], more = {}) => runProgram(args, { ...env, ...more });
  const create = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(['keys', 'create', '--json', ...args]);
    return (JSON.parse(stdout) as { apiKey: string }).apiKey;
  };
  const website = await create('--name', 'website', '--expires', '90d');
  const writer = await create('--name', 'writer', '--scopes', 'pets:write');
  const server = await startServerProcess(url, { env: own, args: ['--log-reads'] });
  const send = (key: string, method: string, path: string, body?: unknown, headers = {}) =>
    call(server, key, `/v1${path}`, method, body, headers);
  return {
    ...{ website, writer, server, send, run, own },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

describe('a key that was leaked', () => {
  test('is found in the list, also the key of the operator, which comes last', async () => {
    await using shop = await openShop();
    const ids = async (args: readonly string[], more = {}) => {
      const { stdout } = await shop.run(['keys', 'list', '--json', ...args], more);
      return (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id);
    };
    expect(await ids([])).toEqual([2, 1]);
    expect(await ids([], shop.own)).toEqual([2, 1, 0]);
    expect(await ids(['--limit', '2'], shop.own)).toEqual([2, 1]);
    expect(await ids(['--before', '1'], shop.own)).toEqual([0]);
    await shop.run(['workspaces', 'create', 'annex']);
    expect(await ids(['--workspace', 'annex'], shop.own)).toEqual([]);
    const { stdout } = await shop.run(['keys', 'list'], shop.own);
    expect(stdout).toMatch(/^0 +ANIMAL_STORE_API_KEY +default +or-1 .* - +active +- +- +-$/m);
  });

  test('has its changes in the list of events', async () => {
    await using shop = await openShop();
    for (const key of [shop.website, operatorApiKey, shop.writer, operatorApiKey]) {
      const answer = await shop.send(key, 'POST', '/pets', { name: 'Rex', categoryId: 1 });
      expect(answer.status).toBe(201);
    }
    await shop.send(operatorApiKey, 'PUT', '/categories/9223372036854775807', { name: 'Big' });
    const list = (...args: string[]) => shop.run(['events', ...args]);
    const { stdout: json } = await list('--actor', 'key:0', '--json');
    expect(JSON.parse(json)).toMatchObject([
      { sequence: 2, actor: 'key:0', data: { id: 2 } },
      { sequence: 4, actor: 'key:0' },
      { sequence: 5 },
    ]);
    expect(json).toContain('"id": 9223372036854775807');
    const table = await list('--actor', 'key:2');
    expect(table.stdout).toMatch(
      /^SEQUENCE {2}TIME +ACTOR {2}TYPE +RECORD\n3 +20\S+Z +key:2 +pet\.created +pet:3\n$/,
    );
    const first = await list('--limit', '1', '--after', '1');
    expect(first.stdout).toMatch(/\n2 .*\n$/);
    expect(first.stderr).toBe(
      'The list has newer changes. Add --after 2 to list them, or --all to list everything.\n',
    );
    expect((await list('--actor', 'owner', '--all')).stdout).toBe(
      'SEQUENCE  TIME  ACTOR  TYPE  RECORD\n',
    );
    expect(await list('--after', '99')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Events after 99 are no longer stored'),
    });
    expect((await list('--actor', 'key:x')).exitCode).toBe(2);
    const { origin } = shop.server;
    const headers = { authorization: `Bearer ${operatorApiKey}` };
    const page = await fetch(`${origin}/v1/events?actor=key:0&limit=2`, { headers });
    expect([await page.json(), page.headers.get('link')]).toMatchObject([
      [{ sequence: 2 }, { sequence: 4 }],
      `<${origin}/v1/events?limit=2&after=4&actor=key%3A0>; rel="next"`,
    ]);
  });

  test('has its changes in the list of events, also in another workspace', async () => {
    await using shop = await openShop();
    await shop.run(['workspaces', 'create', 'annex']);
    const create = ['keys', 'create', '--json', '--name', 'a', '--workspace', 'annex'];
    const { stdout } = await shop.run(create);
    const { id, apiKey } = JSON.parse(stdout) as { id: number; apiKey: string };
    await shop.send(apiKey, 'POST', '/pets', { name: 'Rex', categoryId: 1 });
    const list = (...args: string[]) => shop.run(['events', '--actor', ...args]);
    expect((await list(`key:${id}`)).stdout).toMatch(/\n1 .* key:3 +pet\.created +pet:1\n$/);
    expect((await list(`key:${id}`, '--workspace', 'annex')).stdout).toContain('pet:1');
    expect((await list('owner')).stdout).toMatch(/^SEQUENCE.*\n$/);
    for (const more of [[], ['--workspace', 'annex']]) {
      expect(await list('key:99', ...more)).toEqual(
        refusal('Key 99 does not exist; run keys list to see the keys'),
      );
    }
  });

  test('has its reads in the log, if the operator wants them', async () => {
    await using shop = await openShop();
    const { website, writer, send } = shop;
    for (const name of ['Rex', 'Max']) await send(writer, 'POST', '/pets', { name, categoryId: 1 });
    const list = await send(website, 'GET', '/pets?name=secret');
    await send(website, 'GET', '/pets');
    await send(website, 'GET', '/pets');
    const tag = (await send(website, 'GET', '/pets/1')).headers.get('etag') ?? '';
    await send(website, 'GET', '/pets/1', undefined, { 'if-none-match': tag });
    await send(website, 'HEAD', '/pets/1');
    await send(writer, 'PATCH', '/pets/1', {});
    await send(writer, 'PATCH', '/pets/2', { name: 'Max' });
    await send(website, 'GET', '/pets/9');
    await send(website, 'GET', '/events?after=0');
    const stream = await send(website, 'GET', '/events/stream?after=0');
    const decoder = new TextDecoder();
    let seen = '';
    for await (const bytes of stream.body ?? []) {
      seen += decoder.decode(bytes, { stream: true });
      // The reader closes the connection itself.
      if (seen.includes('"sequence":2')) break;
    }
    expect(list.status).toBe(200);
    // The line of a stream whose client has just left is in the log too.
    await shop.server.stop('SIGTERM');
    const lines = shop.server
      .output()
      .stdout.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const reads = lines.filter(({ msg }) => msg === 'records read');
    expect(
      reads.map(({ apiKeyId, method, path, recordCount }) => [apiKeyId, method, path, recordCount]),
    ).toEqual([
      [2, 'POST', '/v1/pets', 1],
      [2, 'POST', '/v1/pets', 1],
      [1, 'GET', '/v1/pets', 2],
      [1, 'GET', '/v1/pets', 2],
      [1, 'GET', '/v1/pets/1', 1],
      [2, 'PATCH', '/v1/pets/1', 1],
      [2, 'PATCH', '/v1/pets/2', 1],
      [1, 'GET', '/v1/events', 2],
      [1, 'GET', '/v1/events/stream', 2],
    ]);
    expect(reads[0]).toMatchObject({ workspace: 'default', requestId: expect.any(String) });
    expect(new Set(reads.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
  });
});

test('getKey says what the key of the request is, and no other', async () => {
  await using app = await openTestApp();
  const { text, id } = await app.createKey({
    scopes: ['orders:read', 'pets:read'],
    expiresAt: app.now + 5000,
  });
  const answer = await app.send('/v1/key', { apiKey: text });
  expect([answer.status, answer.headers.get('x-stability')]).toEqual([200, 'beta']);
  expect(await answer.json()).toEqual({
    ...{ id: Number(id), name: 'test', scopes: ['pets:read', 'orders:read'] },
    ...{ workspace: 'default', environment: 'production' },
    expiresAt: new Date(app.now + 5000).toISOString(),
  });
  await app.uses.flush();
  const later = (await (await app.send('/v1/key', { apiKey: text })).json()) as object;
  expect(later).toHaveProperty('lastUsedAt');
  app.now += 5000;
  expect((await app.send('/v1/key', { apiKey: text })).status).toBe(401);
  expect((await app.send('/v1/key', { apiKey: null })).status).toBe(401);
});

test('getKey names the key of the operator, which is not stored', async () => {
  await using shop = await openShop();
  expect(await (await shop.send(operatorApiKey, 'GET', '/key')).json()).toEqual({
    ...{ id: 0, name: 'operator', workspace: 'default', environment: 'production' },
    scopes: [
      'pets:read',
      'pets:write',
      'orders:read',
      'orders:write',
      'events:read',
      'webhooks:manage',
    ],
  });
});

test('the key that earlier documents set is refused', async () => {
  using folder = makeTemporaryFolder();
  const result = await runProgram(['serve', '--port', '0'], {
    DATABASE_URL: `sqlite:${folder.path}/a.db`,
    ANIMAL_STORE_API_KEY: 'a-key-of-your-own-choosing',
  });
  expect([result.exitCode, result.stderr]).toEqual([
    2,
    'animal-store: ANIMAL_STORE_API_KEY must be a key of your own, such as from: openssl rand -base64 33\n',
  ]);
});
