import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { findBarriers } from './support/barriers.ts';
import { type ConsolePage, openConsolePage, rowOf } from './support/console-page.ts';
import { germanAnimals, germanCsv, germanWorkbook } from './support/german-animals.ts';
import { press } from './support/keyboard.ts';
import { makeWorkbook, textRows } from './support/workbook-files.ts';

// A browser draws for seconds, longer than Bun's default of five for a test.
setDefaultTimeout(120_000);

const csvType = 'text/csv';

function csvOf(lines: readonly string[]) {
  return { name: 'list.csv', mimeType: csvType, buffer: Buffer.from(lines.join('\n')) };
}

async function openImport(shop: ConsolePage): Promise<void> {
  await shop.page.goto(`${shop.server.origin}/console/w/default/#import`);
  await shop.page.getByLabel('Workbook or CSV file').waitFor();
}

/** All animals with the names of their categories, as lines. */
async function readCatalogue({ call }: ConsolePage): Promise<string[]> {
  interface Record {
    readonly id: number;
    readonly name: string;
    readonly categoryId: number;
    readonly status: string;
  }
  const read = async (path: string) => (await (await call('GET', path)).json()) as Record[];
  const categories = await read('/categories?limit=100');
  const pets = await read('/pets?limit=100');
  const nameOf = (id: number) => categories.find((one) => one.id === id)?.name ?? id;
  return pets.map((pet) => `${pet.name}, ${nameOf(pet.categoryId)}, ${pet.status}`).toSorted();
}

/** Controls that lie on each other, or that the page cuts. */
async function findOverlaps(page: Page): Promise<string[]> {
  return await page.evaluate(`(() => {
    const sheet = document.querySelector('.sheet').getBoundingClientRect();
    const found = [];
    const controls = [...document.querySelectorAll('.sheet :is(select, label, button, input)')]
      .filter((element) => !element.closest('.preview'))
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0);
    for (const { element, box } of controls) {
      const text = element.textContent.slice(0, 40);
      if (box.left < sheet.left || box.right > sheet.right) found.push('cut: ' + text);
      for (const { element: other, box: otherBox } of controls) {
        if (other === element || other.contains(element) || element.contains(other)) continue;
        const width = Math.min(box.right, otherBox.right) - Math.max(box.left, otherBox.left);
        const height = Math.min(box.bottom, otherBox.bottom) - Math.max(box.top, otherBox.top);
        if (width > 1 && height > 1) found.push(text + ' on ' + other.textContent.slice(0, 40));
      }
    }
    return found;
  })()`);
}

describe('the list of a shelter, as Excel in German saves it,', () => {
  /** Takes the file through all steps, and returns the number of actions. */
  async function importList(
    { page }: ConsolePage,
    file: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer },
    act: (button: string) => Promise<void>,
  ): Promise<number> {
    const barriers: string[] = [];
    let count = 0;
    const step = async (action: Promise<void>) => {
      count += 1;
      await action;
    };
    const look = async () => {
      barriers.push(...(await findBarriers(page)), ...(await findOverlaps(page)));
    };
    await step(page.getByLabel('Workbook or CSV file').setInputFiles(file));
    await page.getByText('Not imported: Nr., Rasse, Aufnahmedatum, Bemerkung').waitFor();
    await page
      .getByRole('radio', { name: 'Headings in line 4' })
      .and(page.locator(':checked'))
      .waitFor();
    await page.getByText('Summe 62').first().waitFor();
    await look();
    await step(act('Create all 3 new categories'));
    await page.getByText('2 rows have the name and the category of an earlier row.').waitFor();
    await look();
    await step(act('No, leave them out'));
    await page.getByText('To add 60 · Left out 3 · 3 new categories: Hund, Katze,').waitFor();
    await page.getByRole('button', { name: 'In the file twice 4' }).waitFor();
    await look();
    await step(act('Add 60, leave out 3'));
    await page.getByRole('heading', { name: 'The import is done' }).waitFor({ timeout: 60_000 });
    await look();
    expect(barriers).toEqual([]);
    return count;
  }

  const expected = germanAnimals
    .map(({ name, species, status }) => `${name}, ${species}, ${status}`)
    .toSorted();

  test('is in the catalogue after at most eight actions by pointer', async () => {
    await using shop = await openConsolePage();
    const { page } = shop;
    await openImport(shop);
    const file = { name: 'Bestand.csv', mimeType: csvType, buffer: germanCsv() };
    const click = async (name: string) => {
      const radio = page.getByLabel(name, { exact: true });
      await page.getByRole('button', { name, exact: true }).or(radio).click();
    };
    expect(await importList(shop, file, click)).toBeLessThanOrEqual(8);
    expect(await readCatalogue(shop)).toEqual(expected);
    expect(shop.complaints).toEqual([]);
  });

  test('is in the catalogue after at most eight actions by keyboard, as a workbook on a phone', async () => {
    await using shop = await openConsolePage({
      browser: { viewport: { width: 390, height: 844 } },
    });
    const { page } = shop;
    await openImport(shop);
    const file = { name: 'Bestand.xlsx', mimeType: '', buffer: germanWorkbook() };
    const type = (name: string) => press(page, name, 'Space');
    expect(await importList(shop, file, type)).toBeLessThanOrEqual(8);
    expect(await readCatalogue(shop)).toEqual(expected);
  });
});

