import { describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { background } from '../src/context/context.ts';
import { webhookStatuses } from '../src/domain/webhook.ts';
import { errorCodes } from '../src/http/failure.ts';
import { operations } from '../src/http/operations.ts';
import { deliveryOutcomes } from '../src/ops/webhook-meters.ts';
import { startBlackHole } from './faults/black-hole.ts';
import { call } from './support/call-server.ts';
import { engineNames, prepareData } from './support/engines.ts';
import { fetchMetrics, findValue, parseMetrics } from './support/parse-metrics.ts';
import { connect } from './support/raw-connection.ts';
import { runProgram, type ServerProcess, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { startReceiver } from './support/webhook-receiver.ts';

const args = ['--metrics-port', '0'];

/** The address of the metrics in the output of the server. */
function metricsUrl(server: ServerProcess): string {
  const url = /"metrics":"([^"]+)"/.exec(server.output().stdout)?.[1];
  if (url === undefined) throw new Error('The server printed no address of metrics');
  return url;
}

function add(server: ServerProcess): Promise<Response> {
  return call(server, server.firstKey, '/v1/pets', 'POST', {
    name: 'Fluffy the Secret',
    categoryId: 7,
  });
}

describe.each(engineNames)('the metrics of a server on %s', (engine) => {
  test('count requests by operation and status, refusals by reason, commits and the response cache', async () => {
    await using data = await prepareData(engine);
    await using server = await startServerProcess(data.url, { args });
    // The writes of a start come before the first write of a request.
    await add(server);
    const before = await fetchMetrics(metricsUrl(server));
    await Promise.all(Array.from({ length: 20 }, () => add(server)));
    for (let count = 0; count < 3; count += 1) await call(server, server.firstKey, '/v1/pets');
    await call(server, server.firstKey, '/v1/pets', 'HEAD');
    await call(server, server.firstKey, '/v1/pets?limit=0');
    await call(server, server.firstKey, '/v1/pets/77');
    await call(server, 'none', '/v1/pets');
    await call(server, server.firstKey, '/nothing');
    await call(server, server.firstKey, '/docs');
    const after = await fetchMetrics(metricsUrl(server));

    const counts = (operation: string, status: number) =>
      findValue(after, 'animal_store_request_duration_seconds_count', {
        operation,
        status: String(status),
      });
    expect(counts('createPet', 201)).toBe(21);
    expect(counts('listPets', 200)).toBe(4);
    expect(counts('listPets', 400)).toBe(1);
    expect(counts('listPets', 401)).toBe(1);
    expect(counts('getPet', 404)).toBe(1);
    expect(counts('other', 404)).toBe(1);
    expect(counts('other', 200)).toBe(1);
    const refusals = after
      .filter(({ name, value }) => name === 'animal_store_requests_refused_total' && value > 0)
      .map(({ labels, value }) => [labels.reason, value]);
    expect(refusals.sort()).toEqual([
      ['invalid_api_key', 1],
      ['invalid_parameter', 1],
      ['not_found', 1],
      ['route_not_found', 1],
    ]);

    const grown = (name: string) => (findValue(after, name) ?? 0) - (findValue(before, name) ?? 0);
    expect(grown('animal_store_commit_writes_sum')).toBe(20);
    expect(grown('animal_store_commit_duration_seconds_count')).toBeGreaterThan(0);
    expect(grown('animal_store_commit_duration_seconds_sum')).toBeGreaterThan(0);
    expect(grown('animal_store_response_cache_misses_total')).toBe(2);
    expect(grown('animal_store_response_cache_hits_total')).toBe(2);
    expect(grown('animal_store_response_cache_entries')).toBe(1);
    expect(grown('animal_store_response_cache_bytes')).toBeGreaterThan(1000);
    expect(findValue(after, 'animal_store_writes_waiting')).toBe(0);
    expect(findValue(after, 'animal_store_event_loop_lag_seconds_count')).toBeGreaterThanOrEqual(0);
    expect(findValue(after, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(grown('process_cpu_seconds_total')).toBeGreaterThan(0);
    const { version } = packageJson;
    const runtime = `bun ${Bun.version}`;
    expect(findValue(after, 'animal_store_build_info', { version, engine, runtime })).toBe(1);
    if (engine === 'sqlite') {
      const path = data.url.replace('sqlite:', '');
      const { bavail, bsize, blocks } = statfsSync(path);
      expect(findValue(after, 'animal_store_wal_bytes')).toBe(statSync(`${path}-wal`).size);
      expect(findValue(after, 'animal_store_database_bytes')).toBe(statSync(path).size);
      const freeBytes = findValue(after, 'animal_store_database_free_bytes') ?? 0;
      // Other programs write to the same disk during this time.
      expect(Math.abs(freeBytes - bavail * bsize)).toBeLessThan((blocks * bsize) / 10);
      expect(findValue(after, 'animal_store_pool_connections')).toBeUndefined();
      expect(findValue(after, 'animal_store_newest_backup_timestamp_seconds')).toBeUndefined();
    } else {
      for (const name of ['wal', 'database', 'database_free']) {
        expect(findValue(after, `animal_store_${name}_bytes`)).toBeUndefined();
      }
      const connections = findValue(after, 'animal_store_pool_connections') ?? 0;
      expect(connections).toBeWithin(1, 11);
      expect(findValue(after, 'animal_store_pool_connections_idle')).toBeWithin(0, connections + 1);
      expect(findValue(after, 'animal_store_pool_waiting')).toBe(0);
    }
  });
});

describe.each(engineNames)('the metrics of webhooks on %s', (engine) => {
  test('count them by status and their attempts by outcome, and have the time of the oldest undelivered event', async () => {
    await using data = await prepareData(engine);
    using receiver = startReceiver();
    receiver.answer = ({ headers }) =>
      new Response(null, { status: headers.get('host')?.startsWith('localhost') ? 500 : 204 });
    {
      await using database = await data.open();
      const now = Date.now();
      const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
      const urls = [
        receiver.url,
        receiver.url.replace('127.0.0.1', 'localhost'),
        'http://127.0.0.1:9/',
        receiver.url,
      ];
      for (const url of urls) {
        const input = { workspaceId: 1n, url, types: undefined, description: undefined };
        await database.write(background, 'createWebhook', { ...input, secret, now });
      }
      const paused = { workspaceId: 1n, id: 4n, changes: { status: 'paused' } } as const;
      await database.write(background, 'updateWebhook', { ...paused, precondition: {}, now });
    }
    const allow = ['--webhook-allow', '127.0.0.1,::1'];
    await using server = await startServerProcess(data.url, { args: [...args, ...allow] });
    const read = () => fetchMetrics(metricsUrl(server));
    const total = 'animal_store_webhook_deliveries_total';
    const oldest = 'animal_store_webhook_oldest_undelivered_timestamp_seconds';
    const before = await read();
    expect(findValue(before, oldest)).toBe(0);
    const statuses = before
      .filter(({ name }) => name === 'animal_store_webhooks')
      .map(({ labels, value }) => [labels, value]);
    expect(statuses).toEqual([
      [{ status: 'enabled' }, 3],
      [{ status: 'failing' }, 0],
      [{ status: 'paused' }, 1],
      [{ status: 'disabled' }, 0],
    ]);
    await add(server);
    const [event] = (await (await call(server, server.firstKey, '/v1/events')).json()) as {
      timestamp: string;
    }[];
    const happened = ['ok', 'http_error', 'connection_failed'];
    let samples = before;
    while (!happened.every((outcome) => findValue(samples, total, { outcome }))) {
      samples = await read();
    }
    const counted = samples.filter(({ name, value }) => name === total && value > 0);
    expect(counted.map(({ labels }) => labels.outcome).sort()).toEqual(happened.toSorted());
    expect(findValue(samples, total, { outcome: 'ok' })).toBe(1);
    expect(findValue(samples, total, { outcome: 'timeout' })).toBe(0);
    expect(findValue(samples, oldest)).toBe(Date.parse(event?.timestamp ?? '') / 1000);
    expect(await server.stop('SIGTERM')).toBe(0);
  });
});

test('the metrics leave out the figures of webhooks while PostgreSQL does not answer, and are complete again later', async () => {
  await using data = await prepareData('postgres');
  const { port } = new URL(data.url);
  await using hole = startBlackHole(Number(port));
  const url = data.url.replace(`:${port}/`, `:${hole.port}/`);
  await using server = await startServerProcess(url, { args });
  const names = async () => {
    const response = await fetch(metricsUrl(server));
    expect(response.status).toBe(200);
    const samples = parseMetrics(await response.text());
    return samples.map(({ name }) => name).filter((name) => name.includes('webhook'));
  };
  const all = await names();
  const ofDatabase = [
    'animal_store_webhooks',
    'animal_store_webhook_oldest_undelivered_timestamp_seconds',
  ];
  expect(all).toContainValues(ofDatabase);
  hole.swallow(true);
  const silent = await names();
  expect(silent).toEqual(all.filter((name) => !ofDatabase.includes(name)));
  expect(silent).not.toBeEmpty();
  hole.swallow(false);
  while ((await names()).length < all.length);
});

describe('the metrics', () => {
  test('contain no key, animal, workspace or path: labels have few values, all known in advance', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, { args });
    await add(server);
    for (const path of [
      '/v1/pets/1',
      '/v1/pets?status=lost',
      `/v1/${server.firstKey}`,
      '/v1/pets/Fluffy',
      '/default',
    ]) {
      for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS'])
        await call(server, server.firstKey, path, method);
    }
    const allowed: Record<string, readonly string[]> = {
      operation: [...operations.map(({ operationId }) => operationId), 'other'],
      reason: errorCodes,
      version: [packageJson.version],
      engine: ['sqlite'],
      outcome: ['ok', 'refused', ...deliveryOutcomes],
      status: webhookStatuses,
      level: ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
      runtime: [`bun ${Bun.version}`],
    };
    const labels = (await fetchMetrics(metricsUrl(server))).flatMap((sample) =>
      Object.entries(sample.labels),
    );
    const strange = labels.filter(([name, value]) =>
      name === 'le' || (name === 'status' && /^[0-9]/.test(value))
        ? !/^(?:[0-9.]+|\+Inf)$/.test(value)
        : !allowed[name]?.includes(value),
    );
    expect(strange).toEqual([]);
    expect(labels.length).toBeGreaterThan(50);
  });

  test('are on their own listener, which has nothing else', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, { args });
    const url = metricsUrl(server);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    const found = await fetch(url);
    expect(found.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(found.status).toBe(200);
    expect((await fetch(`${server.origin}/metrics`)).status).toBe(404);
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/metrics/'],
      ['GET', '/v1/pets'],
      ['POST', '/metrics'],
      ['OPTIONS', '/metrics'],
    ] as const) {
      const response = await fetch(new URL(path, url), { method });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        code: 'route_not_found',
        message: 'This server has only GET /metrics',
        status: 404,
      });
    }
  });

  test('have the time of the newest backup that --folder made of this data, or 0', async () => {
    using folder = makeTemporaryFolder();
    const url = `sqlite:${folder.path}/test.db`;
    const backups = join(folder.path, 'backups');
    const run = (...given: string[]) => runProgram(given, { DATABASE_URL: url });
    await using server = await startServerProcess(url, {
      args: [...args, '--backup-folder', backups],
    });
    const read = async () =>
      findValue(
        await fetchMetrics(metricsUrl(server)),
        'animal_store_newest_backup_timestamp_seconds',
      );
    expect(await read()).toBe(0);
    mkdirSync(backups);
    await run('backup', join(backups, '2026-01-01T00-00-00Z.db'));
    await run('backup', '--folder', backups);
    const [, name = ''] = readdirSync(backups)
      .filter((found) => found.endsWith('.db'))
      .sort();
    const { madeAt } = JSON.parse(readFileSync(join(backups, `${name}.json`), 'utf8'));
    const seconds = Date.parse(madeAt) / 1000;
    expect(await read()).toBe(seconds);

    // A backup of another database, an incomplete one, and one with a wrong clock.
    for (const changes of [
      { dataCreatedAt: '2020-01-01T00:00:00.000Z' },
      { bytes: 1 },
      { madeAt: '2099-01-01T00:00:00.000Z' },
    ]) {
      const before = readdirSync(backups);
      await run('backup', '--folder', backups);
      const added = readdirSync(backups).find((found) => !before.includes(found)) ?? '';
      const path = join(backups, `${added.replace(/\.json$/, '')}.json`);
      writeFileSync(
        path,
        JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }),
      );
    }
    expect(await read()).toBe(seconds);
    rmSync(join(backups, name));
    expect(await read()).toBe(0);
  });

  test.skipIf(!existsSync('/proc/self/fd'))(
    'have the number of open files, including connections, and its limit',
    async () => {
      using folder = makeTemporaryFolder();
      await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, {
        args,
        through: ['sh', '-c', 'ulimit -n 777 && exec "$@"', 'sh'],
      });
      const read = async (name: string) =>
        findValue(await fetchMetrics(metricsUrl(server)), name) ?? 0;
      const before = await read('process_open_fds');
      const sockets = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const connection = await connect(Number(new URL(server.origin).port));
          await connection.send(['GET /livez HTTP/1.1\r\nHost: a\r\n\r\n']);
          return connection;
        }),
      );
      let open = before;
      while (open < before + 50) open = await read('process_open_fds');
      expect(open).toBeLessThan(before + 60);
      expect(await read('process_max_fds')).toBe(777);
      for (const socket of sockets) socket.terminate();
    },
  );

  test('are off unless a port is configured', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`);
    expect(server.output().stdout).not.toContain('metrics');
  });
});
