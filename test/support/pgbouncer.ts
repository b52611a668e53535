import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';
import { owner, type PostgresServer } from './postgres-server.ts';
import { endProxy, isMissing, spawnProxy, waitUntilListening } from './proxy-process.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** PgBouncer 1.21 or later, which Debian 12 does not have: `newer-pgbouncer.sh` sets this to its command. */
const newerCommand = process.env.ANIMAL_STORE_TEST_PGBOUNCER?.split(' ');

/** The reason why PgBouncer cannot run on this machine, or undefined if it can. */
export function pgbouncerIsMissing(): string | undefined {
  return isMissing('pgbouncer', 'pgbouncer');
}

/** The same for a version that keeps prepared statements in transaction mode. */
export function newerPgbouncerIsMissing(): string | undefined {
  return newerCommand === undefined
    ? 'ANIMAL_STORE_TEST_PGBOUNCER does not name PgBouncer 1.21 or later (test/support/newer-pgbouncer.sh)'
    : undefined;
}

export interface Pgbouncer extends AsyncDisposable {
  /** The address without the name of a database. */
  readonly url: string;
  readonly port: number;
  /** Ends it as a crash does, and starts it again. */
  crash(): Promise<void>;
}

/** Starts PgBouncer before a server, with the settings of its documentation and these lines. */
export async function startPgbouncer(
  { port: serverPort }: Pick<PostgresServer, 'port'>,
  mode: 'session' | 'transaction' | 'statement',
  { lines = [], isNewer = false }: { readonly lines?: readonly string[]; isNewer?: boolean } = {},
): Promise<Pgbouncer> {
  const folder = makeTemporaryFolder();
  const port = findFreePort();
  const users = join(folder.path, 'users.txt');
  const configuration = join(folder.path, 'pgbouncer.ini');
  writeFileSync(users, '"postgres" "postgres"\n');
  writeFileSync(
    configuration,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${serverPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${users}`,
      `pool_mode = ${mode}`,
      'max_client_conn = 500',
      ...lines,
    ].join('\n'),
  );
  // It does not run as root.
  const { uid, gid } = owner();
  if (uid !== undefined && gid !== undefined) {
    for (const path of [folder.path, users, configuration]) chownSync(path, uid, gid);
  }
  const command = (isNewer ? newerCommand : undefined) ?? ['pgbouncer'];
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];

  async function start() {
    const started = spawnProxy([...command, ...user, configuration]);
    await waitUntilListening(started, port);
    return started;
  }

  let child = await start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}`,
    port,
    async crash() {
      await endProxy(child, 'SIGKILL');
      child = await start();
    },
    async [Symbol.asyncDispose]() {
      await endProxy(child, 'SIGKILL');
      folder[Symbol.dispose]();
    },
  };
}
