import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { tryAnimals, tryConsole, tryPages, tryPreact } from './support/try-service.ts';

// Builds and installs packages, so that only `npm run test:packages` and .ci/run run it.

const root = join(import.meta.dir, '..');
const { version } = packageJson;
const work = makeTemporaryFolder();
const checkout = join(work.path, 'checkout');
const tarball = `animal-store-${version}.tgz`;
const made = [
  ...['dist/animal-store', 'dist/animal-store.cdx.json'],
  ...[tarball, `animal-store-client-${version}.tgz`],
];

/** Runs a command to its end, and returns what it printed. */
function run(command: string, folder: string): string {
  const env = {
    ...process.env,
    NODE_ENV: undefined,
    npm_config_prefer_offline: 'true',
    // With the compiler for the client, which is not installed in the copy.
    PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
  };
  const { success, stdout, stderr } = Bun.spawnSync(['sh', '-c', command], { cwd: folder, env });
  if (!success) throw new Error(`${command} failed: ${stderr}${stdout}`);
  return stdout.toString();
}

/** Makes the executable and both packages, and returns the digest of each. */
function makeAll(folder: string): string {
  run('npm run build && npm pack --workspaces --include-workspace-root', folder);
  return run(`sha256sum ${made.join(' ')}`, folder);
}

// A copy of the checkout with the packages for users alone, as the build of the Containerfile has them.
beforeAll(() => {
  const files = run('git ls-files --cached --others --exclude-standard', root);
  for (const file of files.trimEnd().split('\n')) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(checkout, file));
  }
  run('npm ci --omit=dev', checkout);
}, 60_000);
afterAll(() => work[Symbol.dispose]());

test('builds in two folders make the same executable, SBOM and packages, to the byte', () => {
  const first = makeAll(checkout);
  for (const file of made) {
    const isWithFolder = readFileSync(join(checkout, file)).includes(work.path);
    expect([file, isWithFolder]).toEqual([file, false]);
    rmSync(join(checkout, file));
  }
  // Of an earlier version.
  writeFileSync(join(checkout, 'client/dist/removed.js'), '');
  const other = join(work.path, 'a-folder/with-a-longer-name');
  mkdirSync(join(other, '..'));
  renameSync(checkout, other);
  const second = makeAll(other);
  renameSync(other, checkout);
  expect(second).toBe(first);
});

test('the SBOM names this version, and each package for users with its version', () => {
  const sbom = JSON.parse(readFileSync(join(checkout, 'dist/animal-store.cdx.json'), 'utf8'));
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
  expect(sbom.metadata.component).toMatchObject({ name: 'animal-store', version });
  expect(sbom.metadata.timestamp).toBeUndefined();
  const licences = readFileSync(join(root, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  const [table = ''] = licences.split(/^=+$/m, 1);
  const licensed = [...table.matchAll(/^(\S+) +(\S+) +\S+$/gm)];
  const platform = /^@oven\/bun-/;
  const listed = sbom.components
    .map((one: { name: string; version: string }) => `${one.name} ${one.version}`)
    .filter((name: string) => !platform.test(name));
  expect(listed.toSorted()).toEqual(
    [
      `animal-store-client ${version}`,
      `animal-store-console ${version}`,
      ...licensed.map(([, ...words]) => words.join(' ')),
    ].sort(),
  );
});

const isRoot = process.getuid?.() === 0;

test.each([
  {
    way: 'npm install and npx',
    install: 'npm init -y && npm install ./PACKAGE',
    program: 'npx animal-store',
    through: [],
  },
  {
    way: 'npx alone, as a plain user and without install scripts',
    install: 'npm config set --location=user ignore-scripts=true',
    program: 'npx --yes ./PACKAGE',
    through: isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [],
  },
])(
  'the package runs in an empty folder with $way, and finds its data again',
  async ({ install, program, through }) => {
    using folder = makeTemporaryFolder();
    cpSync(join(checkout, tarball), join(folder.path, tarball));
    if (through.length > 0) run('chown -R 65534 .', folder.path);
    const shell = (command: string) => [
      ...through,
      'sh',
      '-c',
      `cd "${folder.path}" && ${command.replace('PACKAGE', tarball)}`,
    ];
    const env: Record<string, string> = { HOME: folder.path, npm_config_prefer_offline: 'true' };
    // Another user cannot read the packages that npm keeps for this one.
    if (through.length === 0) env.npm_config_cache = run('npm config get cache', '/').trimEnd();
    const serve = async () => {
      // startServerProcess adds arguments, which `sh` ignores: the service uses its default for the database.
      const command = shell(`exec ${program} serve --port 0`);
      const started = await startServerProcess('', { program: command, env });
      const { origin, firstKey, output, ended } = started;
      const pid = Number(/"pid":(\d+)/.exec(output().stdout)?.[1]);
      const stop = async () => {
        // npx passes a signal to its shell, which passes it to no other process.
        process.kill(pid, 'SIGTERM');
        await ended;
      };
      return { origin, firstKey, [Symbol.asyncDispose]: stop };
    };
    const runInFolder = (command: string) => runProgram([], env, '/', shell(command));

    expect(await runInFolder(install)).toMatchObject({ exitCode: 0 });
    let firstKey: string | undefined;
    {
      await using server = await serve();
      firstKey = server.firstKey;
      await tryAnimals(server.origin, firstKey, 'Rex');
      await tryPages(server.origin);
      await tryPreact(server.origin);
      await tryConsole(server.origin, firstKey, 'Rex');
    }
    expect(existsSync(join(folder.path, 'data/animal-store.db'))).toBe(true);
    await using server = await serve();
    expect(server.firstKey).toBeUndefined();
    await tryAnimals(server.origin, firstKey, 'Ada');
    // It uses the client.
    const args = `--server ${server.origin} --forward-to http://localhost/ --after 99`;
    const listened = await runInFolder(
      `ANIMAL_STORE_API_KEY=${firstKey} ${program} listen ${args}`,
    );
    expect(listened.stderr).toContain('Not all events after position 99 are in the feed');
    const { stdout } = await runInFolder(`${program} licenses`);
    expect(stdout).toContain('Software of others that comes with the Animal Store Service');
  },
);
