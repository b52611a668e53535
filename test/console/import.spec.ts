import { findBarriers } from '../support/barriers.ts';
import { germanAnimals, germanCsv, germanWorkbook } from '../support/german-animals.ts';
import { press } from '../support/keyboard.ts';
import { makeWorkbook, textRows } from '../support/workbook-files.ts';
import { button, chooseCsv, chooseSetting, csvOf, goTo, pick, rowOf } from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

const input = (page: Page) => page.getByLabel('Workbook or CSV file');
const heading = (page: Page, name: string) => page.getByRole('heading', { name });
const fileOf = (name: string, bytes: Uint8Array) => ({
  ...{ name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) },
});

test.beforeEach(async ({ page, shop }) => {
  await page.goto(shop.address('import'));
});

/** Controls that lie on each other, or that the page cuts. */
async function findOverlaps(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(() => {
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

for (const { how, file, width, act } of [
  {
    how: 'by pointer, as CSV of Excel in German',
    file: fileOf('Bestand.csv', germanCsv()),
    width: 1280,
    act: (page: Page, name: string) =>
      button(page, name)
        .or(page.getByLabel(name, { exact: true }))
        .click(),
  },
  {
    how: 'by keyboard, as a workbook on a phone',
    file: fileOf('Bestand.xlsx', germanWorkbook()),
    width: 390,
    act: (page: Page, name: string) => press(page, name, 'Space'),
  },
]) {
  test(`the list of a shelter is in the catalogue after few actions ${how}`, async ({
    page,
    shop,
  }) => {
    await page.setViewportSize({ width, height: 844 });
    const look = async (text: string) => {
      await page.getByText(text).first().waitFor();
      expect([...(await findBarriers(page)), ...(await findOverlaps(page))]).toEqual([]);
    };
    await input(page).setInputFiles(file);
    await page.getByText('Not imported: Nr., Rasse, Aufnahmedatum, Bemerkung').waitFor();
    await expect(page.getByLabel('Headings in line 4')).toBeChecked();
    await look('Summe 62');
    await act(page, 'Create all 3 new categories');
    await look('2 rows have the name and the category of an earlier row.');
    await act(page, 'No, leave them out');
    await look('To add 60 · Left out 3 · 3 new categories: Hund, Katze,');
    await act(page, 'Add 60, leave out 3');
    await look('The import is done');
    type Named = { id: number; name: string; categoryId: number; status: string };
    const categories = (await shop.read('/categories')) as Named[];
    const pets = (await shop.read('/pets?limit=100')) as Named[];
    const nameOf = (wanted: number) => categories.find(({ id }) => id === wanted)?.name;
    expect(
      pets.map(({ name, categoryId, status }) => `${name} ${nameOf(categoryId)} ${status}`).sort(),
    ).toEqual(
      germanAnimals.map(({ name, species, status }) => `${name} ${species} ${status}`).sort(),
    );
  });
}

test('fields do not overlap, and the first question without an answer gets the focus', async ({
  page,
}) => {
  const words = ['reserved, but not paid, until the end of the month', 'ill', '?', 'frei', 'x', ''];
  const rows = words.map((word, index) => `T${index};${word};${'Meerschweinchen'.repeat(index)}\n`);
  const [name, status] = ['Rufname des Tieres (wie im Impfpass)', 'Verfügbarkeit laut der Leitung'];
  await chooseCsv(page, `${name};${status};Kategorie\n${rows.join('')}`);
  await page.getByLabel('Status is in').selectOption(status);
  await page.getByLabel('Empty cells (1 row)').waitFor();
  await button(page, 'Add').click();
  await page.locator(':is(select, input):focus').waitFor();
  await page.getByText('9 questions have no answer yet.').waitFor();
  for (const width of [1280, 640, 390, 320]) {
    await page.setViewportSize({ width, height: 640 });
    expect(await findOverlaps(page)).toEqual([]);
  }
});

test('a long list of words has a field for each, and Add leads to one without an answer', async ({
  page,
}) => {
  await chooseCsv(
    page,
    `name,category,status\n${Array.from({ length: 70 }, (_, index) => `R,Breed ${index},sold\n`).join('')}`,
  );
  await page.getByText('Words 1 to 60 of 70').waitFor();
  const words = page.getByRole('region', { name: 'Words for the category' });
  for (let index = 0; index < 60; index += 1) {
    await pick(words, `Breed ${index} (1 row)`, 'leave');
  }
  await button(page, 'Add').click();
  await page.getByText('Words 61 to 70 of 70').waitFor();
  await expect(page.getByLabel('Breed 60 (1 row)')).toBeFocused();
  await pick(page, 'Breed 60 (1 row)', 'leave');
  await button(page, 'Create all 9 new categories').click();
  await button(page, 'Previous words').click();
  await page.getByText('Words 1 to 60 of 70').waitFor();
  await expect(button(page, 'Add 9, leave out 61')).toBeVisible();
});

test('a file is dropped, and long names of it and of its sheets are not cut', async ({ page }) => {
  const bytes = makeWorkbook([
    { name: 'N'.repeat(200), rows: textRows([['Rex']]) },
    {
      name: 'Animals',
      state: 'hidden',
      rows: textRows([
        ['Ruf', 'Kind of animal', 'Now'],
        ['Rex', '7', 'x'],
      ]),
    },
  ]);
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(${JSON.stringify([...bytes])})], '${'W'.repeat(200)}.xlsx'));
    return transfer;
  })()`);
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer });
  const isCut = (selector: string) =>
    page.locator(selector).evaluate((part) => part.scrollWidth > part.clientWidth);
  expect(await isCut('.sheets')).toBe(false);
  await button(page, 'Animals (2 rows, hidden)').click();
  expect(await isCut('h2')).toBe(false);
  // No heading is known, so the user chooses the row, also by a click on it.
  await button(page, 'Add').click();
  await page
    .getByRole('radio', { name: 'Headings in line 1' })
    .and(page.locator(':focus'))
    .waitFor();
  await page.getByRole('cell', { name: 'Kind of animal' }).click();
  await page.getByLabel('Category is in').selectOption('Kind of animal');
  await expect(page.getByText('Are these the numbers of categories?')).toBeVisible();
});

test('the focus stays in the list when its row leaves the filter', async ({ page, shop }) => {
  for (const name of ['Rex', 'Tom']) await shop.call('POST', '/pets', { name, categoryId: 7 });
  await chooseCsv(page, 'name,category,status\nRex,7,sold\nTom,7,sold\n');
  await button(page, 'There already 2').click();
  await press(page, 'Add it too: line 2', 'Enter');
  await expect(page.getByRole('region', { name: 'Rows of the file' })).toBeFocused();
  await button(page, 'To add 1').click();
  await expect(rowOf(page, 'is added beside number 1 (available)')).toContainText('Leave it out');
  expect([...(await findBarriers(page)), ...(await findOverlaps(page))]).toEqual([]);
});

test('an import asks before it is stopped, continues on other screens, and with the same rows', async ({
  page,
  shop,
}) => {
  const held: (() => void)[] = [];
  await page.route(/\/imports\/\w+\/pets$/, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  const pass = async () => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    held.shift()?.();
  };
  await chooseCsv(page, csvOf(600));
  await button(page, 'Add 600').click();
  await pass();
  await page.getByText('50 of 600 rows done.').waitFor();
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  await (await asked).dismiss();
  await chooseSetting(page, 'Sign out');
  const question = page.getByRole('dialog', { name: 'Stop the import?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await goTo(page, 'Orders');
  await page.getByRole('link', { name: 'Importing…' }).click();
  await button(page, 'Stop').click();
  await pass();
  await heading(page, 'The import was stopped').waitFor();
  await expect(page.getByText('150 added. 450 remain.')).toBeVisible();
  await page.unrouteAll();
  await button(page, 'Continue').click();
  await expect(page.getByText('600 added.')).toBeVisible();
  const [{ total }] = (await shop.query(
    `SELECT count(*) AS total FROM pets WHERE workspace_id =
       (SELECT id FROM workspaces WHERE name = '${shop.workspace}')`,
  )) as [{ total: number }];
  expect(total).toBe(600);
});

test.describe('a workbook', () => {
  const reader = '**/workbook-reader.js';
  const csv = 'name,category,status\nRex,7,sold\n';

  test('is read in a worker, whose script is loaded then, and no other worker can start', async ({
    page,
    complaints,
  }) => {
    const loaded: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/workbook-reader.js')) loaded.push(request.url());
    });
    await chooseCsv(page, csv);
    await button(page, 'Add 1').waitFor();
    await button(page, 'Choose another file').click();
    expect(loaded).toEqual([]);
    const rows = textRows([
      ['name', 'category', 'status'],
      ['Zoë', '7', 'sold'],
    ]);
    const sheets = [{ rows: textRows([['Tierheim']]) }, { name: 'Tiere', rows }];
    await input(page).setInputFiles(fileOf('tiere.xlsx', makeWorkbook(sheets)));
    await button(page, 'Tiere (2 rows)').click();
    await button(page, 'Add 1').click();
    await page.getByRole('link', { name: 'Show the animals' }).click();
    await expect(rowOf(page, 'Zoë')).toBeVisible();
    expect(loaded).toHaveLength(1);
    const { headers } = await fetch(loaded[0] ?? '');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    const startOther = page.evaluate("void new Worker('/console/start.js')");
    await expect(startOther).rejects.toThrow('TrustedScriptURL');
    await expect.poll(() => complaints.splice(0).join()).toContain('TrustedScriptURL');
  });

  test('that cannot be read ends its worker after 60 seconds, or when another file is chosen', async ({
    page,
  }) => {
    const body = 'postMessage';
    await page
      .context()
      .route(reader, (route) => route.fulfill({ contentType: 'text/javascript', body }));
    await page.clock.install();
    await page.reload();
    const choose = async () => {
      const started = page.waitForEvent('worker');
      await input(page).setInputFiles(fileOf('pets.xlsx', makeWorkbook('')));
      return await started;
    };
    await choose();
    await page.clock.fastForward(60_000);
    await page.getByText('The workbook could not be read within 60 seconds.').waitFor();
    expect(page.workers()).toEqual([]);
    const ended = (await choose()).waitForEvent('close');
    await chooseCsv(page, csv);
    await button(page, 'Add 1').waitFor();
    await ended;
  });
});
