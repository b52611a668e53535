import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readPage } from './support/documents.ts';
import { program } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const deploy = join(import.meta.dir, '../docs/deploy');
const published = readFileSync(join(deploy, 'animal-store-admin'), 'utf8');

const isRoot = process.getuid?.() === 0;
const otherUid = 65534;
const asOther = ['setpriv', `--reuid=${otherUid}`, `--regid=${otherUid}`, '--clear-groups'];
const runs = (...command: string[]) => {
  try {
    return Bun.spawnSync(command).exitCode === 0;
  } catch {
    return false;
  }
};

/** Another user can only run the program if it may read the folder of this clone. */
const hasOtherUser = isRoot && runs(...asOther, ...program, '--version');
const nameOf = (uid: number) =>
  Bun.spawnSync(['id', '-un', `${uid}`])
    .stdout.toString()
    .trim();
const user = hasOtherUser ? nameOf(otherUid) : 'root';
const asRoot = isRoot ? [] : ['unshare', '--user', '--map-root-user'];
const mayBeRoot = runs(...asRoot, 'true');
/** Root of a user namespace cannot. */
const mayChangeUser = runs(...asRoot, 'runuser', '-u', user, '--', 'true');

const quoteWord = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/** A machine with the paths of the documentation in a folder of its own. */
function prepareMachine(settings?: string, installed: readonly string[] = program) {
  const folder = makeTemporaryFolder();
  const at = (name: string) => join(folder.path, name);
  chmodSync(folder.path, 0o755);
  mkdirSync(at('data'), { mode: 0o700 });
  if (hasOtherUser) chownSync(at('data'), otherUid, otherUid);
  if (settings !== undefined) writeFileSync(at('env'), settings, { mode: 0o600 });
  const exec = `#!/bin/sh\nexec ${installed.map(quoteWord).join(' ')} "$@"\n`;
  writeFileSync(at('animal-store'), exec, { mode: 0o755 });
  const script = published
    .replaceAll('/var/lib/animal-store', at('data'))
    .replaceAll('/etc/animal-store.env', at('env'))
    .replaceAll('/usr/local/bin/animal-store', at('animal-store'))
    .replaceAll('runuser -u animal-store -- ', mayChangeUser ? `runuser -u ${user} -- ` : '');
  writeFileSync(at('admin'), script, { mode: 0o755 });
  return {
    data: at('data'),
    settingsPath: at('env'),
    run(args: readonly string[], env = {}, through: readonly string[] = asRoot) {
      const command = [...through, at('admin'), ...args];
      const ran = Bun.spawnSync(command, { cwd: '/', env: { PATH: process.env.PATH, ...env } });
      return {
        exitCode: ran.exitCode,
        stdout: ran.stdout.toString(),
        stderr: ran.stderr.toString(),
      };
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe.skipIf(!mayBeRoot)('animal-store-admin', () => {
  test('runs a command with the data and the settings of the service, and arguments as they are', () => {
    using machine = prepareMachine('ANIMAL_STORE_BASE_URL=https://animals.example/v1\n');
    const name = `front desk's "$HOME" \\ *`;
    expect(machine.run(['keys', 'create', '--name', name])).toMatchObject({ exitCode: 0 });
    const { stdout } = machine.run(['keys', 'list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ name }]);
    const { uid, mode } = statSync(join(machine.data, 'animal-store.db'));
    expect([uid, mode & 0o777]).toEqual([
      hasOtherUser ? otherUid : (process.getuid?.() ?? -1),
      0o600,
    ]);
    expect(machine.run(['backup', 'before.db'])).toMatchObject({ exitCode: 0 });
    expect(statSync(join(machine.data, 'before.db')).isFile()).toBe(true);
    expect(machine.run(['keys', 'revoke', '99'])).toMatchObject({ exitCode: 1 });
    expect(machine.run(['keys', 'unknown'])).toMatchObject({ exitCode: 2 });
  });

  test('reads the settings as systemd does, and runs nothing that is in them', () => {
    const settings = [
      '# a comment',
      '; another',
      '',
      'PLAIN=https://shop.example/v1?a=b&c=$(touch ran)',
      '  SPACES = no name',
      'WORDS=two words  \r',
      "SINGLE='$HOME `touch ran` \\ \" &'",
      'DOUBLE="a \'b\' c"',
      "MIDDLE=it's",
      'EMPTY=',
      'DATABASE_URL=sqlite:other.db',
      'LAST=without a line end',
    ];
    using machine = prepareMachine(settings.filter((line) => !line.includes('SPACES')).join('\n'), [
      'env',
    ]);
    const { stdout, stderr } = machine.run(['pwd']);
    expect([stdout, stderr]).toEqual([`${machine.data}\n`, '']);
    const lines = machine.run([]).stdout.split('\n');
    for (const line of [
      'PLAIN=https://shop.example/v1?a=b&c=$(touch ran)',
      'WORDS=two words',
      'SINGLE=$HOME `touch ran` \\ " &',
      "DOUBLE=a 'b' c",
      "MIDDLE=it's",
      'EMPTY=',
      'DATABASE_URL=sqlite:other.db',
      'LAST=without a line end',
    ]) {
      expect(lines).toContain(line);
    }
    expect(runs('test', '-e', join(machine.data, 'ran'))).toBe(false);
  });

  test.each([
    ['A=1\nnothing', 'line 2 of $ is not NAME=VALUE'],
    ['A B=1', 'line 1 of $ has no valid name before ='],
    ['A=a\\b', 'line 1 of $ has a backslash: put the value in single quotes'],
    ["A='a", 'line 1 of $ does not end its quotes'],
    [`A='a'b'c'`, 'line 1 of $ has quotes inside of quotes'],
  ])('refuses settings that it cannot read like systemd: %j', (settings, reason) => {
    using machine = prepareMachine(settings, ['env']);
    const line = reason.replace('$', machine.settingsPath);
    expect(machine.run([])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `animal-store-admin: ${line}\n`,
    });
  });

  test('works without a file of settings, but not without the folder of the service', () => {
    using machine = prepareMachine(undefined, ['env']);
    const { stdout } = machine.run([]);
    expect(stdout).toContain(`DATABASE_URL=sqlite:${machine.data}/animal-store.db\n`);
    rmdirSync(machine.data);
    const { exitCode, stderr } = machine.run([]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`the folder ${machine.data} of the service is missing`),
    ]);
  });

  test('is refused to other users than root, in one line', () => {
    using machine = prepareMachine();
    expect(machine.run(['keys', 'list'], {}, isRoot ? asOther : [])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'animal-store-admin: only root can use it: sudo animal-store-admin COMMAND\n',
    });
  });

  const withLogin = ['sh', '-c', 'echo 1 > /proc/self/loginuid && exec "$@"', 'sh'];

  test.skipIf(!isRoot || !runs(...withLogin, 'true'))(
    'leaves the administrator in the audit trail',
    () => {
      using machine = prepareMachine();
      const create = ['keys', 'create', '--name', 'first'];
      machine.run(create, { SUDO_UID: '2' });
      machine.run(create, { SUDO_UID: '2' }, withLogin);
      const actors = JSON.parse(machine.run(['audit', '--json']).stdout) as { actor: string }[];
      const nameOf = (uid: number) =>
        Bun.spawnSync(['id', '-un', `${uid}`])
          .stdout.toString()
          .trim();
      const service = hasOtherUser ? `uid ${otherUid} "${user}"` : 'uid 0 "root"';
      expect(actors.map(({ actor }) => actor)).toEqual([
        `${service}, login uid 1 "${nameOf(1)}", on ${hostname()}`,
        `${service}, sudo uid 2 "${nameOf(2)}", on ${hostname()}`,
      ]);
    },
  );
});

test('animal-store-admin has the data, folder, user and settings of the units', () => {
  for (const name of ['animal-store', 'animal-store-backup']) {
    const unit = readFileSync(join(deploy, `${name}.service`), 'utf8');
    const settingOf = (key: string) => new RegExp(`^${key}=-?(.*)$`, 'm').exec(unit)?.[1];
    for (const line of [
      `export ${settingOf('Environment')}\n`,
      `folder=${settingOf('WorkingDirectory')}\n`,
      `settings=${settingOf('EnvironmentFile')}\n`,
      `runuser -u ${settingOf('User')} -- ${settingOf('ExecStart')?.split(' ')[0]} "$@"\n`,
    ]) {
      expect(published).toContain(line);
    }
  }
});

test('the commands of an installation under systemd are run by animal-store-admin', () => {
  const [, ofSystemd = ''] =
    /## As a systemd service\n(.*?)\n## Behind nginx/s.exec(readPage('docs/deploy/README.md')) ??
    [];
  expect(ofSystemd).toContain('\nanimal-store-admin keys create --name');
  expect(ofSystemd).toContain(
    '\ninstall -m 755 docs/deploy/animal-store-admin /usr/local/sbin/animal-store-admin\n',
  );
  expect(readPage('docs/deploy/README.md')).not.toContain('runuser');
});
