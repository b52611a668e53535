import { Database as Connection } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeDataFile } from './support/data-files.ts';
import { refusal, runProgram, spawnProgram } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** Data with a folder for its backups. The hour of its creation identifies it. */
async function prepare(animals = 3, createdHour = 1) {
  const temporary = makeTemporaryFolder();
  const folder = join(temporary.path, 'backups');
  const env = { DATABASE_URL: `sqlite:${temporary.path}/animals.db` };
  const run = (...args: string[]) => runProgram(args, env);
  mkdirSync(folder);
  const path = join(temporary.path, 'animals.db');
  await makeDataFile(path, animals);
  using connection = new Connection(path);
  connection.run(`UPDATE workspaces SET created_at = ${createdHour * 3_600_000}`);
  const names = () => readdirSync(folder).sort();
  return {
    folder,
    env,
    run,
    names,
    /** Adds a backup and returns its name. */
    async add(...args: string[]): Promise<string> {
      const before = names();
      const { exitCode, stderr } = await run('backup', '--folder', folder, ...args);
      expect([exitCode, stderr]).toEqual([0, '']);
      return names().find((name) => name.endsWith('.db') && !before.includes(name)) ?? 'none';
    },
    /** Changes the manifest of a backup. */
    edit(name: string, changes: object): void {
      const path = join(folder, `${name}.json`);
      writeFileSync(
        path,
        JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }),
      );
    },
    /** Gives a backup another name. */
    move(name: string, to: string): void {
      for (const suffix of ['', '.json'])
        renameSync(join(folder, name + suffix), join(folder, to + suffix));
    },
    /** Dates a backup to this time on the first of January. */
    date(name: string, time: string): string {
      const to = `2026-01-01T${time}Z.db`;
      this.edit(name, { madeAt: `2026-01-01T${time.replaceAll('-', ':')}.000Z` });
      this.move(name, to);
      return to;
    },
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}

const future = '2099-01-01T00:00:00.000Z';
const futureName = '2099-01-01T00-00-00Z.db';

