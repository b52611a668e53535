import { Database as Connection } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { readLifeRecord } from '../src/sqlite/life/life-record.ts';
import { prepareReplacement } from '../src/sqlite/life/replace-life.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const env = { ANIMAL_STORE_API_KEY: 'key-of-the-life-test' };

function prepare() {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'a.db');
  const start = () => startServerProcess(`sqlite:${path}`, { env });
  return {
    path,
    start,
    async serve(signal: NodeJS.Signals) {
      await using server = await start();
      const response = await fetch(`${server.origin}/v1/pets`, {
        method: 'POST',
        body: '{"name":"Rex","categoryId":1}',
        headers: {
          authorization: `Bearer ${env.ANIMAL_STORE_API_KEY}`,
          'content-type': 'application/json',
        },
      });
      expect(response.status).toBe(201);
      await server.stop(signal);
    },
    run: (...args: string[]) => runProgram(args, { DATABASE_URL: `sqlite:${path}` }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

// The reader keeps the server from moving its first commit into the file, and that commit began another log.
test('a server that was killed just after its start starts again, although a reader kept its log', async () => {
  using data = prepare();
  await data.serve('SIGTERM');
  const reader = new Connection(data.path, { readonly: true });
  reader.run('BEGIN');
  reader.query('SELECT count(*) FROM pets').get();
  {
    await using server = await data.start();
    await server.stop('SIGKILL');
  }
  await data.serve('SIGKILL');
  await data.serve('SIGTERM');
  reader.close();
  await data.serve('SIGTERM');
});

test('the file of a running server that was copied without its log stays refused after keys list', async () => {
  using data = prepare();
  await data.serve('SIGKILL');
  for (const suffix of ['-wal', '-shm', '.life']) rmSync(data.path + suffix, { force: true });
  expect((await data.run('keys', 'list')).exitCode).toBe(0);
  const { exitCode, stderr } = await data.run('serve', '--port', '0');
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('was in use by a server when it was copied'),
  ]);
});

test('a restore that was killed before it replaced a file that lacks writes leaves it refused', async () => {
  using data = prepare();
  await data.serve('SIGTERM');
  const older = `${data.path}.older`;
  copyFileSync(data.path, older);
  // Without a start, because that is counted too.
  const other = await openSqliteDatabase({ path: data.path, asServer: false, now: Date.now });
  const pet = { name: 'Rex', categoryId: 1n };
  await other.write('createPet', { workspaceId: 1n, pet });
  await other[Symbol.asyncDispose]();
  const replacement = `${data.path}.new`;
  copyFileSync(older, replacement);
  copyFileSync(older, data.path);
  prepareReplacement(data.path, replacement).before();
  const { exitCode, stderr } = await data.run('serve', '--port', '0');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('lacks acknowledged writes')]);
});

test('a command that opened the file before the start of a server marks its commits', async () => {
  using data = prepare();
  await data.serve('SIGTERM');
  const command = await openSqliteDatabase({ path: data.path, asServer: false, now: Date.now });
  await data.serve('SIGTERM');
  await command.write('createWorkspace', { name: 'shop', now: Date.now() });
  {
    using connection = new Connection(data.path, { readonly: true });
    const [row] = connection.query<{ commits: number }, []>('SELECT commits FROM life').all();
    expect(readLifeRecord(data.path)?.last.commits).toBe(row?.commits ?? 0);
  }
  await command[Symbol.asyncDispose]();
});

test('commands that start at the same moment do not take each other for a server', async () => {
  using data = prepare();
  await data.serve('SIGTERM');
  writeFileSync(`${data.path}.lock`, '');
  const { hasServer } = await import('../src/sqlite/file/lock-file.ts');
  const probe = `
    const { hasServer } = await import(${JSON.stringify(join(import.meta.dir, '../src/sqlite/file/lock-file.ts'))});
    let found = 0;
    for (let time = 0; time < 200; time += 1) found += Number(hasServer(${JSON.stringify(data.path)}));
    console.log(found);`;
  const probes = Array.from({ length: 3 }, () =>
    Bun.spawn([process.execPath, '-e', probe], { stdout: 'pipe' }),
  );
  const found = await Promise.all(probes.map(({ stdout }) => new Response(stdout).text()));
  expect(found.map(Number)).toEqual([0, 0, 0]);
  expect(hasServer(data.path)).toBe(false);
});
