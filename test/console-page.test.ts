import { Database as Connection } from 'bun:sqlite';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import naughtyStrings from 'big-list-of-naughty-strings/blns.json';
import type { Page, Route } from 'playwright-core';
import { findBarriers } from './support/barriers.ts';
import { addAnimal, type ConsolePage, openConsolePage, rowOf } from './support/console-page.ts';
import { germanCsv } from './support/german-animals.ts';
import { runProgram } from './support/server-process.ts';

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

async function readPets(
  { call }: ConsolePage,
  query = '',
): Promise<{ name: string; status: string }[]> {
  return (await (await call('GET', `/pets?limit=100${query}`)).json()) as {
    name: string;
    status: string;
  }[];
}

/** Adds functions to a page that hold the body of the next response to a request, as a slow network does. */
const holdBodies = `
  const original = fetch;
  let next;
  let held;
  globalThis.holdBody = (request) => {
    held = { ...Promise.withResolvers(), isHeld: Promise.withResolvers() };
    next = request;
  };
  globalThis.bodyHeld = () => held.isHeld.promise;
  globalThis.releaseBody = async () => {
    held.resolve();
    // A later response and its drawing.
    await (await original('/console/v1/session')).text();
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  };
  globalThis.fetch = async (input, init) => {
    const response = await original(input, init);
    const path = decodeURIComponent(String(input).split('/console/v1')[1]);
    if (init?.body === '{}' || next?.test(\`\${init?.method} \${path}\`) !== true) return response;
    next = undefined;
    const text = await response.text();
    const { promise, isHeld } = held;
    isHeld.resolve();
    const body = new ReadableStream({
      async start(controller) {
        await promise;
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    });
    return new Response(body, response);
  };`;

const createClerk = `fetch('/console/v1/keys', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'clerk', scopes: ['pets:read'] }),
}).then((response) => response.json())`;

/** Runs a statement on the data of the server. */
function changeData({ databaseUrl }: ConsolePage, statement: string): void {
  using connection = new Connection(databaseUrl.replace('sqlite:', ''));
  connection.run('PRAGMA busy_timeout = 5000');
  connection.run(statement);
}

const endSessions = 'DELETE FROM console_tokens WHERE is_link = 0';
const hasEnded = { name: 'Your session has ended' } as const;

