import { describe, expect, test } from 'bun:test';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { hasSmallDisks } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const apiKey = 'key-of-the-full-disk-test';
const env = { ANIMAL_STORE_API_KEY: apiKey };

/** A file system of 6 MB in a mount namespace of its own, which a process keeps. Commands enter it. */
async function makeSmallDisk() {
  const folder = makeTemporaryFolder();
  const script = 'mount -t tmpfs -o size=6m tmpfs "$0" && echo mounted && exec sleep 600';
  const keeper = Bun.spawn(
    ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, folder.path],
    { stdout: 'pipe', stdin: 'ignore', stderr: 'inherit' },
  );
  const reader = keeper.stdout.getReader();
  await reader.read();
  const inside = `/proc/${keeper.pid}/root${folder.path}`;
  const url = `sqlite:${folder.path}/a.db`;
  const enter = [
    'nsenter',
    '--user',
    '--mount',
    '--preserve-credentials',
    '-t',
    String(keeper.pid),
  ];
  return {
    inside,
    run: (...args: string[]) => runInside(enter, url, args),
    serve: () => startServerProcess(url, { env, through: enter }),
    /** Fills it to the last byte. */
    fill() {
      const file = openSync(join(inside, 'filler'), 'a');
      for (let bytes = 65_536; bytes >= 1; ) {
        try {
          writeSync(file, new Uint8Array(bytes));
        } catch {
          bytes = Math.floor(bytes / 2);
        }
      }
      closeSync(file);
    },
    free: () => rmSync(join(inside, 'filler')),
    async [Symbol.asyncDispose]() {
      keeper.kill('SIGKILL');
      await keeper.exited;
      folder[Symbol.dispose]();
    },
  };
}

async function runInside(enter: readonly string[], url: string, args: readonly string[]) {
  const { program } = await import('./support/server-process.ts');
  return runProgram(args, { DATABASE_URL: url }, undefined, [...enter, ...program]);
}

const temporary = makeTemporaryFolder();
const mayMount = hasSmallDisks(temporary.path) && Bun.which('nsenter') !== null;
temporary[Symbol.dispose]();

async function request(origin: string, key: string, method = 'GET'): Promise<number> {
  const body = method === 'GET' ? null : '{"name":"Rex","categoryId":1}';
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return (await fetch(`${origin}/v1/pets`, { method, body, headers })).status;
}

describe.skipIf(!mayMount)('on a full disk', () => {
  test('a server that was stopped or killed starts and answers reads, and writes when there is room', async () => {
    await using disk = await makeSmallDisk();
    {
      await using server = await disk.serve();
      expect(await request(server.origin, apiKey, 'POST')).toBe(201);
      await server.stop('SIGTERM');
    }
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
      disk.fill();
      await using server = await disk.serve();
      disk.fill();
      expect(await request(server.origin, apiKey)).toBe(200);
      expect(await request(server.origin, apiKey, 'POST')).toBe(503);
      await server.stop(signal);
    }
    disk.fill();
    await using server = await disk.serve();
    disk.free();
    expect(await request(server.origin, apiKey, 'POST')).toBe(201);
    expect((await disk.run('verify')).exitCode).toBe(0);
  });

  test('demo says how much it has added, and names the file', async () => {
    await using disk = await makeSmallDisk();
    const { exitCode, stdout, stderr } = await disk.run('demo', '--animals', '1000000');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /\nAdded \d+000 of 1000000 animals\.\nanimal-store: \/.*\.db cannot be written: SQLITE_FULL, its disk is full \(docs\/operations\.md, When the disk is full\)\n$/,
    );
  });

  test.each(['while a server runs', 'while none runs'])(
    'a leaked key can be revoked %s, although no other write has space',
    async (when) => {
      await using disk = await makeSmallDisk();
      const created = await disk.run('keys', 'create', '--name', 'leaked');
      const [leaked = ''] = /anst_live_\w+/.exec(created.stdout) ?? [];
      await using server = await disk.serve();
      expect(await request(server.origin, leaked)).toBe(200);
      if (when === 'while none runs') await server.stop('SIGTERM');
      disk.fill();
      if (when === 'while a server runs') {
        expect(await request(server.origin, apiKey, 'POST')).toBe(503);
        const refused = await disk.run('keys', 'create', '--name', 'another');
        expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('full')]);
      }
      const revoked = await disk.run('keys', 'revoke', '1');
      expect([revoked.exitCode, revoked.stderr]).toEqual([0, '']);
      if (when === 'while none runs') disk.free();
      await using next = when === 'while none runs' ? await disk.serve() : undefined;
      expect(await request((next ?? server).origin, leaked)).toBe(401);
    },
  );
});

test('the docs say which files must not be emptied on a full disk', () => {
  const operations = readFileSync(join(import.meta.dir, '../docs/operations.md'), 'utf8');
  expect(operations).toContain('Never empty, cut or remove');
});
