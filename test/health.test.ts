import { describe, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { background } from '../src/context/context.ts';
import { startPostgresServer } from './support/postgres-server.ts';
import { type ServerProcess, startServerProcess } from './support/server-process.ts';
import { fillDisk, hasSmallDisks, onSmallDisk } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { openTestApp } from './support/test-app.ts';

/** Sends a request on its own connection, as a load balancer does. */
function ask(server: ServerProcess, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    authorization: `Bearer ${server.firstKey}`,
    'content-type': 'application/json',
    connection: 'close',
  };
  return fetch(`${server.origin}${path}`, { ...init, headers });
}

function add(server: ServerProcess): Promise<Response> {
  return ask(server, '/v1/pets', { method: 'POST', body: '{"name":"Rex","categoryId":1}' });
}

/** Repeats the request until the server is ready, or is not. Returns the last answer. */
async function untilReadiness(server: ServerProcess, httpStatus: 200 | 503): Promise<string> {
  for (;;) {
    const response = await ask(server, '/readyz');
    const text = await response.text();
    if (response.status === httpStatus) return text;
  }
}

function unready(message: string): string {
  return JSON.stringify({ code: 'unavailable', message, status: 503 });
}

describe('/readyz', () => {
  test('for reads is 200 while writes fail, and refuses other questions', async () => {
    await using app = await openTestApp();
    expect((await app.send('/readyz?for=reads&other=1')).status).toBe(200);
    for (const query of ['for=writes', 'for=', 'for=reads&for=reads', 'for']) {
      const response = await app.send(`/readyz?${query}`);
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'invalid_parameter', status: 400 }),
      ]);
    }
    expect((await app.send('/readyz?FOR=x')).status).toBe(200);
  });

  test('writes a probe at most once a second, however many requests arrive, and changes nothing', async () => {
    await using app = await openTestApp();
    const writes = async () => (await app.database.statistics()).commits.commands.sum;
    const before = await writes();
    const ask = () => Promise.all(Array.from({ length: 10 }, () => app.send('/readyz')));
    for (const response of [...(await ask()), ...(await ask())]) expect(response.status).toBe(200);
    expect(await writes()).toBe(before + 1);
    app.now += 1000;
    await ask();
    expect(await writes()).toBe(before + 2);
    expect(await app.database.readWorkspaceVersion(background, 1n)).toBe(0);
  });

  test('is 503 during the drain delay, while other requests are answered, and then the server ends with 0', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, {
      args: ['--drain-delay', '1'],
    });
    const stopped = server.stop('SIGTERM');
    await server.logged('"msg":"draining"');
    const response = await ask(server, '/readyz');
    expect([response.status, await response.text()]).toEqual([
      503,
      unready('The service is shutting down'),
    ]);
    expect(response.headers.get('retry-after')).toBe('1');
    expect((await add(server)).status).toBe(201);
    expect((await ask(server, '/livez')).status).toBe(200);
    expect(await stopped).toBe(0);
    const { stdout } = server.output();
    expect(stdout.indexOf('"msg":"draining"')).toBeLessThan(stdout.indexOf('"msg":"stopping"'));
  });

  test('a second signal ends the drain delay, and the server ends with 1', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, {
      args: ['--drain-delay', '300'],
    });
    const stopped = server.stop('SIGTERM');
    await server.logged('"msg":"draining"');
    let code: unknown;
    stopped.then((exitCode) => {
      code = exitCode;
    });
    while (code === undefined) {
      server.stop('SIGINT');
      await new Promise(setImmediate);
    }
    expect(code).toBe(1);
  });

  // Ctrl-C under npm: the terminal sends the signal to both processes, and npm sends it again.
  test('a signal that arrives twice at once stops the server like a single one', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, {
      args: ['--drain-delay', '1'],
    });
    const stopped = server.stop('SIGINT');
    await server.logged('"msg":"draining"');
    server.stop('SIGINT');
    expect(await stopped).toBe(0);
    expect(server.output().stdout).toContain('"msg":"stopped"');
  });

  // Not every machine lets its users mount a file system, and only a full file system is a full disk.
  test.skipIf(!hasSmallDisks(tmpdir()))(
    'is 503 while the disk is full, reads are answered, and it is 200 when the disk has space again',
    async () => {
      using folder = makeTemporaryFolder();
      await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, {
        through: onSmallDisk(folder.path, 2 ** 20),
      });
      expect((await add(server)).status).toBe(201);
      {
        using _full = fillDisk(server.pid, folder.path);
        expect(await untilReadiness(server, 503)).toBe(unready('Storage is full'));
        expect((await ask(server, '/v1/pets')).status).toBe(200);
        const look = await ask(server, '/v1/pets/1', {
          method: 'PATCH',
          body: '{}',
          headers: { 'content-type': 'application/json' },
        });
        expect([look.status, look.headers.has('etag')]).toEqual([200, true]);
        const refused = await add(server);
        expect([refused.status, await refused.json()]).toEqual([
          503,
          {
            code: 'unavailable',
            message: 'Storage is full; nothing can be written until space is free',
            status: 503,
          },
        ]);
      }
      await server.logged('"msg":"storage works again"');
      expect(await untilReadiness(server, 200)).toBe('ok\n');
      expect((await add(server)).status).toBe(201);
    },
  );

  test('is 503 while PostgreSQL is unreachable and 200 afterwards, and the log has the reason and the recovery once', async () => {
    await using postgres = await startPostgresServer();
    await using server = await startServerProcess(`${postgres.url}/postgres`);
    expect(await untilReadiness(server, 200)).toBe('ok\n');
    await postgres.end('SIGINT');
    expect(await untilReadiness(server, 503)).toBe(unready('Storage cannot be read'));
    await postgres.start();
    await server.logged('"msg":"storage works again"');
    expect(await untilReadiness(server, 200)).toBe('ok\n');
    const lines = server
      .output()
      .stdout.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [failed] = lines.filter(({ msg }) => msg === 'request failed');
    const parts = failed.err.message.split(': ');
    expect(parts.length).toBeGreaterThan(1);
    expect(parts).toEqual([...new Set(parts)]);
    expect(lines.filter(({ msg }) => msg === 'storage works again')).toMatchObject([
      { level: 40, seconds: expect.any(Number) },
    ]);
  });
});
