import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fetchMetrics, findValue } from './support/parse-metrics.ts';
import {
  program,
  runOnTerminal,
  spawnProgram,
  startServerProcess,
} from './support/server-process.ts';
import { fillDisk, hasSmallDisks, onSmallDisk } from './support/small-disk.ts';
import { openStalledReader } from './support/stalled-reader.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** Options for a line for each request, and for metrics. */
const serveWithRequests = ['serve', '--port', '0', '--log-level', 'debug', '--metrics-port', '0'];

/** Starts a server that logs requests to a file. Its other messages go to standard error. */
async function startServerLoggingTo(
  file: string,
  databasePath: string,
  through: readonly string[] = [],
  ...options: string[]
) {
  const child = spawnProgram(
    [...serveWithRequests, '--database', `sqlite:${databasePath}`, ...options],
    {},
    undefined,
    [...through, 'sh', '-c', `exec "$@" > '${file}'`, 'sh'],
  );
  let stderr = '';
  const found = Promise.withResolvers<RegExpExecArray>();
  const read = (async () => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      stderr += chunk;
      const match = /curl (http:\S+)\/v1\/pets -H 'Authorization: (.+?)'/.exec(stderr);
      if (match !== null) found.resolve(match);
    }
    found.reject(new Error(`The server ended: ${stderr}`));
  })();
  const [, origin = '', authorization = ''] = await found.promise;
  return {
    pid: child.pid,
    origin,
    get: (path: string) => fetch(`${origin}${path}`, { headers: { authorization } }),
    add: () =>
      fetch(`${origin}/v1/pets`, {
        method: 'POST',
        body: '{"name":"Rex","categoryId":1}',
        headers: { authorization, 'content-type': 'application/json' },
      }),
    /** Returns the exit code and all of standard error. */
    async stop(...signals: NodeJS.Signals[]) {
      for (const signal of ['SIGTERM', ...signals] as const) child.kill(signal);
      await read;
      return { exitCode: await child.exited, stderr };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

describe('the log', () => {
  const endByCtrlC = '\x03';

  test('is text on a terminal, and JSON there if configured', async () => {
    using folder = makeTemporaryFolder();
    const env = {
      DATABASE_URL: `sqlite:${folder.path}/test.db`,
      ANIMAL_STORE_API_KEY: 'a-key-of-the-log-test',
    };
    const serve = ['serve', '--port', '0'];
    const text = await runOnTerminal(serve, env, 'ready', endByCtrlC);
    expect(text.exitCode).toBe(0);
    expect(text.shown).toMatch(/INFO.*: .*ready/);
    const json = await runOnTerminal([...serve, '--log-format', 'json'], env, 'ready', endByCtrlC);
    const lines = json.shown.match(/\{"level".*\}/g) ?? [];
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 30, msg: 'ready' },
      { level: 30, msg: 'stopping' },
      { level: 30, msg: 'stopped' },
    ]);
  });

  test('is text without colours in a pipe, if configured', async () => {
    using folder = makeTemporaryFolder();
    await using server = startServing(folder.path, '--log-format', 'text');
    expect(await server.readStdout(/ready\s+url: "http/)).not.toContain('\x1b');
  });

  test('at level warn keeps the addresses out, so a port that the system chose is printed on standard error', async () => {
    using folder = makeTemporaryFolder();
    await using server = startServing(folder.path, '--log-level', 'warn', '--metrics-port', '0');
    const found = /^Listening on (http:\S+)\nMetrics on (http:\S+)$/m;
    const text = await server.readStderr(found);
    const [, origin = '', metrics = ''] = found.exec(text) ?? [];
    expect((await fetch(`${origin}/livez`)).status).toBe(200);
    expect((await fetch(metrics)).status).toBe(200);
  });
});

/** Starts a server, and reads its output as it arrives. */
function startServing(folder: string, ...options: string[]) {
  const env = {
    DATABASE_URL: `sqlite:${folder}/test.db`,
    ANIMAL_STORE_API_KEY: 'a-key-of-the-log-test',
  };
  const child = spawnProgram(['serve', '--port', '0', ...options], env);
  return {
    readStdout: (pattern: RegExp) => readUntil(child.stdout, pattern),
    readStderr: (pattern: RegExp) => readUntil(child.stderr, pattern),
    async stop() {
      child.kill('SIGTERM');
      return await child.exited;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/** The output until it matches the pattern. */
async function readUntil(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  pattern: RegExp,
): Promise<string> {
  let text = '';
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (pattern.test(text)) return text;
  }
  throw new Error(`It ended without ${pattern}: ${text}`);
}

interface Line {
  readonly msg: string;
  readonly path?: string;
  readonly requestId?: string;
  readonly lines?: number;
}

/** All complete lines. */
function linesIn(text: string): readonly Line[] {
  return text
    .slice(0, text.lastIndexOf('\n'))
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** More than the queue and a pipe can contain: each line has two kilobytes. */
async function sendLongRequests(origin: string): Promise<number> {
  const requests = 1500;
  for (let count = 0; count < requests; count += 1) {
    expect((await fetch(`${origin}/${'x'.repeat(2000)}`)).status).toBe(404);
  }
  return requests;
}

describe('a log whose reader stalls', () => {
  test('delays no request and no stop', async () => {
    using folder = makeTemporaryFolder();
    using reader = openStalledReader(`${folder.path}/log`);
    await using server = await startServerLoggingTo(reader.path, `${folder.path}/test.db`);
    await sendLongRequests(server.origin);
    expect((await server.get('/livez')).status).toBe(200);
    expect((await server.add()).status).toBe(201);
    expect((await server.stop()).exitCode).toBe(0);
  });

  test('does not delay the end after a second signal', async () => {
    using folder = makeTemporaryFolder();
    using reader = openStalledReader(`${folder.path}/log`);
    const data = `${folder.path}/test.db`;
    await using server = await startServerLoggingTo(reader.path, data, [], '--drain-delay', '300');
    reader.fill();
    expect((await server.get('/livez')).status).toBe(200);
    expect((await server.stop('SIGINT')).exitCode).toBe(1);
  });

  test('has complete lines in order when it is read again, and the number of dropped lines', async () => {
    using folder = makeTemporaryFolder();
    using reader = openStalledReader(`${folder.path}/log`);
    await using server = await startServerLoggingTo(reader.path, `${folder.path}/test.db`);
    const requests = await sendLongRequests(server.origin);
    let text = reader.read();
    const metrics = /"metrics":"([^"]+)"/.exec(text)?.[1] ?? '';
    while (!text.includes('lines were dropped')) {
      expect((await fetch(metrics)).status).toBe(200);
      text += reader.read();
    }
    const dropped = findValue(await fetchMetrics(metrics), 'animal_store_log_lines_dropped_total', {
      level: 'debug',
    });
    const stopped = server.stop();
    while (!text.includes('"msg":"stopped"')) {
      await new Promise(setImmediate);
      text += reader.read();
    }
    expect((await stopped).exitCode).toBe(0);

    const lines = linesIn(text);
    expect(dropped).toBeGreaterThan(0);
    expect(lines.filter(({ lines }) => lines !== undefined)).toMatchObject([{ lines: dropped }]);
    const ids = lines.flatMap(({ requestId }) => requestId ?? []);
    expect(ids.length + (dropped ?? 0)).toBe(requests);
    expect(ids).toEqual(ids.toSorted());
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  test('delays no request and no stop on a terminal that was stopped with Ctrl-S', async () => {
    using folder = makeTemporaryFolder();
    const found = Promise.withResolvers<string>();
    const decoder = new TextDecoder();
    let shown = '';
    const child = Bun.spawn([...program, ...serveWithRequests], {
      env: { PATH: process.env.PATH, TERM: 'dumb', DATABASE_URL: `sqlite:${folder.path}/test.db` },
      terminal: {
        data(terminal, bytes) {
          shown += decoder.decode(bytes, { stream: true });
          const origin = /Open the console: (http:\/\/[^/]+)/.exec(shown)?.[1];
          if (origin === undefined) return;
          terminal.write('\x13');
          found.resolve(origin);
        },
      },
    });
    await sendLongRequests(await found.promise);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    child.terminal?.close();
  });
});

describe('standard error without a reader', () => {
  test('delays no request, and the first key is valid when it is read', async () => {
    using folder = makeTemporaryFolder();
    using reader = openStalledReader(`${folder.path}/errors`);
    reader.fill();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, {
      through: ['sh', '-c', `exec "$@" 2> '${reader.path}'`, 'sh'],
    });
    expect((await fetch(`${server.origin}/livez`)).status).toBe(200);
    let text = '';
    const list = () => {
      const authorization = /Authorization: (.+?)'/.exec(text)?.[1] ?? '';
      return fetch(`${server.origin}/v1/pets`, { headers: { authorization } });
    };
    while ((await list()).status !== 200) text += reader.read();
    expect(await server.stop('SIGTERM')).toBe(0);
  });
});

describe('a log that cannot be written', () => {
  test('ends neither the server nor a request if its reader has closed the pipe', async () => {
    using folder = makeTemporaryFolder();
    await using server = startServing(folder.path, '--log-level', 'debug', '--log-format', 'json');
    const origin = /"url":"(http:\/\/[^/]+)/.exec(await server.readStdout(/"ready"/))?.[1] ?? '';
    await sendLongRequests(origin);
    expect(await server.readStderr(/\n/)).toStartWith(
      'animal-store: The log cannot be written; lines may be lost: EPIPE',
    );
    expect(await server.stop()).toBe(0);
  });

  test.skipIf(!existsSync('/dev/full'))(
    'fails no request, is reported once, and does not end the server',
    async () => {
      using folder = makeTemporaryFolder();
      await using server = await startServerLoggingTo('/dev/full', `${folder.path}/test.db`);
      // More lines than the queue keeps.
      for (let count = 0; count < 500; count += 1) {
        expect((await server.get('/livez')).status).toBe(200);
      }
      expect((await server.add()).status).toBe(201);
      expect((await server.get('/readyz')).status).toBe(200);
      const { exitCode, stderr } = await server.stop();
      expect(exitCode).toBe(0);
      expect(stderr.match(/^animal-store: .*$/gm)).toEqual([
        'animal-store: The log cannot be written; lines may be lost: ENOSPC: no space left on device, write',
      ]);
    },
  );

  test.skipIf(!hasSmallDisks(tmpdir()))(
    'does not change a refusal on a full disk, and has complete lines again when the disk has space',
    async () => {
      using folder = makeTemporaryFolder();
      const file = `${folder.path}/log`;
      await using server = await startServerLoggingTo(
        file,
        `${folder.path}/test.db`,
        onSmallDisk(folder.path, 2 ** 20),
      );
      expect((await server.add()).status).toBe(201);
      {
        using _full = fillDisk(server.pid, folder.path);
        // The log first fills its own page.
        for (let count = 0; count < 100; count += 1) {
          const refused = await server.add();
          expect([refused.status, await refused.json()]).toMatchObject([
            503,
            { code: 'unavailable' },
          ]);
        }
        expect((await server.get('/readyz')).status).toBe(503);
        expect((await server.get('/v1/pets')).status).toBe(200);
      }
      expect((await server.get('/v1/pets/77')).status).toBe(404);
      const read = () => readFileSync(`/proc/${server.pid}/root${file}`, 'utf8');
      while (!read().includes('"path":"/v1/pets/77"')) await server.get('/livez');
      const lines = linesIn(read());
      expect(lines.filter(({ path }) => path === '/v1/pets').length).toBeGreaterThan(100);
    },
  );
});
