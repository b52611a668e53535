import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { findBarriers } from './support/barriers.ts';
import { type ConsolePage, openConsolePage, rowOf } from './support/console-page.ts';
import { runProgram } from './support/server-process.ts';

// A browser draws for seconds. Each wait has its own, shorter limit.
setDefaultTimeout(120_000);

const animalCount = 3000;

/** The numbers of the rows in sight, from top to bottom. */
async function numbersInSight(page: Page): Promise<number[]> {
  return await page.evaluate(`(() => {
    const { top, bottom } = document.querySelector('[role=grid]').getBoundingClientRect();
    return [...document.querySelectorAll('.rows [role=row]')]
      .map((row) => ({ row, box: row.getBoundingClientRect() }))
      .filter(({ box }) => box.top >= top && box.bottom <= bottom + 1)
      .sort((left, right) => left.box.top - right.box.top)
      .map(({ row }) => Number(row.querySelector('.number').textContent));
  })()`);
}

/** Drags the scroll bar to a part of the list, through places before it. */
async function dragTo(page: Page, part: number): Promise<void> {
  await page.evaluate(`(async () => {
    const grid = document.querySelector('[role=grid]');
    const rows = document.querySelector('.rows');
    const height = Number.parseFloat(getComputedStyle(rows).getPropertyValue('--row-height'));
    for (const step of [0.3, 0.6, 1]) {
      const top = (grid.scrollHeight - grid.clientHeight) * ${part} * step;
      // Whole rows, because the target of one that is half behind the head is small.
      grid.scrollTop = Math.round(top / height) * height;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  })()`);
}

async function waitForRow(page: Page, number: number): Promise<void> {
  const cell = page.locator('.rows .number').getByText(String(number), { exact: true });
  // On a phone, the number is beside the name.
  await cell.waitFor({ state: 'attached' });
}

/** Runs an action of another user, and checks that no row in sight moves. */
async function leavesRows(page: Page, act: () => Promise<unknown>, shown: string): Promise<void> {
  const before = await numbersInSight(page);
  const boxes = () => page.locator('.rows [role=row]').first().boundingBox();
  const box = await boxes();
  await act();
  await page.getByText(shown).first().waitFor();
  expect((await numbersInSight(page)).slice(0, 8)).toEqual(before.slice(0, 8));
  expect(await boxes()).toEqual(box);
}

