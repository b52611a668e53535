import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import { openConsolePage } from './support/console-page.ts';
import { startReceiver } from './support/webhook-receiver.ts';

setDefaultTimeout(120_000);

async function click(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

/** Leaves the page, stays when the browser asks, and returns the kind of its question. */
async function leave(page: Page, how: string): Promise<string> {
  const asked = page.waitForEvent('dialog', { timeout: 5000 });
  await page.evaluate(`void setTimeout(() => ${how})`);
  const dialog = await asked;
  await dialog.dismiss();
  return dialog.type();
}

describe('the browser asks before it leaves the page', () => {
  test('with a text in a form, and not after it was discarded', async () => {
    await using shop = await openConsolePage();
    const { page } = shop;
    await click(page, 'Add an animal');
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true });
    await name.fill('Rex');
    expect(await leave(page, 'location.reload()')).toBe('beforeunload');
    // The console is the first page of its tab.
    expect(await leave(page, 'history.back()')).toBe('beforeunload');
    expect(await name.inputValue()).toBe('Rex');
    await click(page, 'Cancel');
    await click(page, 'Cancel');
    await page.reload();
    await page.getByRole('button', { name: 'Add an animal' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('with a choice of permissions, and while a secret is shown, which Back keeps', async () => {
    await using shop = await openConsolePage();
    const { page } = shop;
    await page.getByRole('link', { name: 'Keys' }).click();
    await click(page, 'Create a key');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('see animals').uncheck();
    expect(await leave(page, 'location.reload()')).toBe('beforeunload');
    await dialog.getByLabel('see animals').check();
    await dialog.getByLabel('Name', { exact: true }).fill('desk');
    await click(page, 'Create');
    const secret = dialog.getByLabel('Key', { exact: true });
    await secret.waitFor();
    expect(await leave(page, 'location.reload()')).toBe('beforeunload');
    await page.goBack();
    expect(await secret.inputValue()).toStartWith('anst_');
    await click(page, 'Done');
    await page.reload();
  });

  test('with answers about a file that is not imported yet', async () => {
    await using shop = await openConsolePage();
    const { page, server } = shop;
    await page.goto(`${server.origin}/console#import`);
    const buffer = Buffer.from('name,category,status\nRex,Dogs,available\n');
    const file = page.getByLabel('Workbook or CSV file');
    await file.setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer });
    await click(page, 'Create this new category');
    expect(await leave(page, 'location.reload()')).toBe('beforeunload');
    await page.getByRole('link', { name: 'Animals' }).click();
    expect(await leave(page, 'location.reload()')).toBe('beforeunload');
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await click(page, 'Add 1');
    await page.getByRole('heading', { name: 'The import is done' }).waitFor();
    await page.reload();
    await file.waitFor();
  });
});

/** The server does the next write to an address, and its answer arrives without its end. */
async function cutAnswer(page: Page, address: string): Promise<void> {
  let isCut = false;
  await page.route(address, async (route: Route) => {
    if (isCut || !['POST', 'PUT'].includes(route.request().method())) return route.continue();
    isCut = true;
    const response = await route.fetch();
    return route.fulfill({ response, body: '{' });
  });
}

describe('a record whose answer was lost is added once, also if its form was corrected before it was sent again', () => {
  const retry = /^A proxy or another program answered in place of the server/;

  test('an animal with a new category', async () => {
    await using shop = await openConsolePage();
    const { page, call } = shop;
    const dialog = page.getByRole('dialog');
    await cutAnswer(page, '**/v1/categories');
    await cutAnswer(page, '**/v1/pets');
    // The page does not learn from an event that they were added.
    await page.route('**/v1/events/stream*', (route) => route.abort());
    await page.reload();
    await click(page, 'Add an animal');
    await dialog.getByLabel('Name', { exact: true }).fill('Lunna');
    const category = dialog.getByLabel('Name of the new category');
    await category.fill('Dgos');
    await click(page, 'Add');
    await dialog.getByText(retry).waitFor();
    await category.fill('Dogs');
    await click(page, 'Add');
    await category.waitFor({ state: 'detached' });
    await dialog.getByText(retry).waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('Luna');
    await click(page, 'Add');
    await page.getByText('Luna (animal 1) was added.').waitFor();
    expect(await (await call('GET', '/pets')).json()).toMatchObject([{ id: 1, name: 'Luna' }]);
    expect(await (await call('GET', '/categories')).json()).toMatchObject([
      { id: 1, name: 'Dogs' },
    ]);
  });

  test.each([
    ['with a new number', '', '', 1],
    ['under a number', '7', '7', 7],
    ['under another number', '7', '8', 8],
  ])('a category %s', async (_what, first, corrected, id) => {
    await using shop = await openConsolePage();
    const { page, call } = shop;
    const dialog = page.getByRole('dialog');
    await page.route('**/v1/events/stream*', (route) => route.abort());
    await page.reload();
    await page.getByRole('link', { name: 'Categories' }).click();
    await click(page, 'Add a category');
    await cutAnswer(page, `**/v1/categories${first && `/${first}`}`);
    await dialog.getByLabel('Name', { exact: true }).fill('Dgos');
    await dialog.getByLabel('Number', { exact: true }).fill(first);
    await click(page, 'Save');
    await dialog.getByText(retry).waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('Dogs');
    await dialog.getByLabel('Number', { exact: true }).fill(corrected);
    await click(page, 'Save');
    await dialog.waitFor({ state: 'detached' });
    expect(await (await call('GET', '/categories')).json()).toMatchObject([{ id, name: 'Dogs' }]);
  });

  test('a webhook', async () => {
    using receiver = startReceiver({ answer: () => new Response('ok') });
    const serve = ['--webhook-allow', new URL(receiver.url).host];
    await using shop = await openConsolePage({ serve });
    const { page } = shop;
    const dialog = page.getByRole('dialog');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await cutAnswer(page, '**/v1/webhooks');
    await click(page, 'Add a webhook');
    await dialog.getByLabel('URL').fill(`${receiver.url}-typo`);
    await click(page, 'Add');
    await dialog.getByText(retry).waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await click(page, 'Add');
    await page.getByText(`The answer with the secret of ${receiver.url} was lost`).waitFor();
    await dialog.waitFor({ state: 'detached' });
    const items = page.getByRole('region', { name: 'Webhooks' }).getByRole('listitem');
    await items.getByRole('link', { name: receiver.url, exact: true }).waitFor();
    expect(await items.count()).toBe(1);
  });
});
