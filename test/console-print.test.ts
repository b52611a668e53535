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
    `${server.origin}/console/w/default/#animals?status=pending&name=zuko&category=99&sort=oldest`,
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

  await page.goto(`${server.origin}/console/w/default/#orders?status=pending`);
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

/** In the page: how many lines the longest cell of each column has on A4, in sight or not, and the text of the column. */
const measureColumns = `[...document.querySelectorAll('.printed th')].map((heading, index) => {
  const cells = [...document.querySelectorAll('.printed tbody tr')].map((row) => row.cells[index]);
  const lineCounts = cells.map((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
  });
  const texts = cells.map(({ innerText }) => innerText);
  return { heading: heading.innerText, lineMax: Math.max(...lineCounts), texts };
})`;

test('paper breaks long names and notes, and no status, number or date', async () => {
  await using shop = await openConsolePage({ browser: { viewport: { width: 718, height: 1000 } } });
  const { page, call, server } = shop;
  for (const name of ['x'.repeat(255), 'Bella the Sleepy', 'Olaf', 'Rex']) {
    await call('POST', '/pets', { name, categoryId: 1 });
  }
  const note = 'Müller, Anna, Tel. 0171 555 0199, collects on Saturday between ten and twelve';
  const shipDate = '2020-11-01T12:00:00Z';
  for (const petId of [1, 2]) await call('POST', '/store/orders', { petId, note, shipDate });
  await call('POST', '/store/orders', { petId: 4, shipDate: '2099-12-24T00:00:00Z' });
  await call('PATCH', '/store/orders/1', { status: 'shipped' });
  await call('PATCH', '/pets/3', { status: 'pending' });
  await page.reload();
  await page.evaluate('globalThis.print = () => {}');
  const measure = async (screen: string) => {
    await page.goto(`${server.origin}/console/w/default/#${screen}`);
    await rowOf(page, 'Bella the Sleepy').waitFor();
    await page.getByRole('button', { name: 'Print' }).click();
    await page.locator('.printed').waitFor({ state: 'attached' });
    await page.emulateMedia({ media: 'print' });
    const columns =
      await page.evaluate<{ heading: string; lineMax: number; texts: string[] }[]>(measureColumns);
    expect(await page.evaluate<number>('document.body.scrollWidth')).toBe(718);
    await page.emulateMedia({ media: null });
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    return columns;
  };
  const animals = await measure('animals');
  const long = ['Name', 'For whom'];
  expect(animals.filter(({ lineMax }) => lineMax > 1).map(({ heading }) => heading)).toEqual(long);
  // Without a note, the order is named, as in the list.
  const forWhom = animals.find(({ heading }) => heading === 'For whom');
  expect(forWhom?.texts).toEqual(['order 3', 'without an order', note, '']);
  const orders = await measure('orders');
  const dates = orders.find(({ heading }) => heading === 'Date');
  expect(dates?.texts).toEqual(['until Dec 24, 2099', 'overdue: Nov 1, 2020', 'Nov 1, 2020']);
  expect(orders.filter(({ lineMax }) => lineMax > 1).map(({ heading }) => heading)).toEqual([
    'Animal',
    'For whom',
  ]);
});