test('a first sale takes at most twelve actions from an empty catalogue', async () => {
  await using shop = await openConsolePage();
  const { page } = shop;
  // 1: the link was opened.
  await page.getByRole('button', { name: 'Add the first animal' }).click(); // 2
  await page.keyboard.type('Rex'); // 3
  await page.getByLabel('Name of the new category').fill('Dogs'); // 4
  await page.getByRole('button', { name: 'Add', exact: true }).click(); // 5
  await page.getByRole('button', { name: 'Sell Rex' }).click(); // 6
  await page.getByRole('button', { name: 'Sell', exact: true }).last().click(); // 7
  await rowOf(page, 'Rex').getByText('sold').waitFor();
  expect(await readPets(shop)).toMatchObject([{ name: 'Rex', status: 'sold' }]);
  const orders = await (await shop.call('GET', '/store/orders')).json();
  expect(orders).toMatchObject([{ petId: 1, status: 'shipped', complete: true }]);
  expect(shop.complaints).toEqual([]);
});

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

  test('keep every digit: typed, listed, filtered, edited, imported and exported', async () => {
    // A decimal comma makes spreadsheets use the semicolon.
    await using shop = await openConsolePage({ browser: { locale: 'de-DE' } });
    const { page } = shop;
    const numbers = ['9223372036854775807', '9007199254740993', '-9223372036854775808'];
    for (const number of numbers) await addAnimal(page, `Pet ${number}`, number);
    for (const number of numbers)
      await rowOf(page, `Pet ${number}`).getByText(number, { exact: true }).waitFor();

    await page.goto(`${shop.server.origin}/console/w/default/#animals?category=${numbers[0]}`);
    await rowOf(page, `Pet ${numbers[1]}`).waitFor({ state: 'detached' });
    await rowOf(page, `Pet ${numbers[0]}`).getByRole('button', { name: 'Edit' }).click();
    const field = page.getByLabel('Number of the category');
    expect(await field.inputValue()).toBe(numbers[0] ?? '');
    await field.fill('9223372036854775806');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('was saved').waitFor();

    await page.goto(`${shop.server.origin}/console/w/default/#import`);
    await page.getByLabel('CSV file').setInputFiles({
      name: 'more.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('name,category,status\nImported,9007199254740995,reserved\n'),
    });
    await page.getByRole('button', { name: 'Add 1', exact: true }).click();
    await page.getByText('1 added.').waitFor();
    await page.getByRole('link', { name: 'Show the animals' }).click();
    await rowOf(page, 'Imported').getByText('9007199254740995').waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const exported = await Bun.file(await download.path()).text();
    expect(exported.split('\r\n')).toEqual([
      'id;name;categoryId;category;status',
      '4;Imported;9007199254740995;;reserved',
      '3;Pet -9223372036854775808;-9223372036854775808;;available',
      '2;Pet 9007199254740993;9007199254740993;;available',
      '1;Pet 9223372036854775807;9223372036854775806;;available',
      '',
    ]);
  });

  test('with unsaved input are discarded only at the second attempt', async () => {
    await using shop = await openConsolePage();
    const { page } = shop;
    for (const name of ['Close', 'Cancel']) {
      await page.getByRole('button', { name: 'Add the first animal' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Rex');
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByText('Your changes are not saved.').waitFor();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Rex');
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await goTo(page, 'Orders');
    await goTo(page, 'Animals');
    await page.getByRole('button', { name: 'Add the first animal' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Rex');
    await page.goBack();
    await page.getByText('Your changes are not saved.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Rex');
    expect(page.url()).toEndWith('#animals');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('that two users edit at once lose no change of either', async () => {
    await using shop = await openConsolePage();
    const { page, call } = shop;
    await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
    await rowOf(page, 'Rex').or(page.getByText('Show 1 new animal')).first().waitFor();
    await page.reload();
    await rowOf(page, 'Rex').getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Rexine');
    // Another user sells it during this time.
    await call('PATCH', '/pets/1', { status: 'sold' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Another user has changed this animal').waitFor();
    expect(await readPets(shop)).toMatchObject([{ name: 'Rex', status: 'sold' }]);
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Rexine (animal 1) was saved.').waitFor();
    expect(await readPets(shop)).toMatchObject([{ name: 'Rexine', status: 'sold' }]);

    // A category that does not exist yet is compared as well.
    await rowOf(page, 'Rexine').getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Category', { exact: true }).selectOption('new');
    await dialog.getByLabel('Name of the new category').fill('Dogs');
    await call('PATCH', '/pets/1', { name: 'Max' });
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Another user has changed this animal').waitFor();
    await page.getByRole('row', { name: 'Category Dogs (new) 1' }).waitFor();
  });

  test('keep a new category that was added while the categories were read', async () => {
    await using shop = await openConsolePage();
    const { page } = shop;
    const held = Promise.withResolvers<void>();
    await page.route(/\/categories\?/, async (route) => {
      const response = await route.fetch();
      await held.promise;
      await route.fulfill({ response });
    });
    await page.reload();
    await addAnimal(page, 'Rex', 'Dogs');
    await goTo(page, 'Categories');
    held.resolve();
    await page.getByText('Loading…').waitFor({ state: 'hidden' });
    expect(await rowOf(page, 'Dogs').count()).toBe(1);
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

  test('that could not be loaded are loaded again when they are saved', async () => {
    await using shop = await openConsolePage();
    const { page } = shop;
    await addAnimal(page, 'Rex', '5');
    await page.route('**/v1/pets/1', (route) => route.fulfill({ status: 403 }));
    await rowOf(page, 'Rex').getByRole('button', { name: 'Edit' }).click();
    const refused = page.getByText('in place of the server (HTTP 403). Try again.');
    await refused.waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Rexine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Save' }).and(page.locator(':enabled')).waitFor();
    await refused.waitFor();
    await page.unroute('**/v1/pets/1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Rexine (animal 1) was saved.').waitFor();
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

  test('of one workspace change in the tab that shows it, while another tab shows another', async () => {
    await using shop = await openConsolePage({ demo: ['--animals', '30'] });
    const { page, context, server, databaseUrl } = shop;
    const annex = ['annex', '--database', databaseUrl];
    await runProgram(['workspaces', 'create', ...annex]);
    await runProgram(['demo', '--animals', '30', '--workspace', ...annex]);
    const other = await context.newPage();
    await other.goto(`${server.origin}/console/w/annex/`);
    await other.getByRole('link', { name: 'All 30' }).waitFor();
    for (const index of [0, 1, 2]) await page.locator('.rows [type=checkbox]').nth(index).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'All 27' }).waitFor();
    await other.reload();
    await other.getByRole('link', { name: 'All 30' }).waitFor();
  });

  test('and their results are not shown to another user', async () => {
    await using shop = await openConsolePage();
    const { page, context, server } = shop;
    await page.addInitScript(holdBodies);
    await page.reload();
    const other = await context.newPage();
    await other.goto(`${server.origin}/console`);
    // A key that may do less.
    const { key } = await page.evaluate<{ key: string }>(createClerk);
    await page.evaluate('holdBody(/^POST .pets$/)');
    const adding = addAnimal(page, 'Amy', '5');
    await page.evaluate('bodyHeld()');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key or link').fill(key);
    await page.keyboard.press('Enter');
    await rowOf(page, 'Amy').waitFor();
    await adding;
    await page.getByRole('link', { name: 'All 1', exact: true }).waitFor();
    const read = async () => [
      await page.getByRole('main').innerText(),
      await page.locator('.notices').innerText(),
      page.url(),
    ];
    const before = await read();
    await page.evaluate('releaseBody()');
    expect(await read()).toEqual(before);
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

  test('with direction characters in their names do not reverse the text around them', async () => {
    await using shop = await openConsolePage();
    const { page, call } = shop;
    // The second name first ends an isolation.
    for (const start of ['\u202e', '\u2069\u202e']) {
      await call('POST', '/pets', { name: `${start}"dlos saw (7 lamina) xeR"`, categoryId: 1 });
    }
    await goTo(page, 'Events');
    await page.getByText('(animal 2) was added').waitFor();
    // The characters of the sentence follow the name in reading order.
    const areInOrder = await page.evaluate(`(() => {
      const range = document.createRange();
      const rectangleOf = (node) => (range.selectNodeContents(node), range.getBoundingClientRect());
      return [...document.querySelectorAll('.events li p bdi')].map(
        (name) => rectangleOf(name).right <= rectangleOf(name.nextSibling).left + 1,
      );
    })()`);
    expect(areInOrder).toEqual([true, true]);
    await goTo(page, 'Keys');
    await page.getByRole('rowheader').locator('bdi').getByText('first').waitFor();
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

test('a category is deleted with the number of its animals named, and can be named again', async () => {
  await using shop = await openConsolePage();
  const { page, call } = shop;
  for (const name of ['Rex', 'Tom']) await call('POST', '/pets', { name, categoryId: 7 });
  await call('PUT', '/categories/7', { name: 'Dogs' });
  await page.route('**/categories?**', (route) => route.fulfill({ status: 403 }));
  await page.reload();
  const failure = page.getByRole('alert').filter({ hasText: '(HTTP 403). Try again.' });
  await failure.waitFor();
  await goTo(page, 'Categories');
  await failure.waitFor();
  await page.unroute('**/categories?**');
  await page.getByRole('button', { name: 'Try again' }).click();

  // Without a change, nothing is saved.
  await page.getByRole('button', { name: 'Edit Dogs' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByText('was saved').count()).toBe(0);

  await page.getByRole('button', { name: 'Delete Dogs' }).click();
  const question = page.getByRole('dialog', { name: 'Delete category Dogs (7)?' });
  await question.getByText('2 animals stay, and show the number 7').waitFor();
  // Another user changes it while the question is open.
  await call('PUT', '/categories/7', { name: 'Hounds' });
  await question.getByRole('button', { name: 'Delete', exact: true }).click();
  await page
    .getByText('Another user has changed this category to: Hounds. Press the button again')
    .waitFor();
  expect((await call('GET', '/categories/7')).status).toBe(200);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Category Hounds (7) was deleted.').waitFor();

  await page.getByRole('link', { name: 'without a name' }).click();
  await rowOf(page, 'Rex').waitFor();
  await page.getByLabel('Category', { exact: true }).selectOption('All categories');
  await page.waitForURL(/#animals$/);
  await page.getByLabel('Category', { exact: true }).selectOption('7 (without a name)');
  await page.waitForURL(/category=7/);
  await goTo(page, 'Categories');
  await page.getByRole('button', { name: 'Give a name to number 7' }).click();
  expect(await page.getByRole('textbox', { name: 'Number' }).inputValue()).toBe('7');
  await page.getByLabel('Name', { exact: true }).fill('Wolves');
  await call('PUT', '/categories/7', { name: 'Foxes' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Another category has the number 7 already.').waitFor();
  await page.getByRole('textbox', { name: 'Number' }).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await rowOf(page, 'Wolves').waitFor();
  expect(await (await call('GET', '/categories')).json()).toEqual([
    { id: 7, name: 'Foxes' },
    { id: 1, name: 'Wolves' },
  ]);

  // Numbers of animals that arrive are shown up to a limit. The page has room for all rows.
  await page.setViewportSize({ width: 1280, height: 6000 });
  for (let id = 1001; id <= 1105; id += 1) {
    await call('POST', '/pets', { name: 'Rex', categoryId: id });
  }
  await call('PUT', '/categories/8', { name: 'Cats' });
  await rowOf(page, 'Cats').waitFor();
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('104');
});

describe('changes of other users', () => {
  test('appear within a second, and move no row under the pointer', async () => {
    await using shop = await openConsolePage();
    const { page, context, server } = shop;
    await addAnimal(page, 'Rex', 'Dogs');
    const other = await context.newPage();
    await other.goto(`${server.origin}/console`);
    await rowOf(other, 'Rex').waitFor();
    await other.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await page.getByRole('button', { name: 'Sell', exact: true }).last().click();
    await rowOf(other, 'Rex').getByText('sold').waitFor();
    await addAnimal(page, 'Tom', 'Cats');
    await other.getByRole('button', { name: 'Show 1 new animal' }).waitFor();
    expect(await rowOf(other, 'Tom').count()).toBe(0);
    await other.getByRole('button', { name: 'Show 1 new animal' }).click();
    await rowOf(other, 'Tom').waitFor();
  });

  test('are read by Reload if the server keeps no events, and the page says so', async () => {
    await using shop = await openConsolePage({ serve: ['--event-days', '0'] });
    const { page, call } = shop;
    await page.getByText('Changes by others are not shown at once').waitFor();
    await call('POST', '/pets', { name: 'Rex', categoryId: 5 });
    await page.getByRole('button', { name: 'Reload' }).click();
    await rowOf(page, 'Rex').waitFor();
  });

  test('are not marked as live while the server does not answer', async () => {
    await using shop = await openConsolePage();
    const { page, server } = shop;
    await page.clock.install();
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add an animal' }).click();
    await page.getByLabel('Name of the new category').fill('Dogs');
    process.kill(server.pid, 'SIGSTOP');
    try {
      await page.getByLabel('Name', { exact: true }).fill('Rex');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Adding…' }).waitFor();
      await page.clock.runFor(6000);
      // One slow answer is no lost connection.
      await page.getByText('Waiting for the server…').waitFor();
      // The user need not wait for the result.
      await page.getByText('You can close this dialog').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await page.getByText('Rex (animal 1) was added.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    // No request is running any more.
    await page.getByRole('link', { name: 'All 1' }).waitFor();
    process.kill(server.pid, 'SIGSTOP');
    try {
      // The service sends at least a heartbeat every 15 s.
      await page.clock.fastForward(46_000);
      await page.getByText('Live', { exact: true }).waitFor();
      await page.clock.runFor(10_000);
      await page.getByText('No connection: trying again').waitFor();
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await page.getByText('Live', { exact: true }).waitFor();
  });

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

test('every screen follows WCAG 2.2 AA in the light and the dark scheme, and calls no other server', async () => {
  await using shop = await openConsolePage({ browser: { colorScheme: 'light' } });
  const { page, server, requests } = shop;
  const found: string[] = [];
  const look = async (what: string) => {
    for (const barrier of await findBarriers(page)) found.push(`${what}: ${barrier}`);
  };
  await page.getByText('Live', { exact: true }).waitFor();
  await look('first steps');
  await addAnimal(page, 'Rex', 'Dogs');
  await addAnimal(page, 'Tom', '5');
  await look('animals');
  await page.getByLabel('Select Rex').check();
  await look('selected');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await look('delete');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add an animal' }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Enter a name.').first().waitFor();
  await page.getByText('Choose a category.').waitFor();
  await look('add, with a fault');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Edit Rex' }).click();
  await look('edit');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Reserve Rex' }).click();
  await look('keep');
  await page.getByRole('button', { name: 'Reserve', exact: true }).last().click();
  await goTo(page, 'Orders');
  await page.getByText('Rex (1)').waitFor();
  await look('orders');
  await page.getByRole('button', { name: 'Reserve by number' }).click();
  await page.getByLabel('Number of the animal').fill('1');
  await page.getByRole('button', { name: 'Reserve', exact: true }).click();
  await page.getByText('It is reserved now.').waitFor();
  await look('place an order, with a fault');
  await page.keyboard.press('Escape');
  await page.getByText('Your changes are not saved.').waitFor();
  await page.keyboard.press('Escape');
  await goTo(page, 'Categories');
  await look('categories');
  await page.getByRole('button', { name: 'Add a category' }).click();
  await look('add a category');
  await page.keyboard.press('Escape');
  await goTo(page, 'Events');
  await page.getByText('Order 1 for Rex (animal 1) was placed').waitFor();
  await look('events');
  await goTo(page, 'Keys');
  await page.getByRole('cell', { name: 'do everything in the shop' }).waitFor();
  await look('keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await look('create a key');
  await page.getByLabel('Name', { exact: true }).fill('Website');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('it is never shown again').waitFor();
  await look('the key');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.goto(`${server.origin}/console/w/default/#import`);
  await look('import');
  await page.getByLabel('CSV file').setInputFiles({
    name: 'a.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('name,category\nA,1\n,2\nB,9.2E+18\nC,Birds\n'),
  });
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('2 questions have no answer yet.').waitFor();
  await look('import, with faults');
  await page.getByLabel('Status is in').selectOption('All are available');
  await page.getByRole('button', { name: 'Create this new category' }).click();
  await page.getByRole('button', { name: 'Add 2, leave out 2' }).click();
  await page.getByRole('heading', { name: 'The import is done' }).waitFor();
  await look('import, done');
  await page.getByRole('button', { name: 'Undo: remove 2 animals' }).click();
  await page.getByRole('heading', { name: 'The import was undone' }).waitFor();
  await look('import, undone');
  await page.goto(`${server.origin}/console/w/default/#animals?name=nothing`);
  await page.getByText('No animal matches').waitFor();
  await look('nothing fits');
  const nearEnd = `last_active_at = 0, expires_at = ${Date.now() + 240_000}`;
  changeData(shop, `UPDATE console_tokens SET ${nearEnd} WHERE is_link = 0`);
  await page.reload();
  await page.getByText('Your session ends at').waitFor();
  await look('the end of the session is near');
  // In the same tab, the link changes only the part after the #.
  const link = (await shop.newLink()).replace('/console#', '/console/w/default/#');
  await page.evaluate(`location.href = ${JSON.stringify(link)}`);
  await page.getByText('You opened a link').waitFor();
  await look('a link over a session');
  await page.getByRole('button', { name: 'Keep this session' }).click();
  changeData(shop, endSessions);
  await page.getByRole('heading', hasEnded).waitFor();
  await look('the session has ended');
  await page.getByLabel('API key or link').fill(link);
  await page.keyboard.press('Enter');
  await page.getByText('No animal matches').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Paste an API key or a link.').waitFor();
  await look('sign in, with a fault');
  await page.goto(`${server.origin}/`);
  await look('start');
  expect(found).toEqual([]);
  // The browser itself logs a refused answer.
  const own = shop.complaints.filter((text) => !/^Failed to load resource.*(409|412)/.test(text));
  expect(own).toEqual([]);
  expect([...new Set(requests.map((url) => new URL(url).origin))]).toEqual([server.origin]);
});

/** Controls of the page that a finger misses, that are outside of the page, or whose text makes a phone zoom. */
async function findSmallControls(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(() => {
    const found = [];
    const seen = '.button, select, input:not([type=checkbox], [type=radio]), textarea, .target, .frame a';
    for (const element of (document.querySelector('dialog') ?? document).querySelectorAll(seen)) {
      const { width, height, left, right } = element.getBoundingClientRect();
      if (height === 0) continue;
      const isField = element.matches('input, select, textarea');
      const isZoomed = isField && parseFloat(getComputedStyle(element).fontSize) < 16;
      // The navigation is scrolled sideways.
      const isOutside = !element.closest('nav') && (left < 0 || right > innerWidth);
      if (width < 44 || height < 44 || isZoomed || isOutside) {
        found.push([element.getAttribute('aria-label') ?? element.textContent, width, height, left, right].join(' '));
      }
    }
    return found;
  })()`);
}

test('a phone 320 pixels wide shows the open screen, the whole text of its filters, and controls that a finger hits', async () => {
  await using shop = await openConsolePage({ browser: { viewport: { width: 320, height: 640 } } });
  const { page, server, call } = shop;
  await addAnimal(page, 'Rex', 'Dogs');
  // Chromium gives the text width of a select only if nothing limits it.
  const [given, needed] = await page.evaluate<[number, number]>(`(() => {
    const select = document.querySelector('.filters select');
    const given = select.offsetWidth;
    Object.assign(select.style, { flex: 'none', width: 'max-content' });
    return [given, select.offsetWidth];
  })()`);
  expect(given).toBeGreaterThanOrEqual(needed);
  await page.getByRole('checkbox').last().check();
  await page.getByText('1 selected').waitFor();
  const small = { animals: await findSmallControls(page), edit: [], categories: [], keys: [] };
  await page.getByRole('button', { name: 'Edit Rex' }).click();
  await page.getByRole('dialog').waitFor();
  Object.assign(small, { edit: await findSmallControls(page) });
  await page.keyboard.press('Escape');
  await page.goto(`${server.origin}/console/w/default/#categories`);
  const dogs = rowOf(page, 'Dogs');
  await dogs.waitFor();
  await call('PUT', '/categories/1', { name: 'Dogs', description: 'They bark.' });
  // The row has room for its two lines, and not for a second line of controls.
  const text = await dogs.getByText('They bark.').boundingBox();
  const row = await dogs.boundingBox();
  expect((text?.y ?? 0) + (text?.height ?? 0)).toBeLessThan((row?.y ?? 0) + (row?.height ?? 0));
  expect(row?.height).toBeLessThan(88);
  Object.assign(small, { categories: await findSmallControls(page) });
  await page.goto(`${server.origin}/console/w/default/#keys`);
  await page.getByRole('button', { name: 'Revoke' }).waitFor();
  Object.assign(small, { keys: await findSmallControls(page) });
  expect(small).toEqual({ animals: [], edit: [], categories: [], keys: [] });
  const link = page.getByRole('link', { name: 'Keys' });
  await link.and(page.locator('[aria-current]')).waitFor();
  const box = await link.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
});

// ANIMAL_STORE_TEST_PICTURES=1 takes the pictures again.
test('docs/console.md shows each screen', async () => {
  await using shop = await openConsolePage({
    browser: { viewport: { width: 1120, height: 630 } },
    demo: ['--animals', '60', '--orders', '14'],
  });
  const { page, server, call } = shop;
  const root = join(import.meta.dir, '..');
  const taken: string[] = [];
  const take = async (name: string) => {
    taken.push(name);
    if (process.env.ANIMAL_STORE_TEST_PICTURES !== '1') return;
    await page.screenshot({ path: join(root, `docs/pictures/console-${name}.png`) });
  };
  for (const name of ['Rex', 'Mia', 'Tom']) await call('POST', '/pets', { name, categoryId: 1 });
  await call('PATCH', '/pets/61', { status: 'pending' });
  const order = await (await call('POST', '/store/orders', { petId: 62 })).json();
  const { id } = order as { id: number };
  await call('PATCH', `/store/orders/${id}`, { status: 'shipped' });
  for (const [petId, note] of Object.entries({ 59: 'Ms Miller, 0171 555 1234', 56: 'Mr Gray' })) {
    const reserved = `/store/orders?petId=${petId}&status=pending`;
    const [open] = (await (await call('GET', reserved)).json()) as { id: number }[];
    const change = { note, shipDate: '2027-12-24T12:00:00Z' };
    await call('PATCH', `/store/orders/${open?.id}`, change);
  }
  await page.reload();
  await rowOf(page, 'Mia').getByText('sold').waitFor();
  await rowOf(page, '#59').getByText('for Ms Miller').waitFor();
  await page.getByText('63 animals').first().waitFor();
  await take('animals');
  await page.getByRole('link', { name: 'Mia', exact: true }).click();
  await page.getByText('Order 15 was handed over').waitFor();
  await take('animal');
  await goTo(page, 'Orders');
  await rowOf(page, 'Mia (62)').waitFor();
  await page.getByText('15 orders').first().waitFor();
  await take('orders');
  await goTo(page, 'Categories');
  await rowOf(page, 'Dogs').waitFor();
  await take('categories');
  await goTo(page, 'Events');
  await page.getByText('Rex (animal 61) was changed: status from available to reserved').waitFor();
  await take('events');
  await goTo(page, 'Keys');
  await page.getByRole('rowheader', { name: 'first' }).waitFor();
  await take('keys');
  await page.goto(`${server.origin}/console/w/default/#import`);
  await page.getByLabel('CSV file').setInputFiles({
    name: 'Bestand.csv',
    mimeType: 'text/csv',
    buffer: germanCsv(),
  });
  await page.getByText('Not imported: Nr.').waitFor();
  await take('import');
  const guide = await Bun.file(join(root, 'docs/console.md')).text();
  const shown = [...guide.matchAll(/pictures\/console-(\w+)\.png/g)].map(([, name]) => name);
  expect(shown.toSorted()).toEqual(taken.toSorted());
  for (const name of taken) {
    expect(await Bun.file(join(root, `docs/pictures/console-${name}.png`)).exists()).toBe(true);
  }
});
