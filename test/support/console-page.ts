import type { Page } from 'playwright-core';
import { background } from '../../src/context/context.ts';
import { linkMilliseconds } from '../../src/domain/access/console-session.ts';
import { defaultWorkspaceName } from '../../src/domain/access/workspace.ts';
import { newConsoleToken } from '../../src/http/console/token.ts';
import { openSqliteDatabase } from '../../src/sqlite/database.ts';
import { type BrowserPage, openBrowserPage } from './browser.ts';
import { runProgram, type ServerProcess, startServerProcess } from './server-process.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export interface ConsolePage extends BrowserPage {
  readonly server: ServerProcess;
  readonly databaseUrl: string;
  /** A link that signs in once, as `animal-store console` prints it. */
  newLink(): Promise<string>;
  /** Calls the service as a program does, with the first key. */
  call(method: string, path: string, body?: unknown): Promise<Response>;
}

interface ConsoleOptions {
  readonly browser?: Parameters<typeof openBrowserPage>[0];
  /** Options of `demo`, for the animals of the beginning. */
  readonly demo?: readonly string[];
  /** Options of `serve`. */
  readonly serve?: readonly string[];
}

/** The console of a new server, with its owner signed in. */
export async function openConsolePage(options: ConsoleOptions = {}): Promise<ConsolePage> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(makeTemporaryFolder());
  const databaseUrl = `sqlite:${folder.path}/test.db`;
  const server = stack.use(await startServerProcess(databaseUrl, { args: options.serve ?? [] }));
  if (options.demo !== undefined) {
    await runChecked(['demo', '--database', databaseUrl, ...options.demo]);
  }
  const browser = stack.use(await openBrowserPage(options.browser));
  const { port } = new URL(server.origin);
  const newLink = () => runChecked(['console', '--database', databaseUrl, '--port', port]);
  await browser.page.goto(`${server.origin}/console#link=${await addLink(databaseUrl)}`);
  await browser.page.getByRole('button', { name: 'Sign out' }).waitFor();
  const owned = stack.move();
  return {
    ...browser,
    server,
    databaseUrl,
    newLink,
    call: (method, path, body) =>
      fetch(`${server.origin}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${server.firstKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Adds the secret of a link in this process, because a run of the program for each page would take 0.1 s of CPU. */
async function addLink(databaseUrl: string): Promise<string> {
  const path = databaseUrl.replace('sqlite:', '');
  await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  const { text, digest } = newConsoleToken();
  const now = Date.now();
  await database.write(background, 'createConsoleLink', {
    ...{ digest, workspaceName: defaultWorkspaceName },
    ...{ now, expiresAt: now + linkMilliseconds },
  });
  return text;
}

async function runChecked(args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runProgram([...args]);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** The table row with this text. */
export function rowOf(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

/** Adds an animal as a user does. */
export async function addAnimal(page: Page, name: string, category: string): Promise<void> {
  await page.getByRole('button', { name: 'Add an animal' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  const kind = dialog.getByLabel('Category', { exact: true });
  if (/^-?\d+$/.test(category)) {
    await kind.selectOption('number');
    await dialog.getByLabel('Number of the category').fill(category);
  } else {
    await kind.selectOption('new');
    await dialog.getByLabel('Name of the new category').fill(category);
  }
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
