import { button, openSignedIn, rowOf, signOut } from './support/actions.ts';
import { expect, type Page, type Shop, test } from './support/shop.ts';

/** What is on the paper: the lines of text that are visible in the medium `print`. */
async function readPaper(page: Page): Promise<string[]> {
  await page.emulateMedia({ media: 'print' });
  const text = await page.locator('body').innerText();
  const controls = page.locator('button:visible, a:visible, input:visible, select:visible');
  await expect(controls).toHaveCount(0);
  await page.emulateMedia({ media: null });
  return text.split('\n').filter((line) => line.trim() !== '');
}

const sheet = (page: Page) => page.locator('.printed');

/** Prints with the button of the page, and returns the lines. A headless browser has no dialog for it. */
async function print(page: Page): Promise<string[]> {
  await page.evaluate('globalThis.print = () => {}');
  await button(page, 'Print').click();
  await page.getByRole('menuitem', { name: 'Print with for whom and until' }).click();
  await sheet(page).waitFor({ state: 'attached' });
  const lines = await readPaper(page);
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  await expect(sheet(page)).toHaveCount(0);
  return lines;
}

/** Adds animals, of which the last one is reserved. */
async function addAnimals(page: Page, { run, workspace, call }: Shop, count: number) {
  await run('demo', '--workspace', workspace, '--animals', `${count - 1}`);
  await call('POST', '/pets', { name: 'Zuko', categoryId: 99 });
  const order = { petId: count, note: 'Ms Smith\n555 0100', shipDate: '2020-11-01T12:00:00Z' };
  expect((await call('POST', '/store/orders', order)).status).toBe(201);
  await page.reload();
  await rowOf(page, 'Zuko').waitFor();
}

/** What is on the paper when the print command of the browser is used, and the number of pages. */
async function printByBrowser(page: Page): Promise<{ text: string; pageCount: number }> {
  await page.evaluate(`globalThis.onPaper = '';
    new MutationObserver((changes) => {
      for (const { addedNodes: [sheet] } of changes) if (sheet) globalThis.onPaper = sheet.innerText;
    }).observe(document.body, { childList: true })`);
  const pdf = await page.pdf();
  const pageCount = pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
  return { text: await page.evaluate<string>('onPaper'), pageCount };
}

test('all rows are printed with their number and the date, and no controls', async ({
  page,
  shop,
}) => {
  await addAnimals(page, shop, 251);
  const lines = await print(page);
  const workspace = `Workspace: ${shop.workspace}`;
  expect(lines.slice(0, 4)).toEqual(['Animals', workspace, 'Newest first', '251 animals']);
  expect(lines[4]).toMatch(/^Printed [A-Z][a-z]{2} \d/);
  expect(lines.slice(5, 8)).toEqual([
    'Number\tName\tCategory\tStatus\tFor whom\tUntil',
    '251\tZuko\t99\treserved\tMs Smith',
    '555 0100\toverdue: Nov 1, 2020',
  ]);
  expect(lines).toHaveLength(6 + 251 + 1);
});

test('the print command of the browser prints the rows that are loaded, and says that there are more', async ({
  page,
  shop,
}) => {
  await addAnimals(page, shop, 251);
  const { text, pageCount } = await printByBrowser(page);
  expect(text).toMatch(/Newest first\d00 animals of a longer list/);
  expect(pageCount).toBeGreaterThan(2);
});

test('a page whose session has ended prints nothing of its list', async ({ page, shop }) => {
  await addAnimals(page, shop, 3);
  const other = await page.context().newPage();
  await openSignedIn(other, shop.address());
  await signOut(other);
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  expect((await printByBrowser(page)).text).toBe('');
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

test.describe('on A4', () => {
  test.use({ viewport: { width: 718, height: 1000 } });

  test('long names and notes are broken, and no status, number or date', async ({ page, shop }) => {
    const { call } = shop;
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
      await page.goto(shop.address(screen));
      await rowOf(page, 'Bella the Sleepy').waitFor();
      await button(page, 'Print').click();
      if (screen === 'animals') {
        await page.getByRole('menuitem', { name: 'Print with for whom and until' }).click();
      }
      await sheet(page).waitFor({ state: 'attached' });
      await page.emulateMedia({ media: 'print' });
      const columns =
        await page.evaluate<{ heading: string; lineMax: number; texts: string[] }[]>(
          measureColumns,
        );
      expect(await page.evaluate<number>('document.body.scrollWidth')).toBe(718);
      await page.emulateMedia({ media: null });
      await page.evaluate("dispatchEvent(new Event('afterprint'))");
      return {
        broken: columns.filter(({ lineMax }) => lineMax > 1).map(({ heading }) => heading),
        textsOf: (name: string) => columns.find(({ heading }) => heading === name)?.texts,
      };
    };
    const animals = await measure('animals');
    expect(animals.broken).toEqual(['Name', 'For whom']);
    // Without a note, the order is named, as in the list.
    const whom = ['order 3', 'without an order', note, ''];
    expect(animals.textsOf('For whom')).toEqual(whom);
    const orders = await measure('orders');
    expect(orders.broken).toEqual(['Animal', 'For whom']);
    const dates = ['until Dec 24, 2099', 'overdue: Nov 1, 2020', 'Nov 1, 2020'];
    expect(orders.textsOf('Date')).toEqual(dates);
  });
});