describe('backup --folder', () => {
  test('adds a complete backup for each of several runs at the same time', async () => {
    using data = await prepare();
    const made = await Promise.all(
      Array.from({ length: 4 }, () => data.run('backup', '--folder', data.folder)),
    );
    expect(made.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const files = data.names().filter((name) => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/.test(name));
    expect(files).toHaveLength(4);
    for (const name of files) {
      expect((await data.run('restore', join(data.folder, name))).exitCode).toBe(0);
    }
    const manifests = files.map((name) => `${name}.json`);
    expect(data.names()).toEqual([...files, ...manifests, 'backups.lock'].sort());
  });

  test('removes nothing without --keep, and the oldest by the times of the manifests with it', async () => {
    using data = await prepare();
    const [first, second, third] = [await data.add(), await data.add(), await data.add()];
    // The backup with the last name is the oldest.
    data.edit(third, { madeAt: '2026-01-01T00:00:00.000Z' });
    const { stdout } = await data.run('backup', '--folder', data.folder, '--keep', '3');
    expect(stdout).toEndWith(`\nRemoved ${join(data.folder, third)}.\n`);
    expect(data.names().filter((name) => name.endsWith('.json'))).toHaveLength(3);
    expect(data.names()).toEqual(expect.arrayContaining([first, second]));
    expect(existsSync(join(data.folder, `${third}.json`))).toBe(false);
  });

  test('--keep removes no backup that was made by hand, renamed, or made of another database', async () => {
    using data = await prepare();
    using other = await prepare(3, 2);
    // Made by hand, with a name like those of --folder.
    await data.run('backup', join(data.folder, '2026-01-01T01-00-00Z.db'));
    data.move(await data.add(), 'before-upgrade.db');
    const linked = data.date(await data.add(), '02-00-00');
    renameSync(join(data.folder, linked), join(data.folder, 'linked'));
    symlinkSync(join(data.folder, 'linked'), join(data.folder, linked));
    const folder = data.date(await data.add(), '03-00-00');
    rmSync(join(data.folder, folder));
    mkdirSync(join(data.folder, folder));
    const alone = data.date(await data.add(), '04-00-00');
    rmSync(join(data.folder, `${alone}.json`));
    const short = data.date(await data.add(), '05-00-00');
    truncateSync(join(data.folder, short), 4096);
    other.date(await other.add(), '06-00-00');
    cpSync(other.folder, data.folder, { recursive: true });
    const before = data.names();
    expect(before).toHaveLength(15);
    await data.add('--keep', '1');
    const kept = await data.add('--keep', '1');
    expect(data.names()).toEqual([...before, kept, `${kept}.json`].sort());
  });

  test.skipIf(process.getuid?.() === 0)(
    '--keep skips a manifest that this user cannot read, and --latest names it',
    async () => {
      using data = await prepare();
      const other = join(data.folder, 'before-upgrade.db');
      await data.run('backup', other);
      chmodSync(`${other}.json`, 0);
      await data.add('--keep', '1');
      const { exitCode, stderr } = await data.run('restore', '--latest', data.folder);
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining(`${other}.json cannot be read`),
      ]);
    },
  );

  test('--keep neither removes nor counts backups with a later time, and reports a wrong clock', async () => {
    using data = await prepare();
    const old = await data.add();
    const later = await data.add();
    data.edit(later, { madeAt: future });
    data.move(later, futureName);
    expect(await data.run('backup', '--folder', data.folder, '--keep', '1')).toMatchObject({
      exitCode: 0,
      stderr: `animal-store: 1 backup in ${data.folder} with a later time: a clock is or was wrong. --keep does not count or remove such backups\n`,
    });
    const left = data.names().filter((name) => name.endsWith('.db'));
    expect([left.length, left.includes(old), left.includes(futureName)]).toEqual([2, false, true]);
  });

  test('removes the files of killed backups, but none of a running backup', async () => {
    using data = await prepare(100_000);
    const partials = () => data.names().filter((name) => name.includes('partial'));
    const start = async () => {
      const before = partials();
      const child = spawnProgram(['backup', '--folder', data.folder], data.env);
      const isBegun = () => partials().some((name) => !before.includes(name));
      while (!isBegun() && child.exitCode === null) await new Promise(setImmediate);
      return child;
    };
    const running = await start();
    running.kill('SIGSTOP');
    const killed = await start();
    killed.kill('SIGKILL');
    await killed.exited;
    const before = partials();
    expect(before.length).toBeGreaterThanOrEqual(2);
    await data.add();
    expect(partials()).toEqual(before);
    running.kill('SIGCONT');
    expect(await running.exited).toBe(0);
    // This includes a manifest without its final name, but nothing of a backup that was made by hand.
    rmSync(join(data.folder, await data.add()));
    writeFileSync(join(data.folder, 'by-hand.db.partial'), '');
    await data.add();
    expect(partials()).toEqual(['by-hand.db.partial']);
    const [files, manifests] = ['.db', '.json'].map((end) =>
      data.names().filter((name) => name.endsWith(end)),
    );
    expect(manifests).toEqual((files ?? []).map((name) => `${name}.json`));
  });

  test.each([
    [['a.db', '--folder', '.'], 'FILE and --folder exclude each other: give one of them'],
    [[], 'FILE or --folder FOLDER is required'],
    [['--folder', ''], '--folder must not be empty'],
    [['a.db', '--keep', '3'], '--keep needs --folder'],
    [['--folder', '.', '--keep', '0'], '--keep must be a whole number from 1 to 999999, got "0"'],
    [
      ['--folder', '.', '--keep', '1.5'],
      '--keep must be a whole number from 1 to 999999, got "1.5"',
    ],
  ])('with %p ends with 2 and one line, and writes nothing', async (args, line) => {
    using data = await prepare();
    const { exitCode, stderr } = await runProgram(['backup', ...args], data.env, data.folder);
    expect([exitCode, stderr, data.names()]).toEqual([2, `animal-store: ${line}\n`, []]);
  });
});

