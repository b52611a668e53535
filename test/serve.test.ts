import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { bundleConsole } from '../src/http/console/bundle.ts';
import { addAnimal, call } from './support/call-server.ts';
import { engineNames, prepareData } from './support/engines.ts';
import { createTestDatabase } from './support/postgres.ts';
import {
  refusal,
  runOnTerminal,
  runProgram,
  startServerProcess,
} from './support/server-process.ts';
import { hasSmallDisks } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

describe('the server', () => {
  test('prints a key at its first start only, with a curl line that works as pasted', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    let firstKey: string | undefined;
    {
      await using server = await startServerProcess(`sqlite:${path}`);
      firstKey = server.firstKey;
      const { stdout, stderr } = server.output();
      expect(stdout).not.toContain('anst_');
      const line = /^ {2}(curl .+)$/m.exec(stderr)?.[1] ?? '';
      const curl = Bun.spawnSync(['sh', '-c', `${line} -s`]);
      expect(curl.stdout.toString()).toBe(
        '{"id":1,"name":"Fluffy","categoryId":7,"status":"available"}',
      );
      await server.stop('SIGTERM');
    }
    await using server = await startServerProcess(`sqlite:${path}`);
    expect(server.firstKey).toBeUndefined();
    expect(server.output().stderr).toBe('');
    expect((await call(server, firstKey, '/v1/pets')).status).toBe(200);
  });

  test.skipIf(!existsSync('/dev/full'))(
    'prints a key at its second start if the first key could not be printed',
    async () => {
      using folder = makeTemporaryFolder();
      const url = `sqlite:${join(folder.path, 'test.db')}`;
      {
        await using server = await startServerProcess(url, {
          through: ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh'],
        });
        expect(server.firstKey).toBeUndefined();
        await server.stop('SIGKILL');
      }
      await using server = await startServerProcess(url);
      expect((await call(server, server.firstKey, '/v1/pets')).status).toBe(200);
    },
  );

  test('creates no key if the operator gives one, which is stored nowhere', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    const apiKey = 'operator.key-1234567890==';
    {
      await using server = await startServerProcess(`sqlite:${path}`, {
        env: { ANIMAL_STORE_API_KEY: apiKey },
      });
      expect(server.firstKey).toBeUndefined();
      expect((await addAnimal(server, apiKey)).status).toBe(201);
      await server.stop('SIGTERM');
      expect(JSON.stringify(server.output())).not.toContain(apiKey);
    }
    for (const file of readdirSync(folder.path)) {
      expect(await Bun.file(join(folder.path, file)).text()).not.toContain(apiKey);
    }
    await using server = await startServerProcess(`sqlite:${path}`);
    expect((await call(server, apiKey, '/v1/pets')).status).toBe(401);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'has every acknowledged animal, to the last digit, after %s',
    async (signal) => {
      using folder = makeTemporaryFolder();
      const path = join(folder.path, 'test.db');
      let apiKey: string | undefined;
      {
        await using server = await startServerProcess(`sqlite:${path}`);
        apiKey = server.firstKey;
        const body = '{"name":"Fluffy","categoryId":9223372036854775807}';
        const responses = await Promise.all(
          Array.from({ length: 50 }, () => call(server, apiKey, '/v1/pets', 'POST', body)),
        );
        expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(201));
        expect(await server.stop(signal)).toBe(signal === 'SIGKILL' ? 'SIGKILL' : 0);
      }
      await using server = await startServerProcess(`sqlite:${path}`);
      const text = await (await call(server, apiKey, '/v1/pets?limit=100')).text();
      expect(text.match(/"categoryId":9223372036854775807,/g)).toHaveLength(50);
    },
  );

  test('finishes its running requests after a stop signal', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`);
    const { firstKey, origin } = server;
    // The body is sent after the signal, so the request is certainly running.
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const answer = fetch(`${origin}/v1/pets`, {
      method: 'POST',
      body: readable,
      headers: { authorization: `Bearer ${firstKey}`, 'content-type': 'application/json' },
    });
    const encoder = new TextEncoder();
    await writer.write(encoder.encode('{"name":"Rex",'));
    await call(server, firstKey, '/v1/pets');
    const stopped = server.stop('SIGTERM');
    await writer.write(encoder.encode('"categoryId":1}'));
    await writer.close();
    expect((await answer).status).toBe(201);
    expect(await stopped).toBe(0);
    expect(server.output().stdout).toContain('"msg":"stopped"');
  });

  test('logs the kind of each error, so that monitoring can separate refusals from faults', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await using server = await startServerProcess(`sqlite:${path}`);
    // The server ends within a second.
    writeFileSync(path, 'no database any more');
    await server.logged('"err":{"type":"DatabaseUnavailable"');
  });

  test.each(engineNames)(
    'reports in one line that a port is in use, for requests or metrics, ends with 1, and creates no data on %s',
    async (engine) => {
      using folder = makeTemporaryFolder();
      await using data =
        engine === 'sqlite' ? await prepareData(engine) : await createTestDatabase('empty');
      await using server = await startServerProcess(`sqlite:${folder.path}/one.db`);
      const { port } = new URL(server.origin);
      const env = { DATABASE_URL: data.url };
      for (const args of [
        ['--port', port],
        ['--port', '0', '--metrics-port', port],
      ]) {
        const flag = args.at(-2);
        expect(await runProgram(['serve', ...args], env)).toEqual(
          refusal(
            `Cannot listen on 127.0.0.1 port ${port}: the port is in use; stop the program that uses it, or choose another one with ${flag}`,
          ),
        );
      }
      const { stderr } = await runProgram(['keys', 'list'], env);
      expect(stderr).toMatch(/There is no data in|The database holds no data/);
      if (engine === 'sqlite') expect(existsSync(data.url.slice('sqlite:'.length))).toBe(false);
    },
  );

  test.each(engineNames)(
    'logs at its start its version and the address of its data on %s, without a password',
    async (engine) => {
      await using data = await prepareData(engine);
      await using server = await startServerProcess(data.url, {
        args: ['--environment', 'staging'],
      });
      await server.logged('"msg":"ready"');
      const { host, pathname, password } = new URL(data.url);
      const { stdout } = server.output();
      const ready = stdout.split('\n').find((line) => line.includes('"msg":"ready"')) ?? '';
      expect(JSON.parse(ready)).toMatchObject({
        version: packageJson.version,
        engine,
        database: engine === 'sqlite' ? pathname : `${host}${pathname}`,
        environment: 'staging',
      });
      if (engine === 'postgres') {
        expect(password).not.toBe('');
        expect(stdout).not.toContain(`:${password}@`);
      }
    },
  );

  test.each([
    [
      `${'a'.repeat(64)}.invalid`,
      'no host has that name; choose a name or an address of this machine',
    ],
    ['203.0.113.5', 'this machine does not have the address; choose one of its addresses'],
  ])('reports in one line why it cannot listen on %s, and ends with 1', async (host, reason) => {
    using folder = makeTemporaryFolder();
    expect(
      await runProgram(['serve', '--port', '0', '--host', host], {
        DATABASE_URL: `sqlite:${folder.path}/test.db`,
        ANIMAL_STORE_API_KEY: 'a-key-of-the-listen-test',
      }),
    ).toEqual(refusal(`Cannot listen on ${host} port 0: ${reason}`));
  });

  test('keeps its data in data/animal-store.db of its working folder', async () => {
    using folder = makeTemporaryFolder();
    const { exitCode } = await runProgram(['workspaces', 'create', 'shop'], {}, folder.path);
    expect(exitCode).toBe(0);
    expect(existsSync(join(folder.path, 'data/animal-store.db'))).toBe(true);
  });

  test('keeps the data of staging and production apart', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    const env = { DATABASE_URL: `sqlite:${path}` };
    {
      await using server = await startServerProcess(`sqlite:${path}`, {
        args: ['--environment', 'staging'],
      });
      expect(server.firstKey).toStartWith('anst_test_');
      const made = await runProgram(['keys', 'create', '--name', 'a', '--json'], env);
      const { apiKey } = JSON.parse(made.stdout);
      expect(apiKey).toStartWith('anst_test_');
      expect((await call(server, apiKey, '/v1/pets')).status).toBe(200);
      const live = apiKey.replace('_test_', '_live_');
      expect((await call(server, live, '/v1/pets')).status).toBe(401);
      await server.stop('SIGTERM');
    }
    for (const command of [
      ['serve', '--port', '0', '--environment', 'production'],
      ['keys', 'create', '--name', 'a', '--environment', 'production'],
      ['keys', 'rotate', '1', '--environment', 'production'],
    ]) {
      const { exitCode, stdout, stderr } = await runProgram(command, env);
      expect([exitCode, stdout, stderr]).toEqual([
        1,
        '',
        'animal-store: The database belongs to staging: use --environment staging, or another --database for production\n',
      ]);
    }
  });

  test('logs each request at debug with its id, key and workspace, the address of the caller, and no secret', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, {
      args: ['--log-level', 'debug', '--trusted-proxies', '127.0.0.0/8'],
    });
    const ask = (apiKey: string | undefined, headers: Record<string, string>) =>
      call(server, apiKey, '/v1/pets?limit=1', 'GET', undefined, headers);
    await ask(server.firstKey, { 'x-request-id': 'my-own-id' });
    await ask('wrong', { 'x-request-id': 'refused', 'x-forwarded-for': '198.51.100.7' });
    await server.stop('SIGTERM');
    const lines = server
      .output()
      .stdout.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'request answered',
        requestId: 'my-own-id',
        method: 'GET',
        path: '/v1/pets',
        httpStatus: 200,
        apiKeyId: 1,
        workspace: 'default',
        address: '127.0.0.1',
      }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({
        requestId: 'refused',
        httpStatus: 401,
        code: 'invalid_api_key',
        address: '198.51.100.7',
      }),
    );
    expect(server.output().stdout).not.toContain('anst_');
  });

  test.each(engineNames)(
    'logs callers of deprecated operations, and records the last use of a key, on %s',
    async (engine) => {
      await using data = await prepareData(engine);
      const operator = 'operator.key-1234567890==';
      {
        await using server = await startServerProcess(data.url, {
          env: { ANIMAL_STORE_API_KEY: operator },
        });
        await call(server, operator, '/v1/pets/1');
        await server.stop('SIGTERM');
      }
      {
        await using server = await startServerProcess(data.url);
        for (let count = 0; count < 3; count += 1) {
          await call(server, server.firstKey, '/v1/pets/1');
        }
        await call(server, server.firstKey, '/v1/pets');
        await server.stop('SIGTERM');
      }
      const env = { DATABASE_URL: data.url };
      const keys = await runProgram(['keys', 'list', '--json'], env);
      expect(JSON.parse(keys.stdout)[0].lastUsedAt).toMatch(/^20\d\d-.+:00Z$/);
      const calls = await runProgram(['deprecated-calls', '--json'], env);
      const common = { workspace: 'default', operation: 'getPet' };
      const lastCalledAt = expect.stringMatching(/^20\d\d-.+Z$/);
      expect(JSON.parse(calls.stdout)).toEqual([
        { apiKeyId: 1, name: 'first', ...common, count: 3, lastCalledAt },
        { apiKeyId: 0, name: 'ANIMAL_STORE_API_KEY', ...common, count: 1, lastCalledAt },
      ]);
      const table = await runProgram(['deprecated-calls'], env);
      expect(table.stdout.replaceAll(/20\S+Z/g, 'TIME')).toBe(
        'KEY  NAME                  WORKSPACE  OPERATION  CALLS  LAST CALL\n' +
          '1    first                 default    getPet     3      TIME\n' +
          '0    ANIMAL_STORE_API_KEY  default    getPet     1      TIME\n',
      );
    },
  );
});

test('two servers with other data on one machine do not sign each other out of the console', async () => {
  using folder = makeTemporaryFolder();
  const env = { ANIMAL_STORE_API_KEY: 'key-of-the-operator-1' };
  const start = (name: string) => startServerProcess(`sqlite:${folder.path}/${name}.db`, { env });
  await using one = await start('one');
  await using two = await start('two');
  // As a browser, which sends the cookies of a host to each of its ports.
  const jar = new Map<string, string>();
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = (origin: string, init: RequestInit, cookie = cookies()) =>
    fetch(`${origin}/console/v1/session`, {
      ...init,
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
    });
  for (const { origin } of [one, two]) {
    const body = JSON.stringify({ apiKey: env.ANIMAL_STORE_API_KEY });
    const answer = await send(origin, { method: 'POST', body });
    expect(answer.status).toBe(201);
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (attributes.includes('Path=/console')) jar.set(name, value);
    }
  }
  const statusOf = async ({ origin }: { origin: string }) => (await send(origin, {})).status;
  expect([await statusOf(one), await statusOf(two), jar.size]).toEqual([200, 200, 2]);
  // As version 1.1.1 named it.
  const [token = ''] = jar.values();
  expect((await send(one.origin, {}, `animal-store-live=${token}`)).status).toBe(200);
});

test('the reference page and all its files are served', async () => {
  using folder = makeTemporaryFolder();
  await using server = await startServerProcess(`sqlite:${folder.path}/test.db`);
  const loaded = new Set(['/docs', '/docs/reference']);
  // The set grows during the loop, because a loaded file may load more.
  for (const path of loaded) {
    const response = await fetch(new URL(path, server.origin));
    expect([path, response.status]).toEqual([path, 200]);
    const text = await response.text();
    expect(text.length).toBeGreaterThan(100);
    const named = path.endsWith('-bundle.js')
      ? []
      : text.matchAll(/(?:href=|src=|^import .* from )["']([^"']+)["']/gm);
    for (const [, address = ''] of named) {
      loaded.add(new URL(address, response.url).pathname);
    }
  }
  for (const file of ['swagger-ui-bundle.js', 'host.js', 'page.js', 'through-host.js']) {
    expect(loaded).toContain(`/docs/${file}`);
  }
});

describe('the console of a server', () => {
  const serve = ['serve', '--port', '0', '--log-format', 'json'];
  const endByCtrlC = '\x03';

  test('is offered on a terminal by a link, which is not logged, and is not offered if it is off', async () => {
    using folder = makeTemporaryFolder();
    const env = {
      DATABASE_URL: `sqlite:${folder.path}/test.db`,
      ANIMAL_STORE_API_KEY: 'a-key-of-the-console-test',
    };
    const { exitCode, shown } = await runOnTerminal(serve, env, '"ready"', endByCtrlC);
    expect(exitCode).toBe(0);
    const [line = ''] = /^Open the console: .*$/m.exec(shown) ?? [];
    expect(line.trimEnd()).toMatch(
      /^Open the console: http:\/\/127\.0\.0\.1:\d+\/console#link=[A-Za-z0-9_-]{43} \(signs in once, within five minutes\)$/,
    );
    expect(shown.split('#link=')).toHaveLength(2);
    const off = await runOnTerminal([...serve, '--no-console'], env, 'ready', endByCtrlC);
    expect(off.shown).not.toContain('Open the console');
    const variable = { ...env, ANIMAL_STORE_CONSOLE: 'false' };
    const offToo = await runOnTerminal(serve, variable, 'ready', endByCtrlC);
    expect(offToo.shown).not.toContain('Open the console');
  });

  // A container runtime does this with the terminal of `docker run -t`.
  const onConsole = 'mount --bind "$(tty)" /dev/console && exec "$@"';

  test.skipIf(!hasSmallDisks(tmpdir())).each([
    ['its console', ['--mount', 'sh', '-c', onConsole, 'sh']],
    ['its first process', ['--pid', '--fork', '--mount-proc']],
  ])(
    'is offered without a link on the terminal of a container, whose log keeps the output: %s',
    async (_what, isolated) => {
      using folder = makeTemporaryFolder();
      const env = {
        DATABASE_URL: `sqlite:${folder.path}/test.db`,
        ANIMAL_STORE_API_KEY: 'a-key-of-the-console-test',
      };
      const through = ['unshare', '--user', '--map-root-user', ...isolated];
      const { shown } = await runOnTerminal(serve, env, 'Open the console', endByCtrlC, through);
      expect(shown).toContain('in the container: animal-store console');
      expect(shown).not.toContain('#link=');
    },
  );

  test('has the same scripts from any folder, from the sources and from an executable', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`);
    const sha256 = (bytes: Uint8Array) =>
      new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    const { start, files } = await bundleConsole();
    const page = await (await fetch(`${server.origin}/console`)).text();
    const [, folderOfScripts = ''] =
      /src="(console\/scripts\/[0-9a-f]{16})\/app\.js"/.exec(page) ?? [];
    const scripts = [...files].map(
      ([name, script]) => [`${folderOfScripts}/${name}`, script] as const,
    );
    for (const [path, script] of [['console/start.js', start] as const, ...scripts]) {
      const response = await fetch(`${server.origin}/${path}`);
      expect(response.status).toBe(200);
      expect(sha256(await response.bytes())).toBe(sha256(script));
    }
    const style = await fetch(`${server.origin}/console.css`);
    expect([style.status, style.headers.get('content-type')]).toEqual([
      200,
      'text/css; charset=utf-8',
    ]);
  });
});
