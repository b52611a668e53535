import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { readPath, writePath } from '../console/src/workspace-path.ts';
import { findBarriers } from './support/barriers.ts';
import { type ConsolePage, openConsolePage, rowOf } from './support/console-page.ts';
import { runProgram } from './support/server-process.ts';

setDefaultTimeout(60_000);

describe('the path of the console', () => {
  test.each([
    ['/console', '/', undefined],
    ['/console/w/shop/', '/', 'shop'],
    ['/console/w/shop', '/', 'shop'],
    ['/console/w/', '/', undefined],
    ['/a/b/console/w/shop/', '/a/b/', 'shop'],
    ['/console/w/console/', '/', 'console'],
    ['/console/console', '/console/', undefined],
    ['/console/w/%20x/', '/', '%20x'],
  ])('%s names the workspace, after any prefix', (path, root, workspace) => {
    expect(readPath(path)).toEqual({ root, workspace });
    if (path.endsWith('/') && workspace !== undefined) {
      expect(writePath(root, workspace)).toBe(path);
    }
  });
});

/** A shop with two workspaces more. */
async function openShop(): Promise<ConsolePage> {
  const shop = await openConsolePage();
  for (const name of ['annex', 'barn']) await changeWorkspace(shop, 'create', name);
  await shop.page.reload();
  return shop;
}

function changeWorkspace({ databaseUrl }: ConsolePage, ...command: string[]) {
  return runProgram(['workspaces', ...command, '--database', databaseUrl]);
}

async function openTab(shop: ConsolePage, path: string): Promise<Page> {
  const tab = await shop.context.newPage();
  await tab.goto(`${shop.server.origin}${path}`);
  return tab;
}

const menuOf = (page: Page) => page.getByRole('button', { name: /^Workspace / });
const nameIn = (page: Page) => menuOf(page).innerText();

async function chooseFile(page: Page, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => `Pet ${index},7,sold`).join('\n');
  await page.getByLabel('CSV file').setInputFiles({
    name: 'pets.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`name,category,status\n${rows}\n`),
  });
}

describe('a tab', () => {
  test('continues its import in its own workspace while other tabs show others', async () => {
    await using shop = await openShop();
    const { page, server } = shop;
    const held = Promise.withResolvers<void>();
    let sentCount = 0;
    await page.route('**/console/v1/pets', async (route) => {
      sentCount += 1;
      if (sentCount > 20) await held.promise;
      await route.continue();
    });
    await page.goto(`${server.origin}/console/w/default/#import`);
    await chooseFile(page, 60);
    await page.getByRole('button', { name: 'Add 60', exact: true }).click();
    await page.getByText(/^\d+ of 60/).waitFor();

    const second = await openTab(shop, '/console/w/default/');
    await menuOf(second).click();
    await second.getByRole('link', { name: 'annex' }).click();
    await second.waitForURL(`${server.origin}/console/w/annex/`);
    await second.getByRole('button', { name: 'Add the first animal' }).waitFor();
    const third = await openTab(shop, '/console/w/annex/#orders');
    expect(await nameIn(third)).toBe('annex');
    held.resolve();
    await page.getByText('60 added.').waitFor();
    expect(await nameIn(page)).toBe('default');
    await second.reload();
    await second.getByRole('button', { name: 'Add the first animal' }).waitFor();
    expect(shop.complaints).toEqual([]);
  });

  test('with an import opens another workspace beside itself', async () => {
    await using shop = await openShop();
    const { page, context, server } = shop;
    const held = Promise.withResolvers<void>();
    await page.route('**/console/v1/pets', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${server.origin}/console/w/default/#import`);
    await chooseFile(page, 3);
    await page.getByRole('button', { name: 'Add 3', exact: true }).click();
    await menuOf(page).click();
    await page.getByText('Work runs in this tab.').waitFor();
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'barn' }).click();
    expect(await nameIn(await opened)).toBe('barn');
    held.resolve();
    await page.getByText('3 added.').waitFor();
  });

  test('keeps its workspace after a reload, and Back leads to the one before', async () => {
    await using shop = await openShop();
    const { page, server } = shop;
    await page.goto(`${server.origin}/console#orders`);
    // An address without a workspace gets one, and keeps its screen.
    await page.waitForURL(`${server.origin}/console/w/default/#orders`);
    await menuOf(page).click();
    await page.getByRole('link', { name: 'barn' }).click();
    await page.waitForURL(`${server.origin}/console/w/barn/`);
    await page.getByRole('link', { name: 'Categories' }).click();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Categories' }).waitFor();
    expect(page.url()).toBe(`${server.origin}/console/w/barn/#categories`);
    await page.goBack();
    await page.waitForURL(`${server.origin}/console/w/barn/`);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
    expect(page.url()).toBe(`${server.origin}/console/w/default/#orders`);
    expect(await nameIn(page)).toBe('default');
  });

  test('without a workspace in its address opens the one that the browser showed last', async () => {
    await using shop = await openShop();
    await openTab(shop, '/console/w/annex/');
    await shop.page.close();
    const tab = await openTab(shop, '/console');
    await tab.waitForURL('**/console/w/annex/');
    const barn = await openTab(shop, '/console/w/barn/');
    await menuOf(barn).waitFor();
    const next = await openTab(shop, '/console');
    await next.waitForURL('**/console/w/barn/');
  });
});

