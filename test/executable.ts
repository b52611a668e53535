import { expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startListen } from './support/listen-process.ts';
import { program, runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { tryAnimals, tryPages } from './support/try-service.ts';
import { startReceiver } from './support/webhook-receiver.ts';

// `npm run test:executable` runs this with the executable that it has built.

const [executable = ''] = program;
const canChangeRoot =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(['unshare', '--mount', 'true']).success;

/** The shared libraries of the executable, which a system without npm and Node.js has too. */
function sharedLibraries(): string[] {
  const text = Bun.spawnSync(['ldd', executable]).stdout.toString();
  return [...text.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
}

/** Runs a command in an empty folder and without variables. As root on Linux, it sees no other file than its libraries. */
function prepareEmptySystem(folder: string) {
  const target = join(folder, 'animal-store');
  copyFileSync(executable, target);
  if (!canChangeRoot) return { through: ['env', '-i', `--chdir=${folder}`], command: [target] };
  mkdirSync(join(folder, 'proc'));
  for (const library of sharedLibraries()) {
    mkdirSync(join(folder, dirname(library)), { recursive: true });
    copyFileSync(library, join(folder, library));
  }
  const script = 'mount -t proc proc "$0/proc" && exec env -i "$(command -v chroot)" "$0" "$@"';
  return {
    through: ['unshare', '--mount', 'sh', '-c', script, folder],
    command: ['/animal-store'],
  };
}

test('the executable runs where nothing else is installed, with its pages, commands and licences', async () => {
  using folder = makeTemporaryFolder();
  const { through, command } = prepareEmptySystem(folder.path);
  const run = (...args: string[]) => runProgram(args, {}, '/', [...through, ...command]);
  {
    const databaseUrl = 'sqlite:data/animal-store.db';
    await using server = await startServerProcess(databaseUrl, { through, program: command });
    await tryAnimals(server.origin, server.firstKey, 'Rex');
    await tryPages(server.origin);
    const created = await run('keys', 'create', '--name', 'shop', '--json');
    await tryAnimals(server.origin, JSON.parse(created.stdout).apiKey, 'Ada');
    expect(await run('backup', 'backup.db')).toMatchObject({ exitCode: 0 });
    expect(await server.stop('SIGTERM')).toBe(0);
  }
  expect(await run('verify')).toMatchObject({ exitCode: 0 });
  const { stdout } = await run('licenses');
  expect(stdout).toContain('Software of others that comes with the Animal Store Service');
  const made = ['backup.db', 'backup.db.json', 'data'];
  const before = canChangeRoot ? ['animal-store', 'lib', 'lib64', 'proc'] : ['animal-store'];
  expect(readdirSync(folder.path).sort()).toEqual([...before, ...made].sort());
});

test('listen of the executable posts signed events', async () => {
  using folder = makeTemporaryFolder();
  await using server = await startServerProcess(`sqlite:${folder.path}/shop.db`);
  using receiver = startReceiver();
  await using listening = await startListen(server, server.firstKey, receiver.url);
  receiver.setSecret(listening.secret);
  await tryAnimals(server.origin, server.firstKey, 'Rex');
  await listening.shown(/ 1 {2}pet\.created {2}.* 204 {2}/);
  expect(receiver.received[0]?.isSigned).toBe(true);
});
