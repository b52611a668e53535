import { makeWorkbook, textRows } from '../support/workbook-files.ts';
import { button, createGate, pick, rowOf, signInWith } from './support/actions.ts';
import { test as base, callService, expect, type Page } from './support/shop.ts';

interface OldPage {
  /** Ends the server of the old version, and starts one of the new version at its address. */
  upgrade(): Promise<void>;
  databaseUrl: string;
}

const scripts = /\/console\/scripts\//;
const pages = /\/console(?:\/w\/[^/]+\/?)?$/;

/** A page of the old version, which has loaded its first screen and nothing more. */
const test = base.extend<{ old: OldPage }>({
  async old({ bun, page, context }, use) {
    const server = await bun.startServer([], undefined, 'old');
    const { origin, firstKey, databaseUrl } = server;
    for (const name of ['Rex', 'Ada', 'Zoë']) {
      await callService(origin, firstKey, 'POST', '/pets', { name, categoryId: 7 });
    }
    await context.route(scripts, (route) =>
      route.request().url().endsWith('/app.js') ? route.continue() : route.abort(),
    );
    await page.goto(`${origin}/console`);
    await signInWith(page, firstKey);
    await rowOf(page, 'Rex').waitFor();
    expect(await versionOf(page)).toBe('old');
    await context.unroute(scripts);
    await use({
      databaseUrl,
      async upgrade() {
        await bun.killServer(server.pid);
        await bun.startServer(['--port', new URL(origin).port], databaseUrl);
      },
    });
  },
});

const versionOf = (page: Page) =>
  page.evaluate<string | undefined>('document.body.dataset.version');

const checkbox = (page: Page) => rowOf(page, 'Rex').getByRole('checkbox');

test('after an upgrade, a page that lacks a script loads itself again, and keeps a half-filled form, the selection and the search', async ({
  old,
  page,
  context,
}) => {
  await page.getByRole('searchbox').fill('e');
  await expect(rowOf(page, 'Ada')).toHaveCount(0);
  await checkbox(page).check();
  await old.upgrade();
  const { opened: filled, open: fill } = createGate();
  let tries = 0;
  await context.route('**/export.js', async (route) => {
    tries += 1;
    if (tries > 1) await filled;
    await route.continue();
  });
  await button(page, 'Export').click();
  await button(page, 'Add an animal').click();
  const dialog = page.getByRole('dialog');
  const name = dialog.getByLabel('Name', { exact: true });
  await name.fill('Lun');
  await pick(dialog, 'Category', '9');
  fill();
  const notice = 'The page was loaded again, because the server was upgraded';
  await expect(page.getByText(notice)).toBeVisible();
  expect(await versionOf(page)).toBeUndefined();
  await expect(name).toHaveValue('Lun');
  await name.pressSequentially('a');
  await button(page, 'Add').click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('1 animal selected').first()).toBeVisible();
  await expect(checkbox(page)).toBeChecked();
  await expect(page.getByRole('searchbox')).toHaveValue('e');
  // The next reload is by the user, and keeps nothing.
  await page.reload();
  await expect(checkbox(page)).not.toBeChecked();
});

test('after an upgrade, a page that lacks the reader of workbooks loads itself again, and reads the next one', async ({
  old,
  page,
}) => {
  await page.getByRole('link', { name: 'Import' }).first().click();
  const input = page.locator('input[type=file]');
  await input.waitFor();
  await old.upgrade();
  const rows = textRows([
    ['name', 'category', 'status'],
    ['Luna', '7', 'sold'],
  ]);
  const file = {
    name: 'pets.xlsx',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(makeWorkbook(rows)),
  };
  await input.setInputFiles(file);
  await expect(page.getByText('The page was loaded again')).toBeVisible();
  await input.setInputFiles(file);
  await expect(button(page, 'Add 1')).toBeVisible();
});

test('what a page keeps while it loads itself again is not shown to another key', async ({
  old,
  page,
  context,
  bun,
}) => {
  await checkbox(page).check();
  await old.upgrade();
  const other = await bun.addKey(old.databaseUrl, 'default', 'other');
  // The session ends while the page is loaded again.
  await context.route('**/app.js', async (route) => {
    await context.clearCookies();
    await route.continue();
  });
  await button(page, 'Export').click();
  await signInWith(page, other.apiKey);
  await expect(checkbox(page)).not.toBeChecked();
  expect(await versionOf(page)).toBeUndefined();
  expect(await page.evaluate('history.state')).toBeNull();
});

test('a screen that cannot be loaded says so while the server is away, and is shown at the next try', async ({
  old: _,
  page,
  context,
}) => {
  await context.route(scripts, (route) => route.abort());
  await context.route(pages, (route) => route.abort());
  await page.getByRole('link', { name: 'Orders' }).click();
  await expect(page.getByText('This screen is not available')).toBeVisible();
  await context.unroute(pages);
  await context.unroute(scripts);
  await button(page, 'Try again').click();
  await expect(page.getByText('No orders').first()).toBeVisible();
  expect(await versionOf(page)).toBe('old');
});

test.describe('a page whose first script is missing', () => {
  test('loads itself again', async ({ page, shop: _ }) => {
    await page.route('**/app.js', (route) => route.fulfill({ status: 404 }), { times: 1 });
    await page.reload();
    await expect(button(page, 'Settings')).toBeVisible();
  });

  test('again asks its user to load it', async ({ page, shop: _ }) => {
    await page.route('**/app.js', (route) => route.fulfill({ status: 404 }));
    await page.reload();
    const advice = 'The console could not be loaded. Load the page again.';
    await expect(page.getByText(advice)).toBeVisible();
  });
});
