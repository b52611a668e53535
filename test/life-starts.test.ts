import { Database as Connection } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { background } from '../src/context/context.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { readLifeRecord } from '../src/sqlite/life/life-record.ts';
import { prepareReplacement } from '../src/sqlite/life/replace-life.ts';
import { addAnimal, addedId } from './support/call-server.ts';
import { serveBriefly } from './support/data-files.ts';
import { runProgram, type ServerProcess, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const apiKey = 'key-of-the-life-test';
const env = { ANIMAL_STORE_API_KEY: apiKey };

const add = (server: ServerProcess) => addedId(server, apiKey);

function prepare() {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'a.db');
  const start = () => startServerProcess(`sqlite:${path}`, { env });
  return {
    path,
    start,
    /** Serves, adds an animal, and ends by a signal. Returns the id. */
    async serve(signal: NodeJS.Signals): Promise<number> {
      if (signal === 'SIGTERM') return (await serveBriefly(path, 1))[0] ?? 0;
      await using server = await start();
      const id = await add(server);
      await server.stop(signal);
      return id;
    },
    run: (...args: string[]) => runProgram(args, { DATABASE_URL: `sqlite:${path}` }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

// Each look waits as long as any other statement does.
test('a command beside a program that keeps the file locked looks once', async () => {
  using data = prepare();
  await data.serve('SIGTERM');
  using program = new Connection(data.path, { readwrite: true });
  program.run('PRAGMA locking_mode = EXCLUSIVE');
  program.run('UPDATE pets SET name = name');
  const { exitCode, stderr } = await data.run('keys', 'create', '--name', 'a');
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('the data is in use by another process; try again'),
  ]);
}, 25_000);

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

// SQLite takes the rest of a page for a page, and completes the file at its next checkpoint.
test('a file that another program made longer is served', async () => {
  using data = prepare();
  const id = await data.serve('SIGTERM');
  truncateSync(data.path, statSync(data.path).size + 10_000);
  expect(await data.serve('SIGKILL')).toBe(id + 1);
  expect(await data.serve('SIGTERM')).toBe(id + 2);
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
  await other.write(background, 'createPet', { workspaceId: 1n, pet });
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
  await command.write(background, 'createWorkspace', { name: 'shop', now: Date.now() });
  {
    using connection = new Connection(data.path, { readonly: true });
    const [row] = connection.query<{ commits: number }, []>('SELECT commits FROM life').all();
    expect(readLifeRecord(data.path)?.last.commits).toBe(row?.commits ?? 0);
  }
  await command[Symbol.asyncDispose]();
});

// An idle server looks for expired records again and again.
test('a write that changes no record writes nothing to the disk', async () => {
  using data = prepare();
  await data.serve('SIGTERM');
  await using database = await openSqliteDatabase({
    path: data.path,
    asServer: true,
    now: Date.now,
  });
  const before = readFileSync(`${data.path}-wal`);
  const expired = { now: Date.now(), keysMax: 100 };
  expect(await database.write(background, 'deleteExpiredIdempotencyKeys', expired)).toEqual({
    ok: 0,
  });
  expect(readFileSync(`${data.path}-wal`).equals(before)).toBe(true);
});

test('commands that start at the same moment do not take each other for a server', async () => {
  using data = prepare();
  await data.serve('SIGTERM');
  writeFileSync(`${data.path}.lock`, '');
  const { hasServer } = await import('../src/sqlite/file/lock-file.ts');
  const probe = `
    const { hasServer } = await import(${JSON.stringify(join(import.meta.dir, '../src/sqlite/file/lock-file.ts'))});
    let found = 0;
    for (let time = 0; time < 50; time += 1) found += Number(hasServer(${JSON.stringify(data.path)}));
    console.log(found);`;
  const probes = Array.from({ length: 3 }, () =>
    Bun.spawn([process.execPath, '-e', probe], { stdout: 'pipe' }),
  );
  const found = await Promise.all(probes.map(({ stdout }) => new Response(stdout).text()));
  expect(found.map(Number)).toEqual([0, 0, 0]);
  expect(hasServer(data.path)).toBe(false);
});

test('a file that commands make, fill and close at this moment is not reported as damaged', async () => {
  using data = prepare();
  const { checkLife } = await import('../src/sqlite/life/check-life.ts');
  const write = `
    const { rmSync } = await import('node:fs');
    const { openSqliteDatabase } = await import(${JSON.stringify(join(import.meta.dir, '../src/sqlite/database.ts'))});
    const { background } = await import(${JSON.stringify(join(import.meta.dir, '../src/context/context.ts'))});
    const path = process.argv[1];
    for (let round = 0; round < 20; round += 1) {
      for (const suffix of ['-wal', '-shm', '.life', '.lock', '']) rmSync(path + suffix, { force: true });
      await using database = await openSqliteDatabase({ path, asServer: false, createData: 'always', now: Date.now });
      await database.write(background, 'createWorkspace', { name: 'shop', now: Date.now() });
    }`;
  const child = Bun.spawn([process.execPath, '-e', write, data.path], { stderr: 'inherit' });
  const errors = new Set<string>();
  while (child.exitCode === null) {
    await Bun.sleep(0);
    if (!existsSync(data.path)) continue;
    try {
      checkLife(data.path, { isAlone: true, report: () => {} });
    } catch (error) {
      errors.add(String(error));
    }
  }
  expect([child.exitCode, [...errors]]).toEqual([0, []]);
});

test.each([
  ['restore', (backup: string) => ['restore', backup], (path: string) => rmSync(path)],
  [
    'accept-restored',
    () => ['accept-restored'],
    (path: string, backup: string) => copyFileSync(backup, path),
  ],
])(
  'a backup that is restored again assigns no id of the time since the first restore: %s',
  async (_, args, lose) => {
    using data = prepare();
    await data.serve('SIGTERM');
    const backup = `${data.path}.backup`;
    await data.run('backup', backup);
    await data.serve('SIGTERM');
    const ids: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      lose(data.path, backup);
      expect((await data.run(...args(backup))).exitCode).toBe(0);
      ids.push(await data.serve('SIGTERM'), await data.serve('SIGTERM'));
    }
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    expect(new Set(ids).size).toBe(6);
  },
);

