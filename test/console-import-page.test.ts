import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { openBrowserPage } from './support/browser.ts';
import { type ConsolePage, openConsolePage } from './support/console-page.ts';
import { findFreePort } from './support/free-port.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

setDefaultTimeout(120_000);

/** The promises name this many. Tests use them on demand. */
const isLong = process.env.ANIMAL_STORE_TEST_RUNS !== undefined;

/** Rows of a file: name, category and status. */
function rowsOf(count: number, category: string): string[] {
  // Each name is there twice, because two animals can have one name.
  return Array.from({ length: count }, (_, index) => `Pet ${index >> 1},${category},available`);
}

function file(rows: readonly string[]) {
  const text = `name,category,status\n${rows.join('\n')}\n`;
  return { name: 'pets.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
}

async function chooseFile(page: Page, rows: readonly string[]): Promise<void> {
  await page.getByLabel('CSV file').setInputFiles(file(rows));
}

/** Gives answers to questions about the chosen file, and starts its import. The button names the number of animals. */
async function start(
  page: Page,
  button: RegExp | string,
  ...answers: readonly string[]
): Promise<void> {
  for (const answer of answers) await page.getByText(answer, { exact: true }).click();
  await page.getByRole('button', { name: button, exact: true }).click();
}

const createCategory = 'Create this new category';
const addRepeated = 'Yes, add them too';

const undo = /^Undo: remove /;
const undoAll = /^Undo all imports of this file: remove /;

async function click(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

async function waitForEnd(page: Page, heading: string): Promise<string> {
  await page.getByRole('heading', { name: heading }).waitFor({ timeout: 60_000 });
  return (await page.locator('.sheet [role="status"]').textContent()) ?? '';
}

/** A server that can be killed and started again at the same address, with the same data. */
async function openKillableServer() {
  const folder = makeTemporaryFolder();
  const databaseUrl = `sqlite:${folder.path}/test.db`;
  const port = `${findFreePort()}`;
  const launch = () => startServerProcess(databaseUrl, { args: ['--port', port] });
  let server = await launch();
  const apiKey = server.firstKey;
  const { origin } = server;
  const call = (method: string, path: string, body?: object) =>
    fetch(`${origin}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  return {
    origin,
    call,
    readRows: () => readRows(call),
    async link() {
      const made = await runProgram(['console', '--database', databaseUrl, '--port', port]);
      return made.stdout.trim();
    },
    async killAndStart(between = async () => {}): Promise<void> {
      await server.stop('SIGKILL');
      await between();
      server = await launch();
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** All animals as rows of a file, in the order of the alphabet. */
async function readRows(call: ConsolePage['call']): Promise<string[]> {
  const rows: string[] = [];
  for (let from = 0; ; ) {
    const response = await call('GET', `/pets?limit=100&sort=id&from=${from}`);
    const pets = (await response.json()) as Record<string, number>[];
    rows.push(...pets.map(({ name, categoryId, status }) => `${name},${categoryId},${status}`));
    if (pets.length < 100) return rows.toSorted();
    from = Number(pets.at(-1)?.id) + 1;
  }
}

async function readIds(call: ConsolePage['call'], names: readonly string[]) {
  const response = await call('GET', '/pets?limit=100');
  const pets = (await response.json()) as { readonly id: number; readonly name: string }[];
  return names.map((name) => pets.find((pet) => pet.name === name)?.id);
}

/** The requests with rows of an import. Each is held until it may continue. */
async function holdRows(page: Page) {
  const held: ((act: 'pass' | 'lose') => void)[] = [];
  let onHeld = () => {};
  await page.route(/\/imports\/\w+\/pets$/, async (route) => {
    const { promise, resolve } = Promise.withResolvers<'pass' | 'lose'>();
    held.push(resolve);
    onHeld();
    const act = await promise;
    // The server adds the rows, and the page waits for the answer until it is closed.
    if (act === 'lose') return void (await route.fetch());
    await route.continue();
  });
  return {
    /** Waits for the next request, and lets it pass or not. */
    async next(act: 'pass' | 'lose'): Promise<void> {
      while (held.length === 0) {
        await new Promise<void>((resolve) => {
          onHeld = resolve;
        });
      }
      held.shift()?.(act);
    },
    stop: () => page.unrouteAll({ behavior: 'ignoreErrors' }),
  };
}

describe('an import', () => {
  test('whose browser is closed and whose server is killed continues in another browser: each row is added once, and Undo removes these animals only', async () => {
    await using server = await openKillableServer();
    const { origin, call } = server;
    const count = 400;
    const rows = rowsOf(count, 'Mice');
    const kept = ['Pet 1,5,available'];
    await call('POST', '/pets', { name: 'Pet 1', categoryId: 5 });
    const openImport = async (page: Page) => {
      await page.goto(await server.link());
      await page.getByText('Live', { exact: true }).waitFor();
      await page.goto(`${origin}/console/w/default/#import`);
      await chooseFile(page, rows);
    };
    {
      await using closed = await openBrowserPage();
      await openImport(closed.page);
      const requests = await holdRows(closed.page);
      await start(closed.page, `Add ${count}`, createCategory, addRepeated);
      await requests.next('pass');
      await requests.next('lose');
      while ((await server.readRows()).length < 151);
    }
    await using browser = await openBrowserPage();
    const { page } = browser;
    await openImport(page);
    await page.getByText('150 animals of it are in the catalogue').waitFor();
    const requests = await holdRows(page);
    await start(page, 'Add 250', addRepeated);
    await requests.next('pass');
    await page.getByText('50 of 250 rows done.').waitFor();
    await server.killAndStart(async () => {
      await requests.next('pass');
      await requests.stop();
      await page.getByText('The server does not answer, or limits requests.').waitFor();
    });
    expect(await waitForEnd(page, 'The import is done')).toBe('250 added. 150 were there already.');
    expect(await server.readRows()).toEqual([...rowsOf(count, '1'), ...kept].toSorted());

    const [changed, ordered, sold] = (await (await call('GET', '/pets?limit=3')).json()) as {
      id: number;
      name: string;
    }[];
    await page.reload();
    await chooseFile(page, rows);
    await page.getByRole('button', { name: undoAll }).waitFor();
    await call('PATCH', `/pets/${changed?.id}`, { name: 'Renamed' });
    await call('POST', '/store/orders', { petId: ordered?.id });
    await call('DELETE', `/pets/${sold?.id}`);
    await click(page, undoAll);
    expect(await waitForEnd(page, 'The import was undone')).toBe(
      '397 removed. 1 was deleted before. 2 kept.',
    );
    expect((await page.locator('.preview tbody tr').allTextContents()).toSorted()).toEqual(
      [
        `${ordered?.id}${ordered?.name}It was changed after the import. It is reserved now.`,
        `${changed?.id}RenamedIt was changed after the import. It is available now.`,
      ].toSorted(),
    );
    expect(await server.readRows()).toEqual(
      [...kept, 'Renamed,1,available', `${ordered?.name},1,pending`].toSorted(),
    );
    expect(await (await call('GET', '/categories')).json()).toMatchObject([{ name: 'Mice' }]);
  });

  test('asks before it is stopped, continues with the same rows, and leaves out those that a proxy blocks', async () => {
    const count = isLong ? 10_000 : 600;
    const faultyCount = 27;
    const lines = rowsOf(count, '7').map((row, index) =>
      index % 20 === 5 && index < faultyCount * 20 ? row.replace(/^.*?,/, ',') : row,
    );
    lines[count - 1] = 'Poison,7,available';
    const valid = lines.filter((row) => !row.startsWith(',') && !row.startsWith('Poison'));
    await using shop = await openConsolePage();
    const { page, call, server } = shop;
    await page.goto(`${server.origin}/console/w/default/#import`);
    await chooseFile(page, lines);
    const requests = await holdRows(page);
    await start(page, `Add ${count - faultyCount}, leave out ${faultyCount}`, addRepeated);
    await requests.next('pass');
    await page.getByText(/^50 of /).waitFor();
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    await (await asked).dismiss();
    await click(page, 'Sign out');
    const question = page.getByRole('dialog', { name: 'Stop the import?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    const screens = page.getByRole('navigation', { name: 'Screens' });
    await screens.getByRole('link', { name: 'Orders' }).click();
    await screens.getByRole('link', { name: 'Importing…' }).click();
    await click(page, 'Stop');
    await requests.next('pass');
    expect(await waitForEnd(page, 'The import was stopped')).toStartWith('150 added.');
    expect((await readRows(call)).length).toBe(150);
    await requests.stop();
    await page.route(/\/pets$/, async (route) => {
      if (route.request().postData()?.includes('Poison') !== true) await route.continue();
      else await route.fulfill({ status: 403, body: '<p>Blocked</p>' });
    });
    await click(page, 'Continue');
    expect(await waitForEnd(page, 'The import is done')).toBe(
      `${valid.length} added. ${faultyCount + 1} left out.`,
    );
    expect(await page.locator('.faults tbody tr').count()).toBe(faultyCount + 1);
    expect(await readRows(call)).toEqual(valid.toSorted());
  });

  test('of the same file adds nothing, also with other columns, until it is undone', async () => {
    await using shop = await openConsolePage();
    const { page, call, server } = shop;
    const rows = ['Rex,Mice,available', 'Tom,Mice,sold'];
    const nothing = page.getByRole('button', { name: 'Nothing to add' });
    await page.goto(`${server.origin}/console/w/default/#import`);
    await chooseFile(page, rows);
    await start(page, 'Add 2', createCategory);
    expect(await waitForEnd(page, 'The import is done')).toBe('2 added.');
    await click(page, 'Import another file');
    await chooseFile(page, rows);
    await nothing.waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    const box = await page.getByRole('button', { name: undoAll }).boundingBox();
    expect((box?.x ?? 320) + (box?.width ?? 0)).toBeLessThan(320);
    await page.getByLabel('Status is in').selectOption('All are reserved');
    await nothing.waitFor();
    await click(page, undoAll);
    expect(await waitForEnd(page, 'The import was undone')).toBe(
      '2 removed. 1 empty category removed.',
    );
    await click(page, 'Import this file again');
    await start(page, 'Add 2', createCategory);
    expect(await waitForEnd(page, 'The import is done')).toBe('2 added.');
    expect(await readRows(call)).toEqual(['Rex,2,pending', 'Tom,2,pending']);
    await click(page, undo);
    expect(await waitForEnd(page, 'The import was undone')).toBe(
      '2 removed. 1 empty category removed.',
    );
    expect(await readRows(call)).toEqual([]);
  });

  test('of an export keeps the numbers of categories, and updates animals by their numbers', async () => {
    await using shop = await openConsolePage();
    const { page, call, server } = shop;
    await page.goto(`${server.origin}/console/w/default/#import`);
    const take = async (lines: readonly string[]) => {
      const text = `id,name,categoryId,category,status\n${lines.join('\n')}\n`;
      await page.getByLabel('CSV file').setInputFiles({ ...file([]), buffer: Buffer.from(text) });
    };
    await call('POST', '/categories', { name: 'Owls' });
    await take(['71,Rex,7,Dogs,sold', '72,Tom,12,Cats,available']);
    await start(page, 'Add 2', 'Add the animals as new ones, with new numbers');
    await waitForEnd(page, 'The import is done');
    expect(await readRows(call)).toEqual(['Rex,7,sold', 'Tom,12,available']);
    expect(await (await call('GET', '/categories')).json()).toEqual([
      { id: 12, name: 'Cats' },
      { id: 7, name: 'Dogs' },
      { id: 1, name: 'Owls' },
    ]);
    await click(page, 'Import another file');
    // Several animals are added at once, in any order.
    const [rex, tom] = await readIds(call, ['Rex', 'Tom']);
    await call('PATCH', `/pets/${tom}`, { status: 'sold' });
    await take([`${rex},Rex,7,Dogs,sold`, `${tom},Tomcat,7,Dogs,sold`, '99,Mia,1,Owls,available']);
    await start(page, 'Change 1, add 1', 'Update the animals with these numbers');
    expect(await waitForEnd(page, 'The import is done')).toBe(
      '1 added. 1 changed. 1 was there already.',
    );
    expect(await readRows(call)).toEqual(['Mia,1,available', 'Rex,7,sold', 'Tomcat,7,sold']);
    await click(page, 'Undo: remove 1 animal');
    expect(await waitForEnd(page, 'The import was undone')).toBe('1 removed.');
    await click(page, 'Import another file');
    const buffer = Buffer.from(`id,name\n${tom},Tommy\n`);
    await page.getByLabel('CSV file').setInputFiles({ ...file([]), buffer });
    await page.getByText('Update the animals with these numbers').click();
    const change = page.getByRole('button', { name: 'Change 1', exact: true });
    await change.waitFor();
    await call('PATCH', `/pets/${tom}`, { name: 'Tomte' });
    await change.click();
    expect(await waitForEnd(page, 'The import is done')).toBe('0 added. 1 left out.');
    await page.getByText('It was changed since it was shown.').waitFor();
    await click(page, 'Import another file');
    await page.getByLabel('CSV file').setInputFiles({ ...file([]), buffer });
    await start(page, 'Change 1', 'Update the animals with these numbers');
    expect(await waitForEnd(page, 'The import is done')).toBe('1 changed.');
    expect(await readRows(call)).toEqual(['Rex,7,sold', 'Tommy,7,sold']);

    await click(page, 'Import another file');
    await page.locator('input[type="file"]:focus').waitFor();
    await chooseFile(page, ['Ida,7,sold', 'Ida,7,sold', ',7,sold', 'Summe: 3,,']);
    await start(page, /^Add 1/, 'No, leave it out');
    expect(await waitForEnd(page, 'The import is done')).toBe(
      '1 added. 1 left out. 1 left out by your choice. 1 row with a total or a note left out.',
    );
    expect(await page.locator('.faults tbody tr').allTextContents()).toEqual([
      '4namenothingThe name is missing.',
    ]);
  });
});