test('selects of an import do not overlap: five words, long headings, a zoom of 200 % and a phone', async () => {
  await using shop = await openConsolePage();
  const { page } = shop;
  await openImport(shop);
  const words = ['reserved, but not paid, until the end of the month', 'ill', '?', 'frei', 'x', ''];
  await page
    .getByLabel('Workbook or CSV file')
    .setInputFiles(
      csvOf([
        'Rufname des Tieres (wie im Impfpass eingetragen);Verfügbarkeit laut der Leitung des Heims;Kategorie',
        ...words.map((word, index) => `Tier ${index};${word};${'Meerschweinchen'.repeat(index)}`),
      ]),
    );
  await page.getByLabel('Status is in').selectOption('Verfügbarkeit laut der Leitung des Heims');
  await page.getByLabel('Empty cells (1 row)').waitFor();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  // The first question without an answer has the focus.
  await page.locator('select:focus').waitFor();
  await page.getByText('9 questions have no answer yet.').waitFor();
  const found: string[] = [];
  for (const [width, height] of [
    [1280, 800],
    [640, 400],
    [390, 844],
    [320, 640],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const overlap of await findOverlaps(page)) found.push(`${width}: ${overlap}`);
  }
  expect(found).toEqual([]);
});

test('an import reads a file that is dropped, asks for its sheet, and shows all rows page by page', async () => {
  await using shop = await openConsolePage();
  const { page } = shop;
  await openImport(shop);
  const animals = Array.from({ length: 120 }, (_, index) => [
    index === 60 ? '' : `Pet ${index}`,
    '7',
    'sold',
  ]);
  const bytes = makeWorkbook([
    { name: 'N'.repeat(200), rows: textRows([['Rex']]) },
    {
      name: 'Animals',
      state: 'hidden',
      rows: textRows([['Ruf', 'Kind of animal', 'Now'], ...animals]),
    },
  ]);
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(${JSON.stringify([...bytes])})], '${'W'.repeat(200)}.xlsx'));
    return transfer;
  })()`);
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer });
  await page.locator('.sheets').waitFor();
  const isCut = (selector: string) =>
    page.locator(selector).evaluate((part) => part.scrollWidth > part.clientWidth);
  expect(await isCut('.sheets')).toBe(false);
  await page.getByRole('button', { name: 'Animals (121 rows, hidden)' }).click();
  expect(await isCut('h2')).toBe(false);
  // No heading is known, so the user chooses the row and the columns.
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page
    .getByRole('radio', { name: 'Headings in line 1' })
    .and(page.locator(':focus'))
    .waitFor();
  await page.getByRole('cell', { name: 'Kind of animal' }).click();
  await page.getByLabel('Name is in').selectOption('Ruf');
  await page.getByLabel('Category is in').selectOption('Kind of animal');
  await page.getByLabel('Status is in').selectOption('All are reserved');
  await page.getByLabel('Yes, they are numbers of categories').check();
  await page.getByText('Not imported: Now').waitFor();

  await page.getByText('Rows 1 to 50 of 120').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Rows 51 to 100 of 120').waitFor();
  expect(await rowOf(page, 'The name is missing.').getByRole('rowheader').textContent()).toBe('62');
  await rowOf(page, 'Pet 99').getByText('reserved').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Rows 101 to 120 of 120').waitFor();
  await page.getByRole('button', { name: 'Left out 1' }).click();
  await page.getByText('Rows 1 to 1 of 1').waitFor();
  // Answers stay while another screen is shown.
  await page.getByRole('link', { name: 'Orders' }).click();
  await page.goBack();
  await page.getByRole('button', { name: 'Add 119, leave out 1' }).waitFor();
  await page.getByRole('button', { name: 'Choose another file' }).click();
  await page.locator('input[type="file"]:focus').waitFor();
});

test('a row whose animal is in the catalogue shows its number and status, and can be added alone', async () => {
  await using shop = await openConsolePage();
  const { page, call } = shop;
  for (const name of ['Rex', 'Tom']) {
    await call('POST', '/pets', { name, categoryId: 7, status: 'sold' });
  }
  await openImport(shop);
  await page
    .getByLabel('Workbook or CSV file')
    .setInputFiles(csvOf(['name,category,status', 'Rex,7,available', 'Tom,7,sold']));
  await page.getByRole('button', { name: 'There already 2' }).click();
  await rowOf(page, 'number 1, sold').waitFor();
  // The filter hides the row, with the button that had the focus.
  await press(page, 'Add it too: line 2', 'Enter');
  await page.locator('section.preview:focus').waitFor();
  await page.getByText('To add 1 · There already 1 · Left out 0').waitFor();
  await page.getByRole('button', { name: 'To add 1' }).click();
  await rowOf(page, 'is added beside number 1 (sold)').getByText('Leave it out').waitFor();
  expect([...(await findBarriers(page)), ...(await findOverlaps(page))]).toEqual([]);
});

test('an export can be imported again: with its categories, or as changes of its animals', async () => {
  await using shop = await openConsolePage();
  const { page, call } = shop;
  await call('PUT', '/categories/5', { name: 'Cats' });
  await call('PUT', '/categories/7', { name: 'Dogs' });
  await call('POST', '/pets', { name: 'Rex', categoryId: 7 });
  await call('POST', '/pets', { name: 'Tom', categoryId: 5, status: 'sold' });
  await page.reload();
  await rowOf(page, 'Tom').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  const exported = {
    ...csvOf([]),
    buffer: Buffer.from(await Bun.file(await download.path()).bytes()),
  };
  const before = await readCatalogue(shop);
  const choose = async (mode: string) => {
    await openImport(shop);
    await page.getByLabel('Workbook or CSV file').setInputFiles(exported);
    await page.getByLabel(mode).check();
  };

  await call('PATCH', '/pets/1', { name: 'Rexine', status: 'pending' });
  await choose('Update the animals with these numbers');
  await page.getByText('Rexine → Rex').waitFor();
  await page.getByRole('button', { name: 'Change 1', exact: true }).click();
  await page.getByRole('heading', { name: 'The import is done' }).waitFor();
  expect(await readCatalogue(shop)).toEqual(before);

  for (const id of [1, 2]) await call('DELETE', `/pets/${id}`);
  await call('DELETE', '/categories/5');
  await call('PUT', '/categories/7', { name: 'Birds' });
  await page.getByRole('button', { name: 'Import another file' }).click();
  await choose('Add the animals as new ones');
  await page.getByLabel('7, Dogs (1 row)').selectOption('New category: Dogs');
  await page.getByText('2 new categories: Cats (5), Dogs').waitFor();
  await page.getByRole('button', { name: 'Add 2', exact: true }).click();
  await page.getByRole('heading', { name: 'The import is done' }).waitFor();
  expect(await readCatalogue(shop)).toEqual(before);
  expect((await call('GET', '/categories/5')).status).toBe(200);
});

test('a file with more than 60 words for categories has a select for each, and Add leads to one without an answer', async () => {
  await using shop = await openConsolePage();
  const { page, call } = shop;
  await call('PUT', '/categories/1', { name: 'Dogs' });
  await openImport(shop);
  const rows = Array.from({ length: 70 }, (_, index) => `Rex ${index},Breed ${index}`);
  await page
    .getByLabel('Workbook or CSV file')
    .setInputFiles(csvOf(['name,category,status', ...rows.map((row) => `${row},available`)]));
  await page.getByText('Words 1 to 60 of 70').waitFor();
  const selects = page.getByRole('region', { name: 'Words for the category' }).locator('select');
  for (const select of await selects.all()) await select.selectOption('Dogs');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Words 61 to 70 of 70').waitFor();
  const focused = page.locator('select:focus');
  await focused.and(page.getByLabel('Breed 60 (1 row)')).selectOption('Dogs');
  await page.getByLabel('Breed 69 (1 row)').selectOption('Leave these rows out');
  await page.getByRole('button', { name: 'Create all 8 new categories' }).click();
  await page.getByRole('button', { name: 'Previous words' }).click();
  await page.getByText('Words 1 to 60 of 70').waitFor();
  await page.getByRole('button', { name: 'Add 69, leave out 1' }).click();
  await page.getByRole('heading', { name: 'The import is done' }).waitFor({ timeout: 60_000 });
  const catalogue = await readCatalogue(shop);
  expect(catalogue).toHaveLength(69);
  expect(catalogue).toContain('Rex 60, Dogs, available');
  expect(catalogue).toContain('Rex 61, Breed 61, available');
});
