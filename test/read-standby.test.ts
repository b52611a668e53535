import { expect, test } from 'bun:test';
import { administer } from './support/postgres.ts';
import { startPostgresServer } from './support/postgres-server.ts';
import { startStandby } from './support/postgres-standby.ts';
import {
  refusal,
  runProgram,
  type ServerProcess,
  startServerProcess,
} from './support/server-process.ts';

function send(server: ServerProcess, key: string, path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${server.origin}${path}`, { ...init, headers });
}

const add = { method: 'POST', body: '{"name":"Rex","categoryId":1}' };

async function openStream(server: ServerProcess, key: string) {
  const end = new AbortController();
  const init = { signal: end.signal };
  const { headers, status } = await send(server, key, '/v1/events/stream', init);
  expect(status).toBe(200);
  return { headers, [Symbol.asyncDispose]: async () => end.abort() };
}

/** Asks until an answer has a status, at most for the time of the test. */
async function until(ask: () => Promise<Response>, status: number): Promise<Response> {
  for (;;) {
    const response = await ask();
    if (response.status === status) return response;
    await response.body?.cancel();
  }
}

test('reads come from a standby while the primary is away, and are marked', async () => {
  await using primary = await startPostgresServer({
    flags: ['synchronous_standby_names=*', 'synchronous_commit=remote_apply'],
  });
  await using standby = await startStandby(primary);
  const url = `${primary.url},127.0.0.1:${standby.port}/postgres`;
  await using server = await startServerProcess(url, { args: ['--read-standby'] });
  await using plain = await startServerProcess(url);
  const key = server.firstKey ?? '';
  const made = await runProgram(['keys', 'create', '--name', 'leaked', '--json'], {
    DATABASE_URL: url,
  });
  const leaked = JSON.parse(made.stdout) as { id: number; apiKey: string };
  expect((await send(server, key, '/v1/pets', add)).status).toBe(201);
  const before = await send(server, leaked.apiKey, '/v1/pets');
  expect([before.status, before.headers.get('x-read-from')]).toEqual([200, null]);
  await runProgram(['keys', 'revoke', String(leaked.id)], { DATABASE_URL: url });
  await until(() => send(server, leaked.apiKey, '/v1/pets'), 401);

  await primary.end('SIGKILL');
  const read = await until(() => send(server, key, '/v1/pets/1'), 200);
  expect([read.headers.get('x-read-from'), await read.json()]).toEqual([
    'standby',
    expect.objectContaining({ id: 1, name: 'Rex' }),
  ]);
  expect(read.headers.get('access-control-expose-headers')).toContain('X-Read-From');
  expect((await send(server, key, '/v1/pets', add)).status).toBe(503);
  expect((await send(server, leaked.apiKey, '/v1/pets')).status).toBe(401);
  expect((await send(server, key, '/readyz')).status).toBe(503);
  expect((await send(server, key, '/readyz?for=reads')).status).toBe(200);
  // Only if the operator asks for it.
  expect((await send(plain, key, '/v1/pets/1')).status).toBe(503);

  await administer(standby.url, 'ALTER SYSTEM SET synchronous_standby_names = DEFAULT');
  await administer(standby.url, 'SELECT pg_promote()');
  await until(() => send(server, key, '/v1/pets', add), 201);
  for (;;) {
    const after = await send(server, key, '/v1/pets/2');
    expect(after.status).toBe(200);
    if (after.headers.get('x-read-from') === null) break;
  }
}, 30_000);

test('a standby that lacks what the server has seen is not read', async () => {
  await using primary = await startPostgresServer();
  await using standby = await startStandby(primary);
  const url = `${primary.url},127.0.0.1:${standby.port}/postgres`;
  await using server = await startServerProcess(url, { args: ['--read-standby'] });
  const key = server.firstKey ?? '';
  await administer(standby.url, 'SELECT pg_wal_replay_pause()');
  expect((await send(server, key, '/v1/pets', add)).status).toBe(201);
  const [posted] = await administer(primary.url, 'SELECT now()::text AS at');
  // The server looks at the primary each second, and not while the other query runs.
  const looksSince = () =>
    administer(
      primary.url,
      `SELECT 1 FROM pg_stat_activity WHERE application_name = 'animal-store'
       AND query LIKE '%pg_current_wal_flush_lsn()%' AND query_start > '${posted?.at}'`,
    );
  while ((await looksSince()).length === 0) await new Promise(setImmediate);
  await primary.end('SIGKILL');
  for (let time = 0; time < 5; time += 1) {
    expect((await send(server, key, '/v1/pets/1')).status).toBe(503);
  }
}, 30_000);

// Each read from a standby must not put off the return.
test('reads come from the primary again when it is back, and nothing of the standby stays', async () => {
  await using primary = await startPostgresServer({
    flags: ['synchronous_standby_names=*', 'synchronous_commit=remote_apply'],
  });
  await using standby = await startStandby(primary);
  const url = `${primary.url},127.0.0.1:${standby.port}/postgres`;
  await using server = await startServerProcess(url, { args: ['--read-standby'] });
  const key = server.firstKey ?? '';
  const source = async (path: string) => {
    const response = await send(server, key, path);
    expect([path, response.status]).toEqual([path, 200]);
    return response.headers.get('x-read-from');
  };
  expect((await send(server, key, '/v1/pets', add)).status).toBe(201);

  await primary.end('SIGKILL');
  await until(() => send(server, key, '/v1/pets/1'), 200);
  for (const path of ['/v1/pets/1', '/v1/pets', '/v1/pets', '/v1/events', '/v1/pets?name=rex']) {
    expect(await source(path)).toBe('standby');
  }
  await using stream = await openStream(server, key);
  expect(stream.headers.get('x-read-from')).toBe('standby');

  await primary.start();
  while ((await source('/v1/pets')) !== null) await new Promise(setImmediate);
  // The first ones can get 503 until the standby is connected again.
  const added = await until(() => send(server, key, '/v1/pets', add), 201);
  const list = await send(server, key, '/v1/pets?limit=1');
  expect(list.headers.get('x-read-from')).toBe(null);
  expect(await list.json()).toEqual([await added.json()]);
}, 30_000);

test('a standby that ends during reads ends no server', async () => {
  await using primary = await startPostgresServer({
    flags: ['synchronous_standby_names=*', 'synchronous_commit=remote_apply'],
  });
  await using standby = await startStandby(primary);
  const url = `${primary.url},127.0.0.1:${standby.port}/postgres`;
  await using server = await startServerProcess(url, { args: ['--read-standby'] });
  const key = server.firstKey ?? '';
  expect((await send(server, key, '/v1/pets', add)).status).toBe(201);
  await primary.end('SIGKILL');
  await until(() => send(server, key, '/v1/pets/1'), 200);
  let isReading = true;
  const readers = Array.from({ length: 16 }, async () => {
    while (isReading) await (await send(server, key, '/v1/pets/1')).arrayBuffer();
  });
  await standby.end('SIGQUIT');
  await standby.start();
  await until(() => send(server, key, '/v1/pets/1'), 200);
  isReading = false;
  await Promise.all(readers);
  expect(await server.stop('SIGTERM')).toBe(0);
  expect(server.output().stderr).not.toContain('at ');
}, 30_000);

test('--read-standby and --idle-polling exclude each other', async () => {
  const args = ['serve', '--port', '0', '--read-standby', '--idle-polling', '10m'];
  expect(await runProgram(args)).toEqual(
    refusal('--read-standby looks at PostgreSQL each second, so leave out --idle-polling', 2),
  );
});
