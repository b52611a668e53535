import { button, chooseCsv, goTo, rowOf } from './support/actions.ts';
import { startReceiver } from './support/receiver.ts';
import { expect, type Page, test } from './support/shop.ts';

const nameOf = (page: Page) => page.getByRole('dialog').getByLabel('Name', { exact: true });
const warning = (page: Page) => page.getByText('Your changes are not saved.');

test.describe('a dialog with unsaved input', () => {
  for (const name of ['Close', 'Cancel']) {
    test(`is closed only at the second press of ${name}`, async ({ page, shop: _ }) => {
      await button(page, 'Add the first animal').click();
      await nameOf(page).fill('Rex');
      await button(page, name).click();
      await expect(warning(page)).toBeVisible();
      await expect(nameOf(page)).toHaveValue('Rex');
      await button(page, name).click();
      await expect(page.getByRole('dialog')).toHaveCount(0);
    });
  }

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

test.describe('a record whose answer was lost is added once, and its form stays as it was sent until then:', () => {
  /** The server does the next write to an address, and its answer arrives without its end. */
  async function cutAnswer(page: Page, address: string): Promise<void> {
    let isCut = false;
    await page.route(address, async (route) => {
      if (isCut || !['POST', 'PUT'].includes(route.request().method())) return route.continue();
      isCut = true;
      const response = await route.fetch();
      return route.fulfill({ response, body: '{' });
    });
  }

  const retry = (page: Page) =>
    page.getByText(/^A proxy or another program answered in place of the server/);

  // The page does not learn from an event that a record was added.
  test.beforeEach(async ({ page, shop: _ }) => {
    await page.route('**/v1/events/stream*', (route) => route.abort());
    await page.reload();
  });

  test('an animal with a new category', async ({ page, shop }) => {
    await cutAnswer(page, '**/v1/categories');
    await cutAnswer(page, '**/v1/pets');
    await button(page, 'Add an animal').click();
    await nameOf(page).fill('Luna');
    const category = page.getByLabel('Name of the new category');
    await category.fill('Dogs');
    await button(page, 'Add').click();
    await expect(retry(page)).toBeVisible();
    await expect(category).toBeDisabled();
    await expect(page.getByText('Until it has answered, the input stays as it is')).toBeVisible();
    await button(page, 'Add').click();
    await expect(category).toHaveCount(0);
    await expect(retry(page)).toBeVisible();
    await expect(nameOf(page)).toBeDisabled();
    await button(page, 'Add').click();
    await expect(page.getByText('Luna (animal 1) was added.')).toBeVisible();
    expect(await shop.read('/pets')).toMatchObject([{ id: 1, name: 'Luna' }]);
    expect(await shop.read('/categories')).toMatchObject([{ id: 1, name: 'Dogs' }]);
  });

  test('an animal that was refused can be corrected', async ({ page, shop: _ }) => {
    await page.route('**/v1/pets', (route) =>
      route.fulfill({ status: 429, json: { code: 'rate_limited', message: 'Too many' } }),
    );
    await button(page, 'Add an animal').click();
    await nameOf(page).fill('Luna');
    await page.getByLabel('Name of the new category').fill('Dogs');
    await button(page, 'Add').click();
    await expect(page.getByText('Too many requests were sent')).toBeVisible({ timeout: 20_000 });
    await expect(nameOf(page)).toBeEnabled();
  });

  for (const { what, number, id } of [
    { what: 'with a new number', number: '', id: 1 },
    { what: 'under a number', number: '7', id: 7 },
  ]) {
    test(`a category ${what}`, async ({ page, shop }) => {
      await goTo(page, 'Categories');
      await button(page, 'Add a category').click();
      await cutAnswer(page, `**/v1/categories${number && `/${number}`}`);
      await nameOf(page).fill('Dogs');
      await page.getByLabel('Number', { exact: true }).fill(number);
      await button(page, 'Save').click();
      await expect(retry(page)).toBeVisible();
      await button(page, 'Save').click();
      await expect(rowOf(page, 'Dogs')).toBeVisible();
      expect(await shop.read('/categories')).toMatchObject([{ id, name: 'Dogs' }]);
    });
  }

  test('a webhook', async ({ page, shop: _ }) => {
    using receiver = await startReceiver();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await cutAnswer(page, '**/v1/webhooks');
    await button(page, 'Add a webhook').click();
    await page.getByLabel('URL').fill(receiver.url);
    await button(page, 'Add').click();
    await expect(retry(page)).toBeVisible();
    await expect(page.getByLabel('URL')).toBeDisabled();
    await button(page, 'Add').click();
    const notice = `The answer with the secret of ${receiver.url} was lost`;
    await expect(page.getByText(notice)).toBeVisible();
    const items = page.getByRole('region', { name: 'Webhooks' }).getByRole('listitem');
    await expect(items).toHaveCount(1);
    await expect(items.getByRole('link', { name: receiver.url, exact: true })).toBeVisible();
  });
});
