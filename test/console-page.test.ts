import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import naughtyStrings from 'big-list-of-naughty-strings/blns.json';
import type { Page, Route } from 'playwright-core';
import { openConsolePage, rowOf } from './support/console-page.ts';

// A browser draws for seconds, longer than Bun's default of five for a test. Each wait has its own, shorter limit.
setDefaultTimeout(120_000);

/** The promises name this many. Tests use them on demand. */
const isLong = process.env.ANIMAL_STORE_TEST_RUNS !== undefined;

async function goTo(page: Page, screen: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: screen })
    .click();
  await page.getByRole('heading', { level: 1, name: screen }).waitFor();
}

describe('the animals', () => {
  test('with markup in their names are shown as plain text', async () => {
    await using shop = await openConsolePage();
    const { page, call } = shop;
    const names = [...new Set([...naughtyStrings, '<img src=x onerror=alert(1)>', '<b>bold</b>'])];
    const stored: string[] = [];
    for (const name of names) {
      if ((await call('POST', '/pets', { name, categoryId: 1 })).status === 201) stored.push(name);
    }
    await page.reload();
    const shown = new Set<string>();
    await rowOf(page, '<b>bold</b>').waitFor();
    for (
      let top = 0;
      shown.size < new Set(stored).size && top < stored.length * 44 + 2000;
      top += 440
    ) {
      await page.evaluate(`document.querySelector('[role=grid]').scrollTop = ${top}`);
      await page.evaluate(
        'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
      );
      for (const name of await page.evaluate<string[]>(
        "[...document.querySelectorAll('.rows .name bdi')].map((cell) => cell.textContent)",
      ))
        shown.add(name);
    }
    // A name that cannot be seen is shown as the number of the animal.
    const isVisible = (name: string) => /[^\s\p{Default_Ignorable_Code_Point}]/u.test(name);
    expect([...new Set(stored)].filter((name) => isVisible(name) && !shown.has(name))).toEqual([]);
    expect(shop.complaints).toEqual([]);
  });

  test('have their newest counts, also if an answer is older than a change that came before it', async () => {
    await using shop = await openConsolePage();
    const { page, call } = shop;
    const held = Promise.withResolvers<void>();
    const hold = async (route: Route) => {
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response });
    };
    await page.getByRole('link', { name: 'All 0' }).waitFor();
    await page.route('**/store/inventory', hold, { times: 1 });
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
    await page.getByRole('button', { name: 'Show 1 new animal' }).waitFor();
    held.resolve();
    await page.getByRole('link', { name: 'All 1' }).waitFor();
  });

  test('that are selected are changed at once, and those that cannot be changed are named', async () => {
    await using shop = await openConsolePage({ demo: ['--animals', '120'] });
    const { page, call } = shop;
    // This includes animals that are outside the visible rows.
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByText('120 selected').waitFor();
    // The page shows the change of another user, and the animals stay selected.
    await call('PATCH', '/pets/119', { name: 'Gone home', status: 'sold' });
    await rowOf(page, 'Gone home').waitFor();
    await call('DELETE', '/pets/120');
    await page.locator('.rows .gone').getByText('deleted').waitFor();
    await page.getByRole('button', { name: 'Set to reserved' }).click();
    const question = page.getByRole('dialog', { name: 'Set 120 animals to reserved?' });
    await question.getByRole('button', { name: 'Set to reserved' }).click();
    await page
      .getByText(/^\d+ animals were set to reserved\. \d+ animals were reserved before\.$/)
      .waitFor();
    await page.getByText(' (animal 120): It was deleted.').waitFor();
    await page
      .getByText(/ \(animal 119\): Another user has changed it .* it is sold now/)
      .waitFor();
    expect(await (await call('GET', '/store/inventory')).json()).toEqual({
      available: 0,
      pending: 118,
      sold: 1,
    });
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Set category…' }).click();
    const moving = page.getByRole('dialog', { name: 'Set the category of one animal' });
    await moving.getByLabel('Category', { exact: true }).selectOption('new');
    await moving.getByLabel('Name of the new category').fill('Unicorns');
    await page.keyboard.press('Enter');
    // It was named and selected again, so it is changed in its present state.
    await page.getByText('1 animal was moved to another category.').waitFor();
    await rowOf(page, 'Gone home').getByText('Unicorns').waitFor();
    await page.getByLabel('Select Gone home').check();
    await page.getByRole('button', { name: 'Select all' }).click();
    await page.getByText('119 selected').waitFor();
  });

  test('keep their filter and search after a reload or a return', async () => {
    await using shop = await openConsolePage({ demo: ['--animals', '500'] });
    const { page } = shop;
    await page.getByLabel('Search by name').fill('a');
    await page.waitForURL(/name=a/);
    await page.getByRole('link', { name: /^available/i }).click();
    await page.waitForURL(/status=available/);
    await page.reload();
    expect(await page.getByLabel('Search by name').inputValue()).toBe('a');
    // While a search is active, the filter shows no count.
    await page.getByRole('link', { name: 'All', exact: true }).waitFor();
    await goTo(page, 'Orders');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Animals' }).waitFor();
    expect(page.url()).toMatch(/status=available/);
    expect(await page.getByLabel('Search by name').inputValue()).toBe('a');
  });

  test(
    'show at most 80 rows in the page, each animal once',
    async () => {
      const count = isLong ? 100_000 : 1200;
      const millisecondsMax = isLong ? 350_000 : 40_000;
      await using shop = await openConsolePage({ demo: ['--animals', String(count)] });
      const { page } = shop;
      await page.locator('.rows [role=row]').first().waitFor();
      const seen = await page.evaluate<{
        ids: number;
        rowsMax: number;
        twice: number;
        fault: string | undefined;
        isShown: boolean;
      }>(`(async () => {
      const end = performance.now() + ${millisecondsMax};
      const scroller = document.querySelector('[role=grid]');
      const ids = new Set();
      let rowsMax = 0, twice = 0;
      const isDrawn = () => {
        const { bottom } = scroller.getBoundingClientRect();
        const rows = [...document.querySelectorAll('.rows [role=row]')];
        return rows.some((row) => Math.abs(row.getBoundingClientRect().bottom - bottom) < 50);
      };
      while (ids.size < ${count} && performance.now() < end) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        if (!isDrawn()) continue;
        const cells = [...document.querySelectorAll('.rows .number')].map((cell) => cell.textContent);
        rowsMax = Math.max(rowsMax, cells.length);
        twice += cells.length - new Set(cells).size;
        for (const id of cells) ids.add(id);
        scroller.scrollTop += 600;
      }
      const fault = document.querySelector('.table-note')?.textContent;
      return { ids: ids.size, rowsMax, twice, fault, isShown: scroller.isConnected };
    })()`);
      expect(seen).toMatchObject({ ids: count, twice: 0, fault: undefined, isShown: true });
      expect(seen.rowsMax).toBeLessThanOrEqual(80);
    },
    isLong ? 400_000 : 60_000,
  );
});

describe('changes of other users', () => {
  test('arrive in ten windows over three streams, also when the windows that had them are closed', async () => {
    await using shop = await openConsolePage();
    const { page, context, server, requests, call } = shop;
    await page.getByText('Live', { exact: true }).waitFor();
    const tabs = await Promise.all(
      Array.from({ length: 9 }, async () => {
        const tab = await context.newPage();
        await tab.goto(`${server.origin}/console`);
        await tab.getByText('Live', { exact: true }).waitFor();
        return tab;
      }),
    );
    const streams = () => requests.filter((url) => url.includes('/events/stream')).length;
    expect(streams()).toBe(3);
    await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
    // The event makes each tab load the counts again.
    for (const tab of tabs) await tab.getByRole('link', { name: 'All 1' }).waitFor();
    await page.close();
    await call('POST', '/pets', { name: 'Tom', categoryId: 1 });
    for (const tab of tabs) await tab.getByRole('link', { name: 'All 2' }).waitFor();
  });
});
