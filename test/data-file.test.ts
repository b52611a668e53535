import { describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { addedId } from './support/call-server.ts';
import { makeDataFile } from './support/data-files.ts';
import { createTestDatabase } from './support/postgres.ts';
import { nextTurn } from './support/raw-connection.ts';
import {
  program,
  refusal,
  runProgram,
  spawnProgram,
  startServerProcess,
} from './support/server-process.ts';
import { hasSmallDisks } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const apiKey = 'key-of-the-data-file-test';
const env = { ANIMAL_STORE_API_KEY: apiKey };

const animalsBefore = 30;
const animalsAfter = 60;

/** A file with animals, and a backup of it. Its server added more animals and was killed, so they are only in the log. */
async function prepare() {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'a.db');
  const run = (...args: string[]) => runProgram(args, { DATABASE_URL: `sqlite:${path}` });
  await makeDataFile(path, animalsBefore);
  const backup = join(folder.path, 'b.db');
  await run('backup', backup);
  {
    await using server = await startServerProcess(`sqlite:${path}`, { env });
    for (let count = animalsBefore; count < animalsAfter; count += 1) await addedId(server, apiKey);
    await server.stop('SIGKILL');
  }
  const log = readFileSync(`${path}-wal`);
  return {
    path,
    backup,
    log,
    folder: folder.path,
    run,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** The number of animals that `verify` finds in workspace default. */
async function countAnimals(path: string): Promise<number | string> {
  const { stdout, stderr } = await runProgram(['verify'], { DATABASE_URL: `sqlite:${path}` });
  const [, count] = /^default +(\d+) /m.exec(stdout) ?? [];
  return count === undefined ? stderr : Number(count);
}

describe('a data file that was moved away after a crash', () => {
  test('can be restored beside its log, which is renamed and kept', async () => {
    using data = await prepare();
    renameSync(data.path, `${data.path}.broken`);
    const restored = await data.run('restore', data.backup);
    expect([restored.exitCode, await countAnimals(data.path)]).toEqual([0, animalsBefore]);
    const kept = readdirSync(data.folder).filter((name) => name.startsWith('a.db-wal.'));
    expect(kept).toHaveLength(1);
    const [log = ''] = kept.map((name) => join(data.folder, name));
    expect(restored.stderr).toContain(`was renamed to ${log}`);
    renameSync(log, `${data.path}.broken-wal`);
    expect(await countAnimals(`${data.path}.broken`)).toBe(animalsAfter);
  });

  test.each([
    ['is missing', false],
    ['is empty', true],
  ])('keeps its log through every command while its path %s', async (_title, isEmpty) => {
    using data = await prepare();
    renameSync(data.path, `${data.path}.broken`);
    if (isEmpty) writeFileSync(data.path, '');
    for (const command of [
      ['serve', '--port', '0'],
      ['keys', 'create', '--name', 'a'],
      ['workspaces', 'create', 'shop'],
      ['demo'],
      ['copy', '--from', `sqlite:${data.backup}`, '--to', `sqlite:${data.path}`],
      ['keys', 'list'],
      ['migrate'],
      ['verify'],
      ['backup', join(data.folder, 'c.db')],
    ]) {
      const { exitCode, stderr } = await data.run(...command);
      expect([command, exitCode, stderr]).toEqual([
        command,
        1,
        expect.stringContaining(`a.db, but `),
      ]);
      expect(stderr).toContain(`${data.path}-wal`);
      expect(stderr.split('\n')).toHaveLength(2);
    }
    expect(readFileSync(`${data.path}-wal`)).toEqual(data.log);
    renameSync(`${data.path}.broken`, data.path);
    expect(await countAnimals(data.path)).toBe(animalsAfter);
  });

  test('is replaced by new data with --create-data always, and its log is kept', async () => {
    using data = await prepare();
    renameSync(data.path, `${data.path}.broken`);
    const { exitCode, stderr } = await data.run('demo', '--animals', '3', '--create-data=always');
    expect([exitCode, await countAnimals(data.path)]).toEqual([0, 3]);
    const [, log = ''] = /renamed to (\S+-wal\.[^,\s]+)/.exec(stderr) ?? [];
    expect(readFileSync(log)).toEqual(data.log);
  });
});

describe('a data file that is missing', () => {
  test('is not replaced by an empty database', async () => {
    using data = await prepare();
    for (const suffix of ['', '-wal', '-shm']) rmSync(data.path + suffix);
    const before = readdirSync(data.folder);
    expect(await data.run('serve', '--port', '0')).toEqual(
      refusal(
        `There is no data in ${data.path}, but ${data.path}.lock shows that there was: restore a backup, move the file back, or start once with --create-data always`,
      ),
    );
    expect(readdirSync(data.folder)).toEqual(before);
    expect((await data.run('demo', '--create-data', 'always')).exitCode).toBe(0);
  });

  test('is not replaced by an empty database through a symbolic link to it', async () => {
    using data = await prepare();
    const link = join(data.folder, 'link.db');
    symlinkSync(data.path, link);
    for (const suffix of ['', '-wal', '-shm']) rmSync(data.path + suffix);
    const { exitCode } = await runProgram(['demo'], { DATABASE_URL: `sqlite:${link}` });
    expect([exitCode, existsSync(data.path)]).toEqual([1, false]);
  });

  test('may be created again after a failed restore, which leaves no lock file', async () => {
    using data = await prepare();
    const path = join(data.folder, 'new.db');
    const newEnv = { DATABASE_URL: `sqlite:${path}` };
    writeFileSync(`${data.backup}.json`, '{}');
    expect((await runProgram(['restore', data.backup], newEnv)).exitCode).toBe(1);
    writeFileSync(data.backup, 'no database');
    expect((await runProgram(['restore', data.backup], newEnv)).exitCode).toBe(1);
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect((await runProgram(['demo'], newEnv)).exitCode).toBe(0);
  });

  test('may be created again after a restore that Ctrl-C ended', async () => {
    using folder = makeTemporaryFolder();
    const at = (name: string) => ({ DATABASE_URL: `sqlite:${join(folder.path, name)}` });
    await runProgram(['demo', '--animals', '50000'], at('a.db'));
    const backup = join(folder.path, 'b.db');
    await runProgram(['backup', backup], at('a.db'));
    const restore = spawnProgram(['restore', backup], at('new.db'));
    while (!existsSync(join(folder.path, 'new.db.restoring'))) await nextTurn();
    restore.kill('SIGINT');
    await restore.exited;
    expect(restore.signalCode).toBe('SIGINT');
    expect(readdirSync(folder.path).filter((name) => name.startsWith('new'))).toEqual([]);
  });

  test('is not created with --create-data never, on either engine', async () => {
    using folder = makeTemporaryFolder();
    await using database = await createTestDatabase('empty');
    for (const url of [`sqlite:${folder.path}/disk/a.db`, database.url]) {
      const never = { DATABASE_URL: url, ANIMAL_STORE_CREATE_DATA: 'never' };
      for (const args of [['serve', '--port', '0'], ['demo'], ['migrate']]) {
        const { exitCode, stderr } = await runProgram(args, never);
        expect([args, exitCode, stderr]).toEqual([args, 1, expect.stringContaining('no data')]);
      }
      expect(readdirSync(folder.path)).toEqual([]);
    }
    const url = `sqlite:${folder.path}/a.db`;
    const create = ['keys', 'create', '--name', 'first', '--create-data', 'auto'];
    const never = { DATABASE_URL: url, ANIMAL_STORE_CREATE_DATA: 'never' };
    expect((await runProgram(create, never)).exitCode).toBe(0);
    await using _server = await startServerProcess(url, { env: never });
  });
});

describe('a data file that a server uses', () => {
  test('is refused to a second server, also after its lock file was removed', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'a.db');
    await using server = await startServerProcess(`sqlite:${path}`, { env });
    rmSync(`${path}.lock`);
    for (const args of [
      ['serve', '--port', '0'],
      ['copy', '--from', `sqlite:${path}`, '--to', `sqlite:${folder.path}/c.db`],
    ]) {
      expect(await runProgram(args, { DATABASE_URL: `sqlite:${path}` })).toEqual(
        refusal(
          `${path} is in use by a server, or by a command that copies or restores it: stop it first`,
        ),
      );
    }
    expect(await addedId(server, apiKey)).toBe(1);
  });

  const folder = makeTemporaryFolder();
  const mayMount = hasSmallDisks(folder.path);
  folder[Symbol.dispose]();

  test.skipIf(!mayMount)(
    'is refused through a mount of the file, which has no log of its own',
    async () => {
      using folder = makeTemporaryFolder();
      const path = join(folder.path, 'a.db');
      await using server = await startServerProcess(`sqlite:${path}`, { env });
      expect(await addedId(server, apiKey)).toBe(1);
      mkdirSync(join(folder.path, 'other place'));
      const mounted = join(folder.path, 'other place/a.db');
      writeFileSync(mounted, '');
      const script = 'mount --bind "$0" "$1" && shift && exec "$@"';
      const through = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script];
      const backup = join(folder.path, 'b.db');
      await runProgram(['backup', backup], { DATABASE_URL: `sqlite:${path}` });
      const command = [...through, path, mounted, ...program];
      const mountedEnv = { DATABASE_URL: `sqlite:${mounted}` };
      for (const args of [
        ['serve', '--port', '0'],
        ['keys', 'list'],
        ['demo'],
        ['restore', backup],
      ]) {
        const { exitCode, stderr } = await runProgram(args, mountedEnv, undefined, command);
        expect([args, exitCode, stderr]).toEqual([
          args,
          1,
          expect.stringContaining(`${mounted} is a mount point`),
        ]);
      }
    },
  );
});
