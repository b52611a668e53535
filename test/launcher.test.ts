import { expect, test } from 'bun:test';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../package.json';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const launcher = join(import.meta.dir, '../bin/animal-store');

test('bin/animal-store runs nothing and takes no setting of the folder it is started in', () => {
  using folder = makeTemporaryFolder();
  const put = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  put('theirs.ts', 'await Bun.write("theirs-ran", "");');
  put('bunfig.toml', 'preload = ["./theirs.ts"]\n');
  put('.env', 'PORT=theirs\n');
  put('tsconfig.json', '{"compilerOptions":{"paths":{"commander":["./theirs.ts"]}}}');
  const link = join(folder.path, 'animal-store');
  symlinkSync(launcher, link);
  const run = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([link, ...args], {
      cwd: folder.path,
      env: { PATH: process.env.PATH },
    });
    return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
  };
  expect(run('--version')).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  expect(existsSync(join(folder.path, 'theirs-ran'))).toBe(false);
  // With their PORT, there would be a line more.
  expect(run('serve', '--host', 'a b').stderr).toBe(
    'animal-store: --host must be a host name or address, got "a b"\n',
  );
});
