import { expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type BrowserPage, openBrowserPage } from './support/browser.ts';
import { rowOf } from './support/console-page.ts';
import { runProgram, type ServerProcess, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

setDefaultTimeout(120_000);

const root = join(import.meta.dir, '..');
const scripts = /\/console\/scripts\//;
const pages = /\/console(?:\/w\/[^/]+\/?)?$/;

/** What the program reads. */
const copied = [
  ...['src', 'console', 'client', 'package.json', 'openapi.yaml', 'openapi-3.0.yaml'],
  ...['LICENSE', 'THIRD-PARTY-LICENSES.txt'],
];

/** The sources with another console, as of an earlier version. */
function copyOtherVersion(folder: string): string {
  for (const path of copied) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const main = join(folder, 'console/src/main.tsx');
  writeFileSync(main, `${readFileSync(main, 'utf8')}document.body.dataset.version = 'old';\n`);
  return join(folder, 'src/main.ts');
}

interface UpgradedShop extends BrowserPage {
  /** Makes another key of the same workspace. */
  createKey(): Promise<string>;
  /** Ends the server of the old version, and starts one of the new version at its address. */
  upgrade(): Promise<void>;
}

/** A page of the old version, which has loaded its first screen and nothing more. */
async function openOldPage(): Promise<UpgradedShop> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(makeTemporaryFolder());
  const databaseUrl = `sqlite:${folder.path}/test.db`;
  const oldProgram = [process.execPath, copyOtherVersion(join(folder.path, 'old'))];
  let server: ServerProcess = await startServerProcess(databaseUrl, { program: oldProgram });
  stack.defer(() => server[Symbol.asyncDispose]());
  const { origin, firstKey: apiKey } = server;
  for (const name of ['Rex', 'Ada', 'Zoë']) await createAnimal(origin, apiKey, name);
  const browser = stack.use(await openBrowserPage());
  const { page, context } = browser;
  await context.route(scripts, (route) =>
    route.request().url().endsWith('/app.js') ? route.continue() : route.abort(),
  );
  await page.goto(`${origin}/console`);
  await signIn(page, apiKey);
  await rowOf(page, 'Rex').waitFor();
  expect(await versionOf(page)).toBe('old');
  await context.unroute(scripts);
  const owned = stack.move();
  return {
    ...browser,
    async createKey() {
      const args = ['keys', 'create', '--name', 'other', '--json', '--database', databaseUrl];
      return JSON.parse((await runProgram(args)).stdout).apiKey;
    },
    async upgrade() {
      await server[Symbol.asyncDispose]();
      server = await startServerProcess(databaseUrl, { args: ['--port', new URL(origin).port] });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function createAnimal(origin: string, apiKey: string | undefined, name: string) {
  const created = await fetch(`${origin}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 7 }),
  });
  expect(created.status).toBe(201);
}

async function signIn(page: Page, apiKey: string | undefined): Promise<void> {
  await page.getByLabel('API key').fill(apiKey ?? '');
  await page.getByLabel('API key').press('Enter');
}

const versionOf = (page: Page) =>
  page.evaluate<string | undefined>('document.body.dataset.version');

const reloaded = 'The page was loaded again, because the server was upgraded';

test('after an upgrade, a page that lacks a script loads itself again, and keeps a half-filled form, the selection and the search', async () => {
  await using shop = await openOldPage();
  const { page, context } = shop;
  await page.getByRole('searchbox').fill('e');
  await rowOf(page, 'Ada').waitFor({ state: 'detached' });
  await rowOf(page, 'Rex').getByRole('checkbox').check();
  await shop.upgrade();
  const filled = Promise.withResolvers<void>();
  let tries = 0;
  await context.route('**/export.js', async (route) => {
    tries += 1;
    if (tries > 1) await filled.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'Add an animal' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Lun');
  await dialog.getByLabel('Category', { exact: true }).selectOption('number');
  await dialog.getByLabel('Number of the category').fill('9');
  filled.resolve();
  await page.getByText(reloaded).waitFor();
  expect(await versionOf(page)).toBeUndefined();
  const name = dialog.getByLabel('Name', { exact: true });
  expect(await name.inputValue()).toBe('Lun');
  await name.pressSequentially('a');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('1 animal selected').first().waitFor();
  expect(await rowOf(page, 'Rex').getByRole('checkbox').isChecked()).toBe(true);
  expect(await page.getByRole('searchbox').inputValue()).toBe('e');
  // The next reload is by the user, and keeps nothing.
  await page.reload();
  await rowOf(page, 'Rex').waitFor();
  expect(await rowOf(page, 'Rex').getByRole('checkbox').isChecked()).toBe(false);
});

test('what a page keeps while it loads itself again is not shown to another key', async () => {
  await using shop = await openOldPage();
  const { page, context } = shop;
  await rowOf(page, 'Rex').getByRole('checkbox').check();
  await shop.upgrade();
  const other = await shop.createKey();
  // The session ends while the page is loaded again.
  await context.route('**/app.js', async (route) => {
    await context.clearCookies();
    await route.continue();
  });
  await page.getByRole('button', { name: 'Export' }).click();
  await signIn(page, other);
  await rowOf(page, 'Rex').waitFor();
  expect(await versionOf(page)).toBeUndefined();
  expect(await rowOf(page, 'Rex').getByRole('checkbox').isChecked()).toBe(false);
  expect(await page.evaluate('history.state')).toBeNull();
});

test('a screen that cannot be loaded says so while the server is away, and is shown at the next try', async () => {
  await using shop = await openOldPage();
  const { page, context } = shop;
  await context.route(scripts, (route) => route.abort());
  await context.route(pages, (route) => route.abort());
  await page.getByRole('link', { name: 'Orders' }).click();
  await page.getByText('This screen is not available').waitFor();
  expect(await versionOf(page)).toBe('old');
  await context.unroute(pages);
  await context.unroute(scripts);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No orders').first().waitFor();
  expect(await versionOf(page)).toBe('old');
});

test('a page whose first script is missing loads itself again', async () => {
  await using shop = await openOldPage();
  const { page, context } = shop;
  let tries = 0;
  await context.route('**/app.js', (route) => {
    tries += 1;
    return tries === 1 ? route.fulfill({ status: 404 }) : route.continue();
  });
  await page.reload();
  await rowOf(page, 'Rex').waitFor();
  await context.unroute('**/app.js');
  await context.route('**/app.js', (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await page.getByText('The console could not be loaded. Load the page again.').waitFor();
});