describe('restore --latest', () => {
  test('restores the newest complete backup, whichever name it has, and names it', async () => {
    using data = await prepare();
    data.move(await data.add(), 'z-before-upgrade.db');
    await data.run('demo', '--animals', '4');
    const byHand = join(data.folder, 'a.db');
    await data.run('backup', byHand);
    const { madeAt } = JSON.parse(readFileSync(`${byHand}.json`, 'utf8'));
    await data.run('demo', '--animals', '5');
    // This one is newer, but not complete.
    const short = await data.add();
    truncateSync(join(data.folder, short), 4096);
    rmSync(join(data.folder, `${await data.add()}.json`));
    symlinkSync(byHand, join(data.folder, 'link.db'));
    cpSync(`${byHand}.json`, join(data.folder, 'link.db.json'));
    data.edit('link.db', { madeAt: new Date().toISOString() });
    const { exitCode, stdout } = await data.run('restore', '--latest', data.folder);
    expect(exitCode).toBe(0);
    expect(stdout).toStartWith(
      `The newest backup in ${data.folder} is ${byHand} of ${madeAt}.\nRestored 7 animals `,
    );
  });

  test('names each newer backup that is not complete', async () => {
    using data = await prepare();
    const older = data.date(await data.add(), '01-00-00');
    const newer = [await data.add(), await data.add(), await data.add()];
    const [cut = '', gone = '', torn = ''] = newer.map((name) => join(data.folder, name));
    truncateSync(cut, 4096);
    rmSync(gone);
    writeFileSync(`${torn}.json`, '{');
    const { exitCode, stdout, stderr } = await data.run('restore', '--latest', data.folder);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(`is ${join(data.folder, older)} of`),
    ]);
    for (const path of [cut, gone, torn])
      expect(stderr).toContain(`${path} is not complete and is skipped`);
  });

  test('refuses a folder with backups of two databases, and names the newest of each', async () => {
    using data = await prepare();
    using other = await prepare(4, 2);
    const names = [
      data.date(await data.add(), '01-00-00'),
      data.date(await data.add(), '02-00-00'),
    ];
    const others = other.date(await other.add(), '03-00-00');
    cpSync(other.folder, data.folder, { recursive: true });
    expect(await data.run('restore', '--latest', data.folder)).toEqual(
      refusal(
        `${data.folder} has backups of 2 databases: restore one by its name. The newest of each are ${data.folder}/${others} (2026-01-01T03:00:00.000Z, animals: 4), ${data.folder}/${names[1]} (2026-01-01T02:00:00.000Z, animals: 3)`,
      ),
    );
  });

  test('refuses a backup with a time in the future, because it may not be the newest', async () => {
    using data = await prepare();
    await data.add();
    const later = await data.add();
    data.edit(later, { madeAt: future });
    expect(await data.run('restore', '--latest', data.folder)).toEqual(
      refusal(
        `The newest backup in ${data.folder} has a time in the future, because a clock is or was wrong: ${data.folder}/${later} (${future}, animals: 3). Restore a backup by its name`,
      ),
    );
  });

  test('reports a folder without a complete backup', async () => {
    using data = await prepare();
    expect(await data.run('restore', '--latest', data.folder)).toEqual(
      refusal(
        `${data.folder} has no complete backup: a backup is a file with its manifest FILE.json`,
      ),
    );
  });

  test.each([
    [['a.db', '--latest', '.'], 'FILE and --latest exclude each other: give one of them'],
    [[], 'FILE or --latest FOLDER is required'],
  ])('with %p ends with 2 and one line', async (args, line) => {
    using data = await prepare();
    expect(await runProgram(['restore', ...args], data.env, data.folder)).toEqual(
      refusal(`${line}`, 2),
    );
  });
});
