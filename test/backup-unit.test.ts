import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataFile } from './support/data-files.ts';
import { program, runProgram } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const deploy = join(import.meta.dir, '../docs/deploy');
const installedProgram = '/usr/local/bin/animal-store';
const installedBackups = '/var/backups/animal-store';

test('the backup unit keeps the configured number of backups, and all that were made by hand', async () => {
  using machine = await prepareMachine();
  await machine.command('backup', join(machine.folder, 'before-upgrade.db'));
  writeFileSync(join(machine.folder, '2026-01-04T00-00-00Z.db'), 'a letter');
  const byHand = machine.backups();
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const before = machine.backups();
    expect(machine.run({ BACKUPS_KEPT: '2' })).toBe(0);
    made.push(...machine.backups().filter((name) => !before.includes(name)));
  }
  const files = made.filter((name) => name.endsWith('.db'));
  for (const name of files) expect(name).toMatch(/^20\d\d-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/);
  const kept = files.slice(-2).flatMap((name) => [name, `${name}.json`]);
  expect(machine.backups()).toEqual([...byHand, ...kept, 'backups.lock'].sort());
});

test('the documented restore uses the newest backup of the unit, also if one was made by hand', async () => {
  using machine = await prepareMachine();
  await machine.command('backup', join(machine.folder, 'before-upgrade.db'));
  await machine.command('demo', '--animals', '5');
  expect(machine.run()).toBe(0);
  const page = readFileSync(join(deploy, 'README.md'), 'utf8');
  const documented = /^animal-store-admin (restore --latest \S+)$/m.exec(page)?.[1] ?? 'none';
  const args = documented.replace(installedBackups, machine.folder).split(' ');
  expect((await machine.command(...args)).stdout).toContain('\nRestored 15 animals ');
});

test.each(['0', '', '-1', 'all'])(
  'the backup unit with BACKUPS_KEPT=%p fails, and removes no backup',
  async (kept) => {
    using machine = await prepareMachine();
    expect(machine.run()).toBe(0);
    const before = machine.backups();
    expect(machine.run({ BACKUPS_KEPT: kept })).toBe(2);
    expect(machine.backups()).toEqual(before);
  },
);

test('the backup unit fails without data, and keeps older backups', async () => {
  using machine = await prepareMachine();
  expect(machine.run({ BACKUPS_KEPT: '1' })).toBe(0);
  const before = machine.backups();
  const nowhere = { DATABASE_URL: 'sqlite:/nowhere/animals.db', BACKUPS_KEPT: '1' };
  expect(machine.run(nowhere)).toBe(1);
  expect(machine.backups()).toEqual(before);
});

const missing = Bun.which('systemd-analyze') === null ? ', left out: no systemd-analyze' : '';

test.skipIf(missing !== '')(`systemd understands every unit${missing}`, () => {
  using folder = makeTemporaryFolder();
  const paths = [...new Bun.Glob('*.{service,timer}').scanSync(deploy)].map((name) => {
    const path = join(folder.path, name);
    // systemd checks that the program exists, too.
    const text = readFileSync(join(deploy, name), 'utf8');
    writeFileSync(path, text.replaceAll(installedProgram, '/bin/sh'));
    return path;
  });
  expect(paths).toHaveLength(3);
  expect(analyze('verify', ...paths)).toEqual({ exitCode: 0, stderr: '' });
});

/** `security` reads a unit that is not installed from version 250 on. */
const tooOld =
  missing === '' && analyzerVersion() < 250 ? ', left out: old systemd-analyze' : missing;

test.skipIf(tooOld !== '').each(['animal-store', 'animal-store-backup'])(
  `%s.service gives the program few rights${tooOld}`,
  (unit) => {
    // Tenths of the exposure, from 0 to 100, that systemd computes. Other versions of systemd weigh the settings differently.
    const limits = ['--offline=true', '--threshold=15', '--no-pager'];
    const path = join(deploy, `${unit}.service`);
    expect(analyze('security', ...limits, path)).toEqual({ exitCode: 0, stderr: '' });
  },
);

function analyzerVersion(): number {
  const { stdout } = Bun.spawnSync(['systemd-analyze', '--version']);
  return Number(/^systemd (\d+)/.exec(stdout.toString())?.[1]);
}

function analyze(...args: string[]): { exitCode: number; stderr: string } {
  const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', ...args]);
  return { exitCode, stderr: stderr.toString() };
}

/** Data, a folder of backups, and the command that systemd runs for the backup unit. */
async function prepareMachine() {
  const folder = makeTemporaryFolder();
  const backups = join(folder.path, 'backups');
  const env = { DATABASE_URL: `sqlite:${folder.path}/animals.db` };
  mkdirSync(backups);
  const command = (...args: string[]) => runProgram(args, env);
  await makeDataFile(join(folder.path, 'animals.db'), 10);
  const unit = readFileSync(join(deploy, 'animal-store-backup.service'), 'utf8');
  return {
    folder: backups,
    command,
    backups: () => readdirSync(backups).sort(),
    /** Runs ExecStart as systemd does, without a shell. Returns the exit code. */
    run(more: Record<string, string> = {}): number | null {
      const variables: Record<string, string> = { BACKUPS_KEPT: '14', ...env, ...more };
      const [path, ...args] = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '').split(' ');
      expect([path, unit.includes('ExecStartPost')]).toEqual([installedProgram, false]);
      const given = args.map((arg) =>
        arg
          .replaceAll(installedBackups, backups)
          .replaceAll(/\$\{(\w+)\}/g, (_, name) => variables[name] ?? ''),
      );
      return Bun.spawnSync([...program, ...given], {
        cwd: '/',
        env: { PATH: process.env.PATH, ...variables },
        stdout: 'ignore',
        stderr: 'ignore',
      }).exitCode;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
