import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program, runProgram } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const deploy = join(import.meta.dir, '../docs/deploy');
const installedProgram = '/usr/local/bin/animal-store';

test('the backup unit adds a backup that can be restored, and keeps as many of the latest as it is told', async () => {
  using machine = await prepareMachine();
  const older = ['2026-01-01T00-00-00Z.db', '2026-01-02T00-00-00Z.db', '2026-01-03T00-00-00Z.db'];
  for (const name of older.flatMap((backup) => [backup, `${backup}.json`])) machine.put(name);
  machine.put('2026-01-04T00-00-00Z.db.partial');
  expect(machine.run('ExecStart')).toBe(0);
  expect(machine.run('ExecStartPost', { BACKUPS_KEPT: '2' })).toBe(0);

  const taken = machine
    .backups()
    .find((name) => !name.startsWith('2026-01') && name.endsWith('db'));
  expect(taken).toMatch(/^20\d\d-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/);
  const kept = [older.at(-1), taken].flatMap((name) => [name, `${name}.json`]);
  expect(machine.backups()).toEqual(kept.map(String).sort());
  const restored = await machine.restore(taken ?? '');
  expect(restored.stdout).toStartWith('Restored 10 animals ');
});

test('the backup unit fails where there is no data, so that systemd does not go on to remove older backups', async () => {
  using machine = await prepareMachine();
  expect(machine.run('ExecStart', { DATABASE_URL: 'sqlite:/nowhere/animals.db' })).toBe(1);
  expect(machine.backups()).toEqual([]);
});

const missing = Bun.which('systemd-analyze') === null ? ', left out: no systemd-analyze' : '';

test.skipIf(missing !== '')(`systemd understands every unit${missing}`, () => {
  using folder = makeTemporaryFolder();
  const paths = [...new Bun.Glob('*.{service,timer}').scanSync(deploy)].map((name) => {
    const path = join(folder.path, name);
    // It looks for the program, too.
    const text = readFileSync(join(deploy, name), 'utf8');
    writeFileSync(path, text.replaceAll(installedProgram, '/bin/sh'));
    return path;
  });
  expect(paths).toHaveLength(3);
  const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', ...paths]);
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' });
});

/** Some data, a folder of backups, and what systemd would run of the backup unit there. */
async function prepareMachine() {
  const folder = makeTemporaryFolder();
  const backups = join(folder.path, 'backups');
  const env = { DATABASE_URL: `sqlite:${folder.path}/animals.db` };
  const installed = join(folder.path, 'animal-store');
  mkdirSync(backups);
  writeFileSync(installed, `#!/bin/sh\nexec ${program.join(' ')} "$@"\n`, { mode: 0o755 });
  await runProgram(['demo', '--animals', '10'], env);
  const unit = readFileSync(join(deploy, 'animal-store-backup.service'), 'utf8');
  return {
    put: (name: string) => writeFileSync(join(backups, name), ''),
    backups: () => readdirSync(backups).sort(),
    /** Returns the exit code. */
    run(name: 'ExecStart' | 'ExecStartPost', more: Record<string, string> = {}): number | null {
      const script = new RegExp(`^${name}=/bin/sh -c '(.*)'$`, 'm').exec(unit)?.[1] ?? 'exit 99';
      const text = script
        .replaceAll('$$', () => '$')
        .replaceAll('%%', '%')
        .replaceAll(installedProgram, installed);
      return Bun.spawnSync(['/bin/sh', '-c', text], {
        cwd: backups,
        env: { PATH: process.env.PATH, ...env, ...more },
        stdout: 'ignore',
        stderr: 'ignore',
      }).exitCode;
    },
    restore: (name: string) => runProgram(['restore', join(backups, name)], env),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
