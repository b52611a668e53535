import '../../support/memory-disk.ts';
import { Database as Connection } from 'bun:sqlite';
import { appendFileSync, cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { background } from '../../../src/context/context.ts';
import { type Scope, scopes } from '../../../src/domain/access/api-key.ts';
import { linkMilliseconds } from '../../../src/domain/access/console-session.ts';
import { newApiKey } from '../../../src/http/access/new-api-key.ts';
import { bundleConsole } from '../../../src/http/console/bundle.ts';
import { newConsoleToken } from '../../../src/http/console/token.ts';
import { openSqliteDatabase } from '../../../src/sqlite/database.ts';
import { startFlakyProxy } from '../../support/flaky-proxy.ts';
import { findFreePort } from '../../support/free-port.ts';
import { createKey } from '../../support/new-key.ts';
import { okOf } from '../../support/outcome.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { pseudoLanguage } from '../../support/pseudo-language.ts';
import { publishedNginxIsMissing, startPublishedNginx } from '../../support/published-nginx.ts';
import {
  runProgram,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// Each worker of the browser tests runs in Node, and has one process of this file in Bun. It starts servers and changes their data.
// It ends, with all that it started, when its worker ends.

await using stack = new AsyncDisposableStack();

const servers = new Map<number, ServerProcess>();
const proxies = new Map<string, { readonly cutCount: number }>();

const pathOf = (databaseUrl: string) => databaseUrl.replace('sqlite:', '');

const openDatabase = (databaseUrl: string) =>
  openSqliteDatabase({ path: pathOf(databaseUrl), asServer: false, now: Date.now });

const actions = {
  /** Starts a server, with new data unless a database is given. */
  async startServer(args: readonly string[], databaseUrl?: string, version?: 'old') {
    const url = databaseUrl ?? `sqlite:${stack.use(makeTemporaryFolder()).path}/test.db`;
    const command = version === undefined ? {} : { program: oldProgram() };
    const server = stack.use(await startServerProcess(url, { args, ...command }));
    servers.set(server.pid, server);
    const { origin, firstKey = '', pid } = server;
    return { origin, firstKey, pid, databaseUrl: url };
  },

  /** Kills a server, and waits until it has ended. */
  async killServer(pid: number) {
    await servers.get(pid)?.stop('SIGKILL');
  },

  findFreePort,

  /** A database of PostgreSQL for the servers of one test. */
  createPostgres: async () => stack.use(await createTestDatabase()).url,

  /** The reason why nginx cannot run here. */
  nginxIsMissing: () => publishedNginxIsMissing() ?? '',

  /** Starts nginx as docs/deploy.md describes it, before a server. Returns its port for TLS. */
  startNginx: async (port: number) => stack.use(await startPublishedNginx(port)).tlsPort,

  /** Starts a bad connection to a server, and returns its address. */
  async startProxy(target: string, delayMilliseconds: number) {
    const proxy = stack.use(await startFlakyProxy(target, { delayMilliseconds, cutEvery: 10 }));
    proxies.set(proxy.origin, proxy);
    return proxy.origin;
  },

  /** How many requests a bad connection has cut. */
  cutCount: (origin: string) => proxies.get(origin)?.cutCount ?? 0,

  async addWorkspace(databaseUrl: string, name: string) {
    await using database = await openDatabase(databaseUrl);
    okOf(await database.write(background, 'createWorkspace', { name, now: Date.now() }));
  },

  /** Adds `many-1` and so on. */
  async addWorkspaces(databaseUrl: string, count: number) {
    await using database = await openDatabase(databaseUrl);
    for (let index = 1; index <= count; index += 1) {
      const input = { name: `many-${index}`, now: index };
      okOf(await database.write(background, 'createWorkspace', input));
    }
  },

  /** Adds a key of a workspace. */
  async addKey(databaseUrl: string, workspaceName: string, name: string, given?: readonly Scope[]) {
    await using database = await openDatabase(databaseUrl);
    const { text, digest, lastFour } = newApiKey('production');
    const key = { name, digest, lastFour, scopes: given ?? scopes };
    const { id } = await createKey(database, key, { workspaceName });
    return { id: `${id}`, apiKey: text };
  },

  /** Adds a link to sign in with, and returns its secret. A run of the program would take 0.1 s. */
  async addLink(databaseUrl: string, workspaceName: string) {
    await using database = await openDatabase(databaseUrl);
    const { text, digest } = newConsoleToken();
    const now = Date.now();
    const expiresAt = now + linkMilliseconds;
    okOf(
      await database.write(background, 'createConsoleLink', {
        digest,
        workspaceName,
        now,
        expiresAt,
      }),
    );
    return text;
  },

  /** The scripts of the console in the pseudo-language, by their names. */
  async pseudoScripts() {
    const { files } = await bundleConsole(pseudoLanguage);
    const decoder = new TextDecoder();
    return Object.fromEntries([...files].map(([name, script]) => [name, decoder.decode(script)]));
  },

  /** Runs a command to its end, and returns what it printed. */
  async run(databaseUrl: string, args: readonly string[]) {
    const { exitCode, stdout, stderr } = await runProgram([...args, '--database', databaseUrl]);
    if (exitCode !== 0) throw new Error(stderr);
    return stdout.trim();
  },

  /** Runs a statement on the data of a server, and returns the rows. */
  query(databaseUrl: string, statement: string): unknown[] {
    using connection = new Connection(pathOf(databaseUrl));
    connection.run('PRAGMA busy_timeout = 5000');
    return connection.query(statement).all();
  },
};

const root = join(import.meta.dir, '../../..');

let oldCommand: readonly string[] | undefined;

/** The sources with another console, as of an earlier version. */
function oldProgram(): readonly string[] {
  if (oldCommand !== undefined) return oldCommand;
  const { path } = stack.use(makeTemporaryFolder());
  const copied = [
    ...['src', 'console', 'client', 'package.json', 'openapi.yaml', 'openapi-3.0.yaml'],
    ...['LICENSE', 'THIRD-PARTY-LICENSES.txt'],
  ];
  for (const name of copied) cpSync(join(root, name), join(path, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  appendFileSync(join(path, 'console/src/main.tsx'), "document.body.dataset.version = 'old';\n");
  oldCommand = [process.execPath, join(path, 'src/main.ts')];
  return oldCommand;
}

/** What a worker can ask for. Arguments and results are JSON. */
export type Actions = typeof actions;

interface Call {
  readonly id: number;
  readonly name: keyof Actions;
  readonly args: never;
}

process.on('message', async ({ id, name, args }: Call) => {
  try {
    const run: (...args: never) => unknown = actions[name];
    process.send?.({ id, result: await run(...args) });
  } catch (error) {
    process.send?.({ id, error: String(error) });
  }
});

await new Promise((resolve) => process.on('disconnect', resolve));
