import '../../support/memory-disk.ts';
import { Database as Connection } from 'bun:sqlite';
import { background } from '../../../src/context/context.ts';
import { type Scope, scopes } from '../../../src/domain/access/api-key.ts';
import { linkMilliseconds } from '../../../src/domain/access/console-session.ts';
import { newApiKey } from '../../../src/http/access/new-api-key.ts';
import { newConsoleToken } from '../../../src/http/console/token.ts';
import { openSqliteDatabase } from '../../../src/sqlite/database.ts';
import { createKey } from '../../support/new-key.ts';
import { okOf } from '../../support/outcome.ts';
import { runProgram, startServerProcess } from '../../support/server-process.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// Each worker of the browser tests runs in Node, and has one process of this file in Bun. It starts servers and changes their data.
// It ends, with all that it started, when its worker ends.

await using stack = new AsyncDisposableStack();

const pathOf = (databaseUrl: string) => databaseUrl.replace('sqlite:', '');

const openDatabase = (databaseUrl: string) =>
  openSqliteDatabase({ path: pathOf(databaseUrl), asServer: false, now: Date.now });

const actions = {
  /** Starts a server, with new data unless a database is given. */
  async startServer(args: readonly string[], databaseUrl?: string) {
    const url = databaseUrl ?? `sqlite:${stack.use(makeTemporaryFolder()).path}/test.db`;
    const server = stack.use(await startServerProcess(url, { args }));
    return { origin: server.origin, firstKey: server.firstKey, pid: server.pid, databaseUrl: url };
  },

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
