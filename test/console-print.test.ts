import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type ConsolePage, openConsolePage, rowOf } from './support/console-page.ts';

setDefaultTimeout(120_000);

/** What is on the paper: the lines of text that are visible in the medium `print`. */
async function readPaper(page: Page): Promise<string[]> {
  await page.emulateMedia({ media: 'print' });
  const text = await page.locator('body').innerText();
  const controls = page.locator('button:visible, a:visible, input:visible, select:visible');
  expect(await controls.count()).toBe(0);
  await page.emulateMedia({ media: null });
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** Prints with the button of the page. A headless browser has no dialog for it. */
async function print(page: Page): Promise<string[]> {
  await page.evaluate(`globalThis.print = () => {}`);
  await page.getByRole('button', { name: 'Print' }).click();
  await page.locator('.printed').waitFor({ state: 'attached' });
  const lines = await readPaper(page);
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  expect(await page.locator('.printed').count()).toBe(0);
  return lines;
}

async function addReserved({ call }: ConsolePage): Promise<void> {
  await call('POST', '/pets', { name: 'Zuko', categoryId: 99 });
  const order = { petId: 451, note: 'Ms Smith\n555 0100', shipDate: '2020-11-01T12:00:00Z' };
  expect((await call('POST', '/store/orders', order)).status).toBe(201);
}

test('printing a list shows all rows with the filters, their number and the date, and no controls', async () => {
  await using shop = await openConsolePage({ demo: ['--animals', '450'] });
  const { page, server, context } = shop;
  await addReserved(shop);
  await page.reload();
  await rowOf(page, 'Zuko').waitFor();
  const all = await print(page);
  expect(all.slice(0, 3)).toEqual(['Animals', 'Newest first', '451 animals']);
  expect(all[3]).toMatch(/^Printed [A-Z][a-z]{2} \d/);
  expect(all.slice(4, 7)).toEqual([
    'Number\tName\tCategory\tStatus\tFor whom\tUntil',
    '451\tZuko\t99\treserved\tMs Smith',
    '555 0100\toverdue: Nov 1, 2020',
  ]);
  expect(all).toHaveLength(5 + 451 + 1);

  const error = { code: 'insufficient_scope', message: 'No', status: 403 };
  await page.route('**/v1/pets?*', (route) => route.fulfill({ status: 403, json: error }));
  await page.getByRole('button', { name: 'Print' }).click();
  await page.getByText('The list cannot be printed.').waitFor();
  expect(await page.locator('.printed').count()).toBe(0);
  await page.unroute('**/v1/pets?*');

  // The print command of the browser does not wait. It prints the rows that are loaded.
  await page.evaluate(`new MutationObserver((changes) => {
    for (const { addedNodes: [sheet] } of changes) if (sheet) globalThis.onPaper = sheet.innerText;
  }).observe(document.body, { childList: true })`);
  const pdf = await page.pdf();
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(2);
  expect(await page.evaluate<string>('onPaper')).toMatch(
    /^AnimalsNewest first\d00 animals of a longer list/,
  );

  await page.goto(
    `${server.origin}/console#animals?status=pending&name=zuko&category=99&sort=oldest`,
  );
  await page.getByRole('row').nth(1).filter({ hasText: 'Zuko' }).waitFor();
  expect((await print(page)).slice(0, 6)).toEqual([
    'Animals',
    'Status: reserved',
    'Search: zuko',
    'Category: 99',
    'Oldest first',
    '1 animal',
  ]);

  await page.goto(`${server.origin}/console#orders?status=pending`);
  await rowOf(page, 'Zuko').waitFor();
  const orders = await print(page);
  expect(orders.slice(0, 3)).toEqual(['Orders', 'Status: reserved', '1 order']);
  expect(orders.slice(4)).toEqual([
    'Number\tAnimal\tFor whom\tDate\tStatus',
    '1\tZuko (animal 451)\tMs Smith',
    '555 0100\toverdue: Nov 1, 2020\treserved',
  ]);

  // A locked page prints nothing of its list.
  const other = await context.newPage();
  await other.goto(`${server.origin}/console`);
  await other.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await page.evaluate(`globalThis.onPaper = ''`);
  await page.pdf();
  expect(await page.evaluate<string>('onPaper')).toBe('');
  expect(shop.complaints.filter((text) => !text.startsWith('Failed to load'))).toEqual([]);
});