async function findByDragging({ page, call, requests, context }: ConsolePage): Promise<void> {
  const grid = page.getByRole('grid');
  await page.getByText('3,000 animals').waitFor();
  expect(await grid.getAttribute('aria-rowcount')).toBe('3001');
  expect(await grid.getAttribute('aria-multiselectable')).toBe('true');
  expect(await page.evaluate("document.querySelector('.rows').clientHeight")).toBe(
    animalCount * 44,
  );

  // A drag shows the rows of its last place, and reads no others.
  // The last animal, those in sight, and those before them, which are read when those in sight are shown.
  const isOpening = (url: string) => /pets\?(from|sort|limit)(?!.*cursor=)/.test(url);
  const readsBefore = requests.length;
  const opened = () => requests.slice(readsBefore).filter(isOpening);
  const allOpened = page.waitForRequest(
    (request) => isOpening(request.url()) && opened().length >= 3,
  );
  await dragTo(page, 0.5);
  await waitForRow(page, 1500);
  const [middle = 0] = await numbersInSight(page);
  expect(Math.abs(middle - 1507)).toBeLessThan(10);
  await allOpened;
  expect(opened()).toHaveLength(3);

  // Changes of others move no row in sight.
  await leavesRows(
    page,
    () => call('POST', '/pets', { name: 'Newcomer', categoryId: 1 }),
    'Show 1 new animal',
  );
  await leavesRows(page, () => call('DELETE', `/pets/${middle - 3}`), 'deleted');
  await leavesRows(
    page,
    () => call('PATCH', `/pets/${middle - 4}`, { name: 'Renamed' }),
    'Renamed',
  );
  // An own addition that has its place elsewhere is counted like those of others.
  await page.getByRole('button', { name: 'Add an animal' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Own');
  await page.getByRole('dialog').getByLabel('Category').selectOption({ index: 1 });
  await leavesRows(page, () => page.keyboard.press('Enter'), 'Show 2 new animals');
  await page.getByRole('button', { name: 'Show 2 new animals' }).click();
  await rowOf(page, 'Newcomer').waitFor();
  expect((await numbersInSight(page)).slice(0, 3)).toEqual([3002, 3001, 3000]);

  // The place of a drag that could not be read is read again, or forgotten.
  await context.route(/[?&]from=/, (route) => route.fulfill({ status: 403 }));
  await dragTo(page, 0.7);
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await dragTo(page, 0);
  await again.waitFor({ state: 'detached' });
  await waitForRow(page, 3002);
  await dragTo(page, 0.7);
  await again.waitFor();
  await context.unroute(/[?&]from=/);
  await again.click();
  await waitForRow(page, 900);
}

async function selectByKeyboard({ page, call }: ConsolePage): Promise<void> {
  const { keyboard } = page;
  const status = (text: string) =>
    page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' });
  const expectFocus = async (number: number) => {
    await page.locator(`.rows [role=row]:focus:has-text("#${number}")`).waitFor();
  };
  // The newest or the oldest first, in the address.
  await page.getByLabel('Sort').selectOption('Oldest first');
  await page.waitForURL(/sort=oldest/);
  await waitForRow(page, 1);
  await page.locator('.rows [role=row]').first().focus();
  await keyboard.press('End');
  await expectFocus(animalCount);
  await call('POST', '/pets', { name: 'Newcomer', categoryId: 1 });
  await page.getByRole('button', { name: 'Show 1 new animal' }).click();
  await waitForRow(page, animalCount + 1);

  // A range from the end to the start, of rows that were never loaded.
  await page.locator('.rows [role=row]').last().focus();
  await keyboard.press('Shift+Home');
  await expectFocus(1);
  await status('3,001 animals selected');
  await keyboard.press('Shift+ArrowDown');
  await status('3,000 animals selected');
  await keyboard.press('Shift+ArrowDown');
  await status('2,999 animals selected');
  await keyboard.press('Space');
  await status('2,998 animals selected');
  await keyboard.press('ControlOrMeta+a');
  await status('3,001 animals selected');
  await page.getByRole('button', { name: 'Clear selection' }).click();
}

/** The index of the row with the focus. */
const focusedRow = (page: Page) =>
  page.evaluate<number>("Number(document.activeElement.closest('[role=row]').ariaRowIndex)");

/** After a sale or a deletion, the row of the animal has the focus. */
async function sellByKeyboard({ page }: ConsolePage): Promise<void> {
  const { keyboard } = page;
  const dialog = page.getByRole('dialog');
  /** As a key does that is held. */
  const repeat = async (key: string) => {
    for (let count = 0; count < 3; count += 1) await keyboard.down(key);
  };
  await page.getByLabel('Search by name or number').fill('bella');
  await page
    .getByRole('status')
    .filter({ hasText: /^\d+ animals$/ })
    .waitFor();
  for (const action of ['Sell', 'Edit']) {
    await page
      .locator('.rows')
      .getByRole('button', { name: `${action} ` })
      .first()
      .focus();
    const index = await focusedRow(page);
    await keyboard.down('Enter');
    await dialog.waitFor();
    if (action === 'Edit') await dialog.getByRole('button', { name: 'Delete…' }).click();
    const yes = { name: action === 'Edit' ? 'Delete' : 'Sell', exact: true };
    // A key that is held presses only the first button.
    await dialog.getByRole('button', yes).focus();
    await repeat('Enter');
    await keyboard.up('Enter');
    expect(await dialog.count()).toBe(1);
    await keyboard.down('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.rows [role=row]:focus').waitFor();
    expect(await focusedRow(page)).toBe(index);
    await repeat('Enter');
    await keyboard.up('Enter');
    expect(await dialog.count()).toBe(0);
  }
}

/** A typed number shows its animal first. While a search is read, the rows before it stay. */
async function searchByNumber({ page, call }: ConsolePage): Promise<void> {
  await call('PATCH', '/pets/7', { name: 'Chip 1234' });
  const search = page.getByLabel('Search by name or number');
  const held = Promise.withResolvers<void>();
  await page.route(/name=1234/, async (route) => {
    await held.promise;
    await route.continue();
  });
  const isRead = page.waitForRequest(/name=1234/);
  await search.fill('#1234 ');
  await page.waitForURL(/name=%231234/);
  await search.fill(' 1234 ');
  await isRead;
  expect(await numbersInSight(page)).not.toEqual([]);
  await page.locator('[role=grid][aria-busy=true]').waitFor();
  await dragTo(page, 0.9);
  held.resolve();
  await page.getByRole('status').filter({ hasText: '2 animals' }).waitFor();
  expect(await numbersInSight(page)).toEqual([1234, 7]);
  expect(page.url()).toMatch(/name=1234$/);
  await page.getByLabel('Category').selectOption({ index: 1 });
  await page.getByLabel('Category').selectOption('');
  await search.fill('bella ');
  await page
    .getByRole('status')
    .filter({ hasText: /^\d+ animals$/ })
    .waitFor();
  await search.fill('a');
  await page.getByRole('status').filter({ hasText: '200+ animals' }).waitFor();
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('-1');
  await search.fill('');
  await waitForRow(page, animalCount);
}

/** Rows are selected all at once or as ranges, and keep their colour. */
async function selectRows({ page }: ConsolePage): Promise<void> {
  const box = (number: number) =>
    page.getByLabel(`(animal ${number})`).and(page.getByRole('checkbox'));
  await box(2999).click();
  await box(2995).click({ modifiers: ['Shift'] });
  await page.getByText('5 selected').waitFor();
  const row = page.locator('.rows [aria-selected=true]').first();
  const colour = () =>
    page.evaluate<string>(
      "getComputedStyle(document.querySelector('.rows [aria-selected=true]')).backgroundColor",
    );
  await page.mouse.move(0, 0);
  const before = await colour();
  await row.hover();
  expect(await colour()).toBe(before);
  const all = page.getByRole('checkbox', { name: 'Select all' });
  expect(await page.evaluate("document.querySelector('.head input').indeterminate")).toBe(true);
  await all.check();
  await page.getByText('3,000 selected').waitFor();
  await all.uncheck();
  await page.getByText('3,000 selected').waitFor({ state: 'detached' });
}

/** A key that sees no events reads the rows in sight again. It selects nothing. */
async function reloadInSight({ page, call, databaseUrl }: ConsolePage): Promise<void> {
  const made = await runProgram([
    ...['keys', 'create', '--name', 'reader', '--scopes', 'pets:read', '--json'],
    ...['--database', databaseUrl],
  ]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').fill((JSON.parse(made.stdout) as { apiKey: string }).apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: '3,000 animals' }).waitFor();
  await dragTo(page, 0.5);
  await waitForRow(page, 1500);
  const before = await numbersInSight(page);
  await call('PATCH', `/pets/${before[2]}`, { name: 'Renamed' });
  await page.getByRole('button', { name: 'Reload' }).click();
  await rowOf(page, 'Renamed').waitFor();
  expect(await numbersInSight(page)).toEqual(before);
  expect(await page.getByRole('checkbox').count()).toBe(0);
}

test('any animal of a long list is found by pointer, and changes of others move no row', async () => {
  await using shop = await openConsolePage({
    demo: ['--animals', String(animalCount)],
    browser: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  });
  await searchByNumber(shop);
  await selectRows(shop);
  await findByDragging(shop);
  expect(await findBarriers(shop.page)).toEqual([]);
});

test('any animal of a long list is found by keyboard on a phone, and the focus stays in the list', async () => {
  await using shop = await openConsolePage({
    demo: ['--animals', String(animalCount)],
    browser: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  });
  await selectByKeyboard(shop);
  await sellByKeyboard(shop);
  await reloadInSight(shop);
  expect(await findBarriers(shop.page)).toEqual([]);
});
