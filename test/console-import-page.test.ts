import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { openBrowserPage } from './support/browser.ts';
import { type ConsolePage, openConsolePage } from './support/console-page.ts';
import { startFlakyProxy } from './support/flaky-proxy.ts';
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
  let databaseUrl = `sqlite:${folder.path}/test.db`;
  const port = `${findFreePort()}`;
  const launch = () => startServerProcess(databaseUrl, { args: ['--port', port] });
  let server = await launch();
  let apiKey = server.firstKey;
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
    async replaceData(): Promise<void> {
      await server.stop('SIGKILL');
      databaseUrl = `sqlite:${folder.path}/other.db`;
      server = await launch();
      apiKey = server.firstKey;
      await runProgram(['demo', '--database', databaseUrl, '--animals', '400']);
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

/**
 * Lets writes of a page pass until the answers of some are lost. Returns what waits for that. The page waits for the lost answers
 * until it is closed.
 */
async function loseAnswersAfter(page: Page, count: number): Promise<() => Promise<void>> {
  const lost = Promise.withResolvers<void>();
  let sent = 0;
  await page.route(/\/v1\/pets(?:\/\d+)?$/, async (route) => {
    sent += 1;
    if (sent <= count) return route.continue();
    // Of four requests at once, two arrive before the page is closed, unless the server is killed before it answers.
    if (sent % 2 === 0) await route.fetch().catch(() => undefined);
    if (sent === count + 4) lost.resolve();
  });
  return () => lost.promise;
}

describe('an import', () => {
  test('whose tab is closed and whose server is killed adds each row once, and Undo removes these animals only', async () => {
    await using server = await openKillableServer();
    const { origin, call } = server;
    const count = 200;
    const rows = rowsOf(count, 'Mice');
    const kept = ['Pet 1,5,available'];
    await call('POST', '/pets', { name: 'Pet 1', categoryId: 5 });
    await using browser = await openBrowserPage();
    await browser.page.goto(await server.link());
    await browser.page.getByText('Live', { exact: true }).waitFor();
    /** Closes a tab as a crash does, and chooses the file in another one. */
    const openTab = async (before: Page) => {
      await before.close();
      const tab = await browser.context.newPage();
      await tab.goto(`${origin}/console/w/default/#import`);
      await chooseFile(tab, rows);
      return tab;
    };
    let page = await openTab(browser.page);
    let areLost = await loseAnswersAfter(page, 80);
    await start(page, `Add ${count}`, createCategory, addRepeated);
    await areLost();
    page = await openTab(page);
    await page.getByText(`${(await server.readRows()).length - 1} animals of it`).waitFor();

    areLost = await loseAnswersAfter(page, 40);
    await click(page, undoAll);
    await areLost();
    page = await openTab(page);
    await click(page, undoAll);
    expect(await waitForEnd(page, 'The import was undone')).toEndWith('1 empty category removed.');
    expect(await server.readRows()).toEqual(kept);
    expect(await (await call('GET', '/categories')).json()).toEqual([]);

    await click(page, 'Import this file again');
    areLost = await loseAnswersAfter(page, 140);
    await start(page, `Add ${count}`, createCategory, addRepeated);
    await page.getByText(/^\d{2,3} of /).waitFor();
    await server.killAndStart(() =>
      page.getByText('The server does not answer, or limits requests.').waitFor(),
    );
    await areLost();
    page = await openTab(page);
    const remaining = count + kept.length - (await server.readRows()).length;
    await start(page, `Add ${remaining}`, addRepeated);
    expect(await waitForEnd(page, 'The import is done')).toBe(
      `${remaining} added. ${count - remaining} were there already.`,
    );
    expect(await server.readRows()).toEqual([...rowsOf(count, '2'), ...kept].toSorted());

    const [changed, ordered, sold] = (await (await call('GET', '/pets?limit=3')).json()) as {
      id: number;
      name: string;
    }[];
    await click(page, 'Import another file');
    await chooseFile(page, rows);
    await page.getByRole('button', { name: undoAll }).waitFor();
    await call('PATCH', `/pets/${changed?.id}`, { name: 'Renamed' });
    await call('POST', '/store/orders', { petId: ordered?.id });
    await call('DELETE', `/pets/${sold?.id}`);
    await click(page, undoAll);
    expect(await waitForEnd(page, 'The import was undone')).toBe(
      '197 removed. 1 was deleted before. 2 kept.',
    );
    expect(await page.locator('.preview tbody tr').allTextContents()).toEqual([
      `${ordered?.id}${ordered?.name}It was changed after the import. It is reserved now.`,
      `${changed?.id}RenamedIt was changed after the import. It is available now.`,
    ]);
    expect(await server.readRows()).toEqual(
      [...kept, 'Renamed,2,available', `${ordered?.name},2,pending`].toSorted(),
    );
    expect(await (await call('GET', '/categories')).json()).toMatchObject([{ name: 'Mice' }]);

    // The same address has other data, with other animals of these numbers.
    await server.replaceData();
    await page.goto(await server.link());
    await page.getByText('Live', { exact: true }).waitFor();
    page = await openTab(page);
    await start(page, `Add ${count}`, createCategory, addRepeated);
  });

  test('that is stopped continues with the same rows, and leaves out those that the server cannot add', async () => {
    // A browser adds about 300 animals a second.
    const count = isLong ? 10_000 : 600;
    const faultyCount = 27;
    const lines = rowsOf(count, '7').map((row, index) =>
      index % 20 === 5 && index < faultyCount * 20 ? row.replace(/^.*?,/, ',') : row,
    );
    lines[count - 1] = 'Poison,7,available';
    const valid = lines.filter((row) => !row.startsWith(',') && !row.startsWith('Poison'));
    await using shop = await openConsolePage();
    const { page, call, server } = shop;
    await page.route(/\/pets$/, async (route) => {
      if (route.request().postData()?.includes('Poison') !== true) await route.continue();
      else await route.fulfill({ status: 502, body: 'Bad gateway' });
    });
    await page.goto(`${server.origin}/console/w/default/#import`);
    await chooseFile(page, lines);
    await start(page, `Add ${count - faultyCount}, leave out ${faultyCount}`, addRepeated);
    await page.getByText(/^\d{3} of /).waitFor();
    // The delay keeps the import running until it is stopped.
    process.kill(server.pid, 'SIGSTOP');
    try {
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
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    const stopped = await waitForEnd(page, 'The import was stopped');
    const before = await readRows(call);
    expect(stopped).toStartWith(`${before.length} added.`);
    expect(before.length).toBeLessThan(valid.length);
    await click(page, 'Continue');
    expect(await waitForEnd(page, 'The import is done')).toBe(
      `${valid.length} added. ${faultyCount + 1} left out.`,
    );
    expect(await page.locator('.faults tbody tr').count()).toBe(faultyCount + 1);
    expect(await readRows(call)).toEqual(valid.toSorted());
  });

  test('on two computers at once, with bad connections, adds each row once, and each undoes its own', async () => {
    await using shop = await openConsolePage();
    const connection = { delayMilliseconds: 10, cutEvery: 7 };
    using firstProxy = await startFlakyProxy(shop.server.origin, connection);
    using secondProxy = await startFlakyProxy(shop.server.origin, connection);
    await using second = await openBrowserPage();
    await second.page.goto(await shop.newLink());
    await second.page.getByText('Live', { exact: true }).waitFor();
    const count = 150;
    const rows = rowsOf(count, 'Mice');
    const pages = [shop.page, second.page];
    const origins = [firstProxy.origin, secondProxy.origin];
    await Promise.all(
      pages.map(async (page, index) => {
        await page.goto(`${origins[index]}/console/w/default/#import`);
        await chooseFile(page, rows);
      }),
    );
    await start(shop.page, `Add ${count}`, createCategory, addRepeated);
    await shop.page.getByText(/^\d{2,3} of /).waitFor();
    process.kill(shop.server.pid, 'SIGSTOP');
    await click(shop.page, 'Stop').finally(() => process.kill(shop.server.pid, 'SIGCONT'));
    await waitForEnd(shop.page, 'The import was stopped');
    const before = (await readRows(shop.call)).length;
    await start(second.page, /^Add \d+/, addRepeated);
    while ((await readRows(shop.call)).length < before + 10);
    await click(shop.page, 'Continue');
    const ends = await Promise.all(pages.map((page) => waitForEnd(page, 'The import is done')));
    const added = ends.map((text) => Number(/^(\d+) added/.exec(text)?.[1]));
    expect(added.reduce((sum, one) => sum + one)).toBe(count);
    expect(await readRows(shop.call)).toEqual(rowsOf(count, '1').toSorted());
    await click(second.page, undo);
    expect(await waitForEnd(second.page, 'The import was undone')).toStartWith(
      `${added[1]} removed`,
    );
    expect((await readRows(shop.call)).length).toBe(added[0] ?? 0);
    await click(shop.page, undo);
    expect(await waitForEnd(shop.page, 'The import was undone')).toStartWith(`${added[0]} removed`);
    expect(await readRows(shop.call)).toEqual([]);
    expect(firstProxy.cutCount + secondProxy.cutCount).toBeGreaterThan(30);
  });

  test('of the same file adds deleted animals again, and with other columns only after Undo', async () => {
    await using shop = await openConsolePage();
    const { page, call, server } = shop;
    const rows = ['Rex,Mice,available', 'Tom,Mice,sold'];
    const nothing = { name: 'Nothing to add' };
    await page.goto(`${server.origin}/console/w/default/#import`);
    for (const id of [1, 2]) {
      await chooseFile(page, rows);
      await start(page, 'Add 2', createCategory);
      expect(await waitForEnd(page, 'The import is done')).toBe('2 added.');
      expect(await readRows(call)).toEqual([`Rex,${id},available`, `Tom,${id},sold`]);
      await click(page, 'Import another file');
      if (id === 2) break;
      for (const path of ['/pets/1', '/pets/2', '/categories/1']) await call('DELETE', path);
    }
    await chooseFile(page, rows);
    await page.getByRole('button', nothing).waitFor();
    await page.getByLabel('Status is in').selectOption('All are reserved');
    await page.getByRole('button', nothing).waitFor();
    await click(page, undoAll);
    expect(await waitForEnd(page, 'The import was undone')).toBe(
      '2 removed. 1 empty category removed.',
    );
    await click(page, 'Import this file again');
    await start(page, 'Add 2', createCategory);
    expect(await waitForEnd(page, 'The import is done')).toBe('2 added.');

    await using second = await openBrowserPage();
    await second.context.addInitScript('delete self.indexedDB; delete Window.prototype.indexedDB');
    await second.page.goto(await shop.newLink());
    await second.page.getByText('Live', { exact: true }).waitFor();
    await second.page.goto(`${server.origin}/console/w/default/#import`);
    await chooseFile(second.page, rows);
    await second.page.getByRole('button', nothing).waitFor();
    await second.page.getByLabel('Status is in').selectOption('All are reserved');
    await second.page.getByLabel(/Add these as well$/).check();
    await start(second.page, 'Add 2');
    expect(await waitForEnd(second.page, 'The import is done')).toBe(
      '0 added. 2 were there already.',
    );
    await click(second.page, 'Import another file');

    // Of two equal rows, only the second one is added. After the reload, nothing shows which one it was.
    const kittens = ['Kitten,7,sold', 'Kitten,7,sold'];
    await second.page.route(
      /\/pets$/,
      (route) => route.fulfill({ status: 400, json: { code: 'invalid_body', message: 'No' } }),
      { times: 1 },
    );
    await chooseFile(second.page, kittens);
    await start(second.page, 'Add 2', 'Yes, add it too');
    expect(await waitForEnd(second.page, 'The import is done')).toBe('1 added. 1 left out.');
    await second.page.reload();
    await chooseFile(second.page, kittens);
    await start(second.page, 'Add 1', 'Yes, add it too');
    expect(await waitForEnd(second.page, 'The import is done')).toBe(
      '1 added. 1 was there already.',
    );
    const others = ['Rex,3,pending', 'Tom,3,pending'];
    expect(await readRows(call)).toEqual([...kittens, ...others]);
    await second.page.getByText('only while this page is open').waitFor();
    await click(second.page, undo);
    expect(await waitForEnd(second.page, 'The import was undone')).toBe('1 removed.');
    expect(await readRows(call)).toEqual(['Kitten,7,sold', ...others]);
  });

  test.each([
    ['keeps no events', ['--event-days', '0']],
    ['has deleted the events', []],
  ])('can be undone when its file is chosen again, if the server %s', async (_what, serve) => {
    await using shop = await openConsolePage({ serve });
    const { page, call, server } = shop;
    const rows = ['Rex,Mice,available', 'Tom,Mice,sold'];
    await page.goto(`${server.origin}/console#import`);
    await chooseFile(page, rows);
    await start(page, 'Add 2', createCategory);
    expect(await waitForEnd(page, 'The import is done')).toBe('2 added.');
    const [rex] = await readIds(call, ['Rex']);
    await call('PATCH', `/pets/${rex}`, { name: 'Renamed' });
    await page.route(/\/events\?record=/, async (route) => {
      if (serve.length > 0) return route.continue();
      const answer = await route.fetch();
      return route.fulfill({ response: answer, json: { ...(await answer.json()), events: [] } });
    });
    await click(page, 'Import another file');
    await chooseFile(page, rows);
    await click(page, undoAll);
    expect(await waitForEnd(page, 'The import was undone')).toBe('1 removed. 1 kept.');
    expect(await readRows(call)).toEqual(['Renamed,1,available']);
  });

  test('in two tabs, or prepared before another import, adds no animal twice, and Undo removes those of its own run', async () => {
    await using shop = await openConsolePage();
    const { page: first, call, server } = shop;
    const second = await shop.context.newPage();
    const buffer = Buffer.from(
      'name,category,status,nick\nRex,5,sold,R\nTom,5,sold,T\nMia,5,sold,M\n',
    );
    for (const page of [first, second]) {
      await page.goto(`${server.origin}/console/w/default/#import`);
      await page.getByLabel('CSV file').setInputFiles({ ...file([]), buffer });
    }
    await second.getByLabel('Name is in').selectOption('nick');
    const add = second.getByRole('button', { name: 'Add 3', exact: true });
    await add.waitFor();
    const { promise: isRefused, resolve: release } = Promise.withResolvers<void>();
    await first.route(/\/pets$/, async (route) => {
      await isRefused;
      await route.continue();
    });
    await start(first, 'Add 3');
    await add.click();
    await second.getByText('in another tab').waitFor();
    release();
    expect(await waitForEnd(first, 'The import is done')).toBe('3 added.');
    await start(second, 'Add 3');
    expect(await waitForEnd(second, 'The import is done')).toBe('0 added. 3 were there already.');
    const rows = ['Mia,5,sold', 'Rex,5,sold', 'Tom,5,sold'];
    expect(await readRows(call)).toEqual(rows);

    // A new category would make the second tab search the catalogue again.
    const otherFile = ['Mia,6,sold', 'Tom,6,sold', 'Ida,6,sold'];
    const laterRows = [...otherFile, 'Tom,6,sold'];
    await click(second, 'Import another file');
    await chooseFile(second, laterRows);
    await second.getByText('Yes, add it too').click();
    const addLater = second.getByRole('button', { name: 'Add 4', exact: true });
    await addLater.waitFor();
    await click(first, 'Import another file');
    await chooseFile(first, otherFile);
    await start(first, 'Add 3');
    await waitForEnd(first, 'The import is done');
    await addLater.click();
    expect(await waitForEnd(second, 'The import is done')).toBe('1 added. 3 were there already.');
    expect(await readRows(call)).toEqual([...rows, ...laterRows].toSorted());

    await call('DELETE', '/pets/2');
    await click(first, 'Import another file');
    await first.getByLabel('CSV file').setInputFiles({ ...file([]), buffer });
    await first.getByRole('button', { name: `${undoAll.source.slice(1)}2 animals` }).waitFor();
    await start(first, 'Add 1');
    expect(await waitForEnd(first, 'The import is done')).toBe('1 added. 2 were there already.');
    await click(first, 'Undo: remove 1 animal');
    expect(await waitForEnd(first, 'The import was undone')).toBe('1 removed.');
    expect((await readRows(call)).filter((row) => row.includes(',5,')).length).toBe(2);
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