describe('an address', () => {
  test('of a workspace that does not exist shows the others, and no animal of them', async () => {
    await using shop = await openShop();
    const { page, server, call } = shop;
    await call('POST', '/pets', { name: 'Rex', categoryId: 5 });
    await page.goto(`${server.origin}/console/w/atic/#animals/1`);
    await page.getByText('There is no workspace “atic”.').waitFor();
    expect(await page.getByText('Rex').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'default' }).click();
    await page.waitForURL(`${server.origin}/console/w/default/`);
    await rowOf(page, 'Rex').waitFor();
  });

  test('of a workspace that is deleted while it is open shows the others', async () => {
    await using shop = await openShop();
    const tab = await openTab(shop, '/console/w/annex/');
    await tab.getByText('Live', { exact: true }).waitFor();
    await changeWorkspace(shop, 'delete', 'annex', '--yes');
    await tab.getByText('There is no workspace “annex”.').waitFor();
    expect(await tab.getByRole('link').allInnerTexts()).toEqual(['barn', 'default']);
    // The session continues elsewhere.
    await shop.page.getByRole('button', { name: 'Add the first animal' }).waitFor();
  });

  test('of another workspace than that of a key says so', async () => {
    await using shop = await openShop();
    const { page, server } = shop;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${server.origin}/console`);
    await page.getByLabel('API key or link').fill(server.firstKey ?? '');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.origin}/console/w/default/`);
    await page.goto(`${server.origin}/console/w/annex/`);
    await page.getByText('of the workspace “default”. It has no access to “annex”.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Open default' }).click();
    await page.getByRole('button', { name: 'Add the first animal' }).waitFor();
    // A link still asks first.
    await page.goto((await shop.newLink()).replace('/console#', '/console/w/barn/#'));
    await page.getByRole('button', { name: 'Sign in as owner' }).click();
    await page.getByRole('button', { name: 'Add the first animal' }).waitFor();
    expect(await nameIn(page)).toBe('barn');
  });
});

test('the menu of workspaces moves with arrow keys, and decides only with Enter', async () => {
  await using shop = await openShop();
  const { page, server } = shop;
  const focused = () => page.locator(':focus').innerText();
  const { keyboard } = page;
  await menuOf(page).focus();
  await keyboard.press('ArrowDown');
  expect(await focused()).toBe('default');
  await keyboard.press('ArrowDown');
  expect(await focused()).toBe('annex');
  await keyboard.press('ArrowUp');
  expect(await focused()).toBe('default');
  await keyboard.press('b');
  expect(await focused()).toBe('barn');
  await keyboard.press('Home');
  expect(await focused()).toBe('annex');
  expect(await findBarriers(page)).toEqual([]);
  await keyboard.press('Escape');
  expect(await focused()).toBe('default');
  expect(await menuOf(page).getAttribute('aria-expanded')).toBe('false');
  await keyboard.press('Enter');
  await keyboard.press('End');
  // The workspace of the page closes the menu and loads nothing.
  await keyboard.press('Enter');
  expect(await menuOf(page).getAttribute('aria-expanded')).toBe('false');
  await menuOf(page).click();
  await page.getByRole('heading', { level: 1 }).click();
  expect(await menuOf(page).getAttribute('aria-expanded')).toBe('false');
  expect(page.url()).toBe(`${server.origin}/console/w/default/`);
  await menuOf(page).click();
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await page.waitForURL(`${server.origin}/console/w/annex/`);
});