test('the log of a file that was replaced by its own copy stays, and has all acknowledged animals', async () => {
  using data = prepare();
  await data.serve('SIGTERM');
  const server = await data.start();
  const id = await add(server);
  copyFileSync(data.path, `${data.path}.copy`);
  renameSync(`${data.path}.copy`, data.path);
  expect(await server.ended).toBe(1);
  expect(await data.serve('SIGTERM')).toBe(id + 1);
});

test('a server notices that another program has put other data into its file through SQLite', async () => {
  using data = prepare();
  await using server = await data.start();
  await add(server);
  {
    using connection = new Connection(data.path, { readwrite: true });
    // As a copy of another state has it, which the backup functions of SQLite write page by page.
    connection.run("UPDATE life SET life = 'another'");
  }
  const response = await addAnimal(server, apiKey);
  expect(response.status).toBe(503);
  expect(await server.ended).toBe(1);
});

test('restore --id-gap 0 over data that lacks writes is refused, and reading commands name the loss', async () => {
  using data = prepare();
  await data.serve('SIGTERM');
  const backup = `${data.path}.backup`;
  await data.run('backup', backup);
  await data.serve('SIGKILL');
  rmSync(`${data.path}-wal`);
  const listed = await data.run('keys', 'list');
  expect([listed.exitCode, listed.stderr]).toEqual([
    0,
    expect.stringContaining('No server starts: '),
  ]);
  const { exitCode, stderr } = await data.run('restore', backup, '--id-gap', '0');
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('so --id-gap 0 would assign ids again'),
  ]);
});
