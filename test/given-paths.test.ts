import { describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDataFile } from './support/data-files.ts';
import { program, runProgram, sourceProgram } from './support/server-process.ts';
import { hasSmallDisks } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** White space that `bun:sqlite` removes from file names, as text and as messages show it. */
const whiteSpaces = [
  [' ', ' '],
  ['\r', String.raw`\u000d`],
  ['\r\n', String.raw`\u000d\u000a`],
  ['\t', String.raw`\u0009`],
  ['\u00a0', String.raw`\u00a0`],
  ['\ufeff', String.raw`\ufeff`],
  ['\u3000 ', String.raw`\u3000 `],
] as const;

async function prepare() {
  const folder = makeTemporaryFolder();
  const run = (args: readonly string[], url: string, more: Record<string, string> = {}) =>
    runProgram(args, { DATABASE_URL: url, ...more }, folder.path);
  await makeDataFile(join(folder.path, 'a.db'), 3);
  await run(['backup', 'b.db'], 'sqlite:a.db');
  return {
    path: folder.path,
    run,
    names: () => readdirSync(folder.path).sort(),
    async animalsIn(url: string) {
      const { stdout } = await run(['verify'], url);
      return /^default +(\d+) /m.exec(stdout)?.[1];
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const commands = [
  ['serve', '--port', '0'],
  ['keys', 'create', '--name', 'a'],
  ['keys', 'list'],
  ['demo'],
  ['demo', '--create-data', 'always'],
  ['migrate'],
  ['verify'],
  ['backup', 'c.db'],
  ['backup', '--folder', '.'],
  ['restore', 'b.db'],
] as const;

describe('a data path with white space at an end', () => {
  test.each(whiteSpaces)('%j is refused before anything is created', async (space, shown) => {
    using data = await prepare();
    const before = data.names();
    for (const [name, text] of [
      [`${data.path}/a.db${space}`, `"${data.path}/a.db${shown}"`],
      [`a.db${space}`, `"a.db${shown}"`],
      [`${space}a.db`, `"${shown}a.db"`],
    ]) {
      const { exitCode, stdout, stderr } = await data.run(['demo'], `sqlite:${name}`);
      expect([exitCode, stdout, stderr]).toEqual([
        1,
        '',
        `animal-store: The path ${text} has white space at an end, which SQLite ignores. The data is in ${data.path}/a.db: remove the white space from the variable, option or argument, for example the line ends of a file from Windows\n`,
      ]);
    }
    expect(data.names()).toEqual(before);
  });

  test('is refused by every command, with one line that names the file with the data', async () => {
    using data = await prepare();
    const before = data.names();
    const to = (from: string, target: string) => ['copy', '--from', from, '--to', target];
    for (const args of [
      ...commands,
      to('sqlite:a.db\r', 'sqlite:c.db'),
      to('sqlite:b.db', 'sqlite:a.db\r'),
    ]) {
      const { exitCode, stderr } = await data.run(args, 'sqlite:a.db\r');
      expect([args, exitCode, stderr.split('\n').length]).toEqual([args, 1, 2]);
      expect(stderr).toContain(`The data is in ${data.path}/a.db: remove the white space`);
    }
    expect(data.names()).toEqual(before);
  });

  test('is refused as a backup, with the reason', async () => {
    using data = await prepare();
    copyFileSync(join(data.path, 'b.db'), join(data.path, 'e.db\r'));
    copyFileSync(join(data.path, 'b.db.json'), join(data.path, 'e.db\r.json'));
    const before = data.names();
    for (const args of [
      ['verify', 'b.db\r'],
      ['verify', 'e.db\r'],
      ['restore', ' b.db'],
      ['restore', 'e.db\r'],
      ['backup', 'c.db\r'],
      ['backup', ' c.db'],
    ]) {
      const { exitCode, stderr } = await data.run(args, 'sqlite:a.db');
      expect([args, exitCode, stderr]).toEqual([
        args,
        1,
        expect.stringContaining('SQLite ignores'),
      ]);
    }
    expect(data.names()).toEqual(before);
  });

  test.each(['x.db\r', "it's $x.db\u00a0", 'x.db '])(
    'is answered with the command that renames the data if it is in %j',
    async (name) => {
      using data = await prepare();
      // A restore of 1.1.0 made such files.
      renameSync(join(data.path, 'a.db'), join(data.path, name));
      const url = `sqlite:${data.path}/${name}`;
      const { exitCode, stderr } = await data.run(['keys', 'list'], url);
      const [, command = ''] =
        /The data is in that file: run (mv .*), and remove/.exec(stderr) ?? [];
      expect([exitCode, command, stderr.split('\n').length]).toEqual([
        1,
        expect.stringContaining('mv'),
        2,
      ]);
      expect(Bun.spawnSync(['bash', '-c', command]).exitCode).toBe(0);
      expect(await data.animalsIn(`sqlite:${data.path}/${name.trim()}`)).toBe('3');
    },
  );

  test('is refused without a command to rename if there is a log that belongs to other data', async () => {
    using data = await prepare();
    renameSync(join(data.path, 'a.db'), join(data.path, 'a.db '));
    writeFileSync(join(data.path, 'a.db-wal'), 'the log of other data');
    const { exitCode, stderr } = await data.run(['demo'], 'sqlite:a.db ');
    expect([exitCode, stderr]).toEqual([1, expect.not.stringContaining('run mv')]);
    expect(stderr).toContain('The data is in that file');
  });

  test('is refused without data, with the usual cause', async () => {
    using data = await prepare();
    const { exitCode, stderr } = await data.run(['serve', '--port', '0'], 'sqlite:new.db\r');
    expect([exitCode, stderr]).toEqual([
      1,
      String.raw`animal-store: The path "new.db\u000d" has white space at an end, which SQLite ignores. Remove it from the variable, option or argument: a file of variables with the line ends of Windows adds it` +
        '\n',
    ]);
  });

  test('is refused through a symbolic link', async () => {
    using data = await prepare();
    symlinkSync('new.db\r', join(data.path, 'link.db'));
    const before = data.names();
    const { exitCode, stderr } = await data.run(['demo'], 'sqlite:link.db');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('SQLite ignores')]);
    expect(data.names()).toEqual(before);
  });

  test('is no fault inside the path or of a folder', async () => {
    using data = await prepare();
    mkdirSync(join(data.path, ' a b '));
    const url = `sqlite:${data.path}/ a b / c d.db`;
    expect((await data.run(['demo', '--animals', '4'], url)).exitCode).toBe(0);
    expect(await data.animalsIn(url)).toBe('4');
    for (const args of [
      ['backup', '--folder', ' a b '],
      ['backup', './ a b /d.db'],
      ['verify', './ a b /d.db'],
      ['restore', '--latest', ' a b '],
    ]) {
      const { exitCode, stderr } = await data.run(args, url);
      expect([args, exitCode, stderr]).toEqual([args, 0, '']);
    }
  });
});

describe('a quoted data path, or one that begins with ~,', () => {
  const home = { HOME: '/home/shop' };

  test.each([
    ['"a.db"', 'begins and ends with a quote', '/a.db'],
    ["'data/a.db'", 'begins and ends with a quote', '/data/a.db'],
    ['~/a.db', 'begins with ~', '/home/shop/a.db'],
  ])(
    '%s is refused without data of that name, and nothing is created',
    async (name, why, meant) => {
      using data = await prepare();
      const before = data.names();
      const to = ['copy', '--from', 'sqlite:a.db', '--to', `sqlite:${name}`];
      for (const args of [...commands, to]) {
        const { exitCode, stderr } = await data.run(args, `sqlite:${name}`, home);
        expect([args, exitCode, stderr.split('\n').length]).toEqual([args, 1, 2]);
        expect(stderr).toContain(`There is no data in ${data.path}/${name}: the path ${why}`);
        expect(stderr).toContain(meant);
      }
      for (const command of ['backup', 'verify', 'restore']) {
        const { exitCode, stderr } = await data.run([command, name], 'sqlite:a.db', home);
        expect([command, exitCode, stderr]).toEqual([command, 1, expect.stringContaining(why)]);
      }
      expect(data.names()).toEqual(before);
    },
  );

  test.each([
    ['"a.db"', '/a.db'],
    ['~/a.db', '/home/shop/a.db'],
  ])('%s opens as before if it has data, with one line about the name', async (name, meant) => {
    using data = await prepare();
    if (name.startsWith('~')) mkdirSync(join(data.path, '~'));
    renameSync(join(data.path, 'a.db'), join(data.path, name));
    for (const args of [['keys', 'list'], ['demo'], ['verify'], ['backup', 'c.db']]) {
      const { exitCode, stderr } = await data.run(args, `sqlite:${name}`, home);
      expect([args, exitCode]).toEqual([args, 0]);
      const lines = stderr.split('\n').filter((line) => line.includes('rename it to'));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(meant);
    }
  });
});

describe('a current folder that was removed', () => {
  /** Runs a command in a folder that no longer exists. */
  async function runWithoutFolder(args: readonly string[], env: Record<string, string> = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'gone-'));
    const script = 'cd "$0" && rmdir "$0" && exec "$@"';
    const result = await runProgram(args, env, undefined, [
      'sh',
      '-c',
      script,
      folder,
      ...sourceProgram,
    ]);
    if (existsSync(folder)) rmdirSync(folder);
    return result;
  }

  test('is refused for every relative path, in one line', async () => {
    using data = await prepare();
    const at = `sqlite:${data.path}/a.db`;
    const backup = join(data.path, 'b.db');
    const before = data.names();
    for (const [args, url] of [
      [['serve', '--port', '0'], ''],
      [['keys', 'list'], ''],
      [['demo', '--database', 'sqlite:x.db'], at],
      [['keys', 'create', '--name', 'a'], 'sqlite:x.db'],
      [['migrate'], 'sqlite:x.db'],
      [['verify'], 'sqlite:x.db'],
      [['backup', 'x.db'], at],
      [['backup', '--folder', '.'], at],
      [['backup', '--folder', 'backups'], at],
      [['restore', 'x.db'], at],
      [['restore', '--latest', '.'], at],
      [['restore', backup], 'sqlite:x.db'],
      [['verify', 'x.db'], at],
      [['copy', '--from', at, '--to', 'sqlite:x.db'], at],
      [['copy', '--from', 'sqlite:x.db', '--to', `${at}2`], at],
      [['openapi', 'x.yaml'], at],
      [['serve', '--port', '0', '--metrics-port', '0', '--backup-folder', 'backups'], at],
    ] as const) {
      const { exitCode, stdout, stderr } = await runWithoutFolder(args, { DATABASE_URL: url });
      expect([args, exitCode, stdout, stderr]).toEqual([
        args,
        1,
        '',
        expect.stringMatching(
          /^animal-store: The current folder was removed, so (?:\S+) cannot be found: .*\n$/,
        ),
      ]);
    }
    expect(data.names()).toEqual(before);
  });

  test('is refused likewise if its path is too long', async () => {
    using folder = makeTemporaryFolder();
    const name = 'd'.repeat(240);
    const deep = join(folder.path, ...Array(16).fill(name));
    mkdirSync(join(folder.path, 'moved', name), { recursive: true });
    mkdirSync(deep, { recursive: true });
    const script = 'cd "$0/moved/$1" && mv "$0/moved" "$2" && shift 2 && exec "$@"';
    const through = ['sh', '-c', script, folder.path, name, deep, ...sourceProgram];
    const { exitCode, stderr } = await runProgram(['demo'], {}, undefined, through);
    // So that the folder can be removed by its path.
    renameSync(join(deep, 'moved'), join(folder.path, 'moved'));
    expect([exitCode, stderr]).toEqual([
      1,
      'animal-store: The current folder has too long a path, so data/animal-store.db cannot be found: change to another folder and back, or give an absolute path\n',
    ]);
  });

  test('does not matter for absolute paths', async () => {
    using data = await prepare();
    const env = { DATABASE_URL: `sqlite:${data.path}/a.db` };
    for (const args of [
      ['keys', 'list'],
      ['keys', 'create', '--name', 'a'],
      ['verify'],
      ['backup', join(data.path, 'c.db')],
      ['backup', '--folder', data.path],
      ['verify', join(data.path, 'c.db')],
      ['restore', '--latest', data.path],
      ['openapi', join(data.path, 'openapi.yaml')],
      ['openapi'],
      ['licenses'],
    ]) {
      const { exitCode, stderr } = await runWithoutFolder(args, env);
      expect([args, exitCode, stderr]).toEqual([args, 0, '']);
    }
  });
});

const folder = makeTemporaryFolder();
const mayMount = hasSmallDisks(folder.path);
folder[Symbol.dispose]();

test.skipIf(!mayMount)(
  'a current folder that another was mounted over is refused for relative paths',
  async () => {
    using data = await prepare();
    const script = 'cd "$0" && mount -t tmpfs tmpfs "$0" && exec "$@"';
    const own = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, data.path];
    const { exitCode, stderr } = await runProgram(
      ['keys', 'list'],
      { DATABASE_URL: 'sqlite:a.db' },
      undefined,
      [...own, ...program],
    );
    expect([exitCode, stderr]).toEqual([
      1,
      'animal-store: The current folder was replaced, so a.db cannot be found: change to another folder and back, or give an absolute path\n',
    ]);
  },
);
