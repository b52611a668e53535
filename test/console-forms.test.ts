import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { openConsolePage } from './support/console-page.ts';

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
