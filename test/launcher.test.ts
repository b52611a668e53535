import { expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../package.json';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const launcher = join(import.meta.dir, '../bin/animal-store');

test('bin/animal-store runs no program and reads no setting from its working folder', () => {
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
  // Their PORT would add a line.
  expect(run('serve', '--host', 'a b').stderr).toBe(
    'animal-store: --host must be a host name or address, got "a b"\n',
  );
});

test('bin/animal-store finds Bun if the package manager ran no install scripts, or keeps each package apart', () => {
  using folder = makeTemporaryFolder();
  const put = (path: string, script: string) => {
    mkdirSync(join(folder.path, path, '..'), { recursive: true });
    writeFileSync(join(folder.path, path), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  };
  put('node_modules/.bin/bun', 'exit 1');
  put('apart/@oven/bun-linux-x64/bin/bun', 'exit 127');
  put('apart/@oven/bun-linux-x64-musl/bin/bun', 'echo "$0 $3"');
  mkdirSync(join(folder.path, 'apart/bun'));
  symlinkSync('../apart/bun', join(folder.path, 'node_modules/bun'));
  cpSync(launcher, join(folder.path, 'node_modules/animal-store/bin/animal-store'));
  const { stdout } = Bun.spawnSync([
    join(folder.path, 'node_modules/animal-store/bin/animal-store'),
  ]);
  const [program, main] = stdout.toString().trimEnd().split(' ');
  expect(program).toEndWith('/apart/@oven/bun-linux-x64-musl/bin/bun');
  expect(main).toEndWith('/node_modules/animal-store/src/main.ts');
});

test('a signal to npm start stops the server and frees its port and its data', async () => {
  using folder = makeTemporaryFolder();
  const database = `sqlite:${join(folder.path, 'test.db')}`;
  const start = () =>
    Bun.spawn(['npm', 'start', '--', '--port', '0', '--database', database], {
      cwd: join(import.meta.dir, '..'),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    });
  const npm = start();
  const origin = await findOrigin(npm.stdout);
  npm.kill('SIGTERM');
  await npm.exited;
  await expect(fetch(`${origin}/livez`)).rejects.toThrow();
  const next = start();
  expect(await findOrigin(next.stdout)).toStartWith('http://127.0.0.1:');
  next.kill('SIGTERM');
  await next.exited;
});

async function findOrigin(stdout: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = '';
  for await (const chunk of stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const origin = /"url":"(http:\/\/[^"]+)\/v1"/.exec(text)?.[1];
    if (origin !== undefined) return origin;
  }
  throw new Error(`The server did not start: ${text}`);
}
