import { button, chooseCsv, goTo } from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

const nameOf = (page: Page) => page.getByRole('dialog').getByLabel('Name', { exact: true });
const warning = (page: Page) => page.getByText('Your changes are not saved.');

test.describe('a dialog with unsaved input', () => {
  test('is left only at the second Back', async ({ page, shop: _ }) => {
    await goTo(page, 'Orders');
    await goTo(page, 'Animals');
    await button(page, 'Add the first animal').click();
    await nameOf(page).fill('Rex');
    await page.goBack();
    await expect(warning(page)).toBeVisible();
    await expect(nameOf(page)).toHaveValue('Rex');
    expect(page.url()).toMatch(/#animals$/);
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1, name: 'Orders' })).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
});

test.describe('the browser asks before it leaves the page', () => {
  /** Leaves the page, stays when the browser asks, and returns the kind of its question. */
  async function leave(page: Page, how = 'location.reload()'): Promise<string> {
    const asked = page.waitForEvent('dialog', { timeout: 5000 });
    await page.evaluate(`void setTimeout(() => ${how})`);
    const dialog = await asked;
    await dialog.dismiss();
    return dialog.type();
  }

  test('with a text in a form, and not after it was discarded', async ({ page, shop: _ }) => {
    await button(page, 'Add an animal').click();
    await nameOf(page).fill('Rex');
    expect(await leave(page)).toBe('beforeunload');
    // The console is the first page of its tab.
    expect(await leave(page, 'history.back()')).toBe('beforeunload');
    await expect(nameOf(page)).toHaveValue('Rex');
    await button(page, 'Cancel').click();
    await button(page, 'Cancel').click();
    await page.reload();
    await expect(button(page, 'Add an animal')).toBeVisible();
  });

  test('with a choice of permissions', async ({ page, shop }) => {
    await page.goto(shop.address('keys'));
    await button(page, 'Create a key').click();
    await page.getByLabel('see animals').uncheck();
    expect(await leave(page)).toBe('beforeunload');
  });

  test('while a secret is shown, which Back keeps', async ({ page, shop: _ }) => {
    await goTo(page, 'Keys');
    await button(page, 'Create a key').click();
    await nameOf(page).fill('desk');
    await button(page, 'Create').click();
    const secret = page.getByRole('dialog').getByLabel('Key', { exact: true });
    await secret.waitFor();
    expect(await leave(page)).toBe('beforeunload');
    await page.goBack();
    await expect(secret).toHaveValue(/^anst_/);
    await button(page, 'Done').click();
    await page.reload();
    await expect(button(page, 'Create a key')).toBeVisible();
  });

  test('with answers about a file that is not imported yet', async ({ page, shop }) => {
    await page.goto(shop.address('import'));
    await chooseCsv(page, 'name,category,status\nRex,Dogs,available\n');
    await button(page, 'Create this new category').click();
    expect(await leave(page)).toBe('beforeunload');
    await page.getByRole('link', { name: 'Animals' }).click();
    expect(await leave(page)).toBe('beforeunload');
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await button(page, 'Add 1').click();
    await page.getByRole('heading', { name: 'The import is done' }).waitFor();
    await page.reload();
    await expect(page.getByLabel('Workbook or CSV file')).toBeVisible();
  });
});
