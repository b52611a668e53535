import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { runOnTerminal, spawnProgram } from './support/server-process.ts';
import { fillDisk, hasSmallDisks, onSmallDisk } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** Starts a server whose log, with a line a request, goes to a file. What is wanted of it comes on standard error. */
async function startServerLoggingTo(
  file: string,
  databasePath: string,
  through: readonly string[] = [],
) {
  const child = spawnProgram(
    ['serve', '--port', '0', '--database', `sqlite:${databasePath}`, '--log-level', 'debug'],
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
    get: (path: string) => fetch(`${origin}${path}`, { headers: { authorization } }),
    add: () =>
      fetch(`${origin}/v1/pets`, {
        method: 'POST',
        body: '{"name":"Rex","categoryId":1}',
        headers: { authorization, 'content-type': 'application/json' },
      }),
    /** The exit code, and all of standard error. */
    async stop() {
      child.kill('SIGTERM');
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

  test('is text on a terminal, and JSON there where that is asked for', async () => {
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

  test('is text without colours in a pipe, where that is asked for', async () => {
    using folder = makeTemporaryFolder();
    await using server = startServing(folder.path, '--log-format', 'text');
    expect(await server.readStdout(/ready\s+url: "http/)).not.toContain('\x1b');
  });

  test('may leave out where the server listens: a port that the system chose is told all the same', async () => {
    using folder = makeTemporaryFolder();
    await using server = startServing(folder.path, '--log-level', 'warn', '--metrics-port', '0');
    const found = /^Listening on (http:\S+)\nMetrics on (http:\S+)$/m;
    const told = await server.readStderr(found);
    const [, origin = '', metrics = ''] = found.exec(told) ?? [];
    expect((await fetch(`${origin}/livez`)).status).toBe(200);
    expect((await fetch(metrics)).status).toBe(200);
  });
});

/** Starts a server whose output is read as it comes. */
function startServing(folder: string, ...options: string[]) {
  const env = {
    DATABASE_URL: `sqlite:${folder}/test.db`,
    ANIMAL_STORE_API_KEY: 'a-key-of-the-log-test',
  };
  const child = spawnProgram(['serve', '--port', '0', ...options], env);
  return {
    readStdout: (pattern: RegExp) => readUntil(child.stdout, pattern),
    readStderr: (pattern: RegExp) => readUntil(child.stderr, pattern),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/** All that came until it held the pattern. */
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

describe('a log that cannot be written', () => {
  test.skipIf(!existsSync('/dev/full'))(
    'costs no request its answer, is told of once, and does not end the server',
    async () => {
      using folder = makeTemporaryFolder();
      await using server = await startServerLoggingTo('/dev/full', `${folder.path}/test.db`);
      // More lines than are kept until they can be written.
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
    'leaves a refusal what it is on a full disk, and goes on with whole lines once there is room',
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
        // The log has a page of its own to fill first.
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
      expect((await server.get('/v1/pets?limit=77')).status).toBe(200);
      const lines = readFileSync(`/proc/${server.pid}/root${file}`, 'utf8').trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line)).at(-1)).toMatchObject({ path: '/v1/pets' });
      expect(lines.length).toBeGreaterThan(100);
    },
  );
});
