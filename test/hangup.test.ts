import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from './support/call-server.ts';
import { makeDataFile } from './support/data-files.ts';
import { startListen } from './support/listen-process.ts';
import { nextTurn } from './support/raw-connection.ts';
import { program, runProgram, spawnProgram, startServerProcess } from './support/server-process.ts';
import { hasSmallDisks } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const apiKey = 'a-key-of-the-hangup-test';
const env = { ANIMAL_STORE_API_KEY: apiKey };
const ignored = '"msg":"SIGHUP is ignored: the server reads its settings at the start; restart it';

async function isServing(origin: string): Promise<boolean> {
  const response = await call({ origin }, apiKey, '/v1/pets');
  return response.status === 200;
}

/** A PostgreSQL that never answers. */
function startSilent() {
  const connected = Promise.withResolvers<void>();
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: () => connected.resolve(), data() {} },
  });
  return {
    url: `postgres://animals:secret@127.0.0.1:${listener.port}/animals`,
    connected: connected.promise,
    [Symbol.dispose]: () => listener.stop(true),
  };
}

describe('a server that was started without a terminal', () => {
  test('logs a SIGHUP and continues, because this signal means "read the settings again" to many', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, { env });
    for (let count = 0; count < 2; count += 1) process.kill(server.pid, 'SIGHUP');
    await server.logged(ignored);
    expect(await isServing(server.origin)).toBe(true);
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(server.output().stdout).toContain('"signal":"SIGTERM","msg":"stopping"');
  });

  test('continues after a SIGHUP during its start', async () => {
    using silent = startSilent();
    const child = spawnProgram(['serve', '--database', silent.url]);
    await silent.connected;
    child.kill('SIGHUP');
    for await (const chunk of child.stdout) {
      if (new TextDecoder().decode(chunk).includes(ignored)) break;
    }
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    child.kill('SIGTERM');
    await child.exited;
    expect(child.signalCode).toBe('SIGTERM');
  });
});

describe('a server that was started on a terminal', () => {
  async function startOnTerminal(through: readonly string[] = []) {
    const folder = makeTemporaryFolder();
    const output = join(folder.path, 'output');
    const args = ['serve', '--port', '0', '--log-format', 'json', '--log-level', 'debug'];
    const script = 'exec "$@" > "$0" 2>&1';
    const child = Bun.spawn(['sh', '-c', script, output, ...through, ...program, ...args], {
      env: { PATH: process.env.PATH, DATABASE_URL: `sqlite:${folder.path}/test.db`, ...env },
      terminal: { data() {} },
    });
    const read = () => (existsSync(output) ? readFileSync(output, 'utf8') : '');
    let origin: string | undefined;
    while (origin === undefined && child.exitCode === null) {
      origin = /"url":"(http:\/\/[^"]+)\/v1"/.exec(read())?.[1];
      await nextTurn();
    }
    return {
      child,
      read,
      origin: origin ?? '',
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL');
        await child.exited;
        child.terminal?.close();
        folder[Symbol.dispose]();
      },
    };
  }

  test('stops when its terminal is closed', async () => {
    await using server = await startOnTerminal();
    server.child.terminal?.close();
    expect(await server.child.exited).toBe(0);
    expect(server.read()).toContain('"signal":"SIGHUP","msg":"stopping"');
    expect(server.read()).toContain('"msg":"stopped"');
  });

  test('continues when its terminal is closed if nohup started it', async () => {
    await using server = await startOnTerminal(['nohup']);
    server.child.terminal?.close();
    server.child.kill('SIGHUP');
    expect(await isServing(server.origin)).toBe(true);
    server.child.kill('SIGTERM');
    expect(await server.child.exited).toBe(0);
    expect(server.read()).not.toContain('SIGHUP');
  });
});

describe('a command that gets a SIGHUP, as when a connection to the machine breaks,', () => {
  async function prepare() {
    const folder = makeTemporaryFolder();
    const at = (name: string) => ({ DATABASE_URL: `sqlite:${join(folder.path, name)}` });
    await makeDataFile(join(folder.path, 'a.db'), 100_000);
    return {
      path: (name: string) => join(folder.path, name),
      at,
      names: () => readdirSync(folder.path).filter((name) => !name.startsWith('a.db')),
      async waitFor(name: string) {
        while (!existsSync(join(folder.path, name))) await nextTurn();
      },
      [Symbol.dispose]: () => folder[Symbol.dispose](),
    };
  }

  test('removes an unfinished backup, and ends by the signal', async () => {
    using data = await prepare();
    const child = spawnProgram(['backup', data.path('b.db')], data.at('a.db'));
    await data.waitFor('b.db.partial');
    child.kill('SIGHUP');
    await child.exited;
    expect([child.signalCode, data.names()]).toEqual(['SIGHUP', []]);
  });

  test('removes an unfinished restore, and ends by the signal', async () => {
    using data = await prepare();
    await runProgram(['backup', data.path('b.db')], data.at('a.db'));
    const child = spawnProgram(['restore', data.path('b.db')], data.at('new.db'));
    await data.waitFor('new.db.restoring');
    child.kill('SIGHUP');
    await child.exited;
    expect([child.signalCode, data.names()]).toEqual(['SIGHUP', ['b.db', 'b.db.json']]);
  });

  test('finishes its backup if nohup started it', async () => {
    using data = await prepare();
    const args = ['backup', data.path('b.db')];
    const child = spawnProgram(args, data.at('a.db'), undefined, ['nohup']);
    await data.waitFor('b.db.partial');
    child.kill('SIGHUP');
    expect(await child.exited).toBe(0);
    expect(data.names()).toEqual(['b.db', 'b.db.json']);
  });

  test('prints the --after with which listen continues', async () => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, { env });
    await using listening = await startListen(server, apiKey, 'http://127.0.0.1:9/');
    const { exitCode, stderr } = await listening.stop('SIGHUP');
    expect([exitCode, stderr]).toEqual([0, 'To continue, add --after 0.\n']);
  });
});

describe.skipIf(!hasSmallDisks(tmpdir()))('as the first process of a container,', () => {
  const isolated = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc'];

  /** Sends the first process a signal when it has connected to a PostgreSQL that never answers. */
  async function signalWhileConnecting(args: readonly string[], signal: NodeJS.Signals) {
    const silent = startSilent();
    const child = spawnProgram([...args, '--database', silent.url], {}, undefined, isolated);
    await silent.connected;
    const first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    process.kill(Number(first), signal);
    return { child, first: Number(first), [Symbol.dispose]: () => silent[Symbol.dispose]() };
  }

  test('a command ends by SIGHUP', async () => {
    using started = await signalWhileConnecting(['keys', 'list'], 'SIGHUP');
    expect(await started.child.exited).toBe(128 + constants.signals.SIGHUP);
  });

  test('a server without a terminal does not end by SIGHUP', async () => {
    using started = await signalWhileConnecting(['serve'], 'SIGHUP');
    for await (const chunk of started.child.stdout) {
      if (new TextDecoder().decode(chunk).includes(ignored)) break;
    }
    process.kill(started.first, 'SIGTERM');
    expect(await started.child.exited).toBe(128 + constants.signals.SIGTERM);
  });
});
