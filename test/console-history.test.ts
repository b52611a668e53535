import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { findBarriers } from './support/barriers.ts';
import { type ConsolePage, openConsolePage, rowOf } from './support/console-page.ts';
import { focused, press } from './support/keyboard.ts';
import { runProgram } from './support/server-process.ts';

// A browser draws for seconds, longer than Bun's default of five for a test. Each wait has its own, shorter limit.
setDefaultTimeout(120_000);

const wide = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const;
const narrow = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

/** What a user does with a control of this name. */
type Use = (name: string) => Promise<void>;

const byPointer =
  (page: Page): Use =>
  (name) =>
    page
      .getByRole('button', { name, exact: true })
      .or(page.getByRole('link', { name, exact: true }))
      .click();
const byKeyboard =
  (page: Page): Use =>
  (name) =>
    press(page, name);

async function titleOf(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

/** The lines of the history or of the events, newest first, without their times. */
async function readLines(page: Page): Promise<string[]> {
  const lines = await page.locator('.changes li > :nth-child(3)').all();
  const texts = await Promise.all(lines.map((line) => line.innerText()));
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

async function addHistory({ call }: ConsolePage): Promise<void> {
  await call('PUT', '/categories/4', { name: 'Dogs' });
  for (let count = 1; count <= 40; count += 1) {
    await call('POST', '/pets', { name: `Rex ${count}`, categoryId: 4 });
  }
  await call('PATCH', '/pets/5', { name: 'Bela', categoryId: 7 });
  await call('PATCH', '/pets/5', { name: 'Bella' });
  await call('PATCH', '/pets/6', { status: 'pending' });
}

describe.each([
  ['by pointer on a wide screen', wide, byPointer],
  ['by keyboard on a narrow dark one', narrow, byKeyboard],
] as const)('the page of an animal, %s', (_name, browser, useBy) => {
  test('shows its orders and its history, and sets earlier values back', async () => {
    await using shop = await openConsolePage({ browser });
    const { page, call } = shop;
    const use = useBy(page);
    await addHistory(shop);
    await page.reload();
    await rowOf(page, 'Rex 40').waitFor();
    const place = "document.querySelector('.table').scrollTop";
    // Not at the end, which moves if the page gets more space.
    await page.evaluate(`${place} = 9999; ${place} -= 150`);
    const before = await page.evaluate<number>(place);
    await page.getByRole('link', { name: 'Bella' }).focus();
    await use('Bella');
    await titleOf(page, 'Bella (animal 5)');
    expect(await page.title()).toBe('Bella (animal 5) – Animal Store');
    expect((await focused(page)).name).toBe('Bella (animal 5)');
    await page.getByText('Added').waitFor();
    expect(await readLines(page)).toEqual([
      'Changed: name from “Bela” to “Bella” Set back to “Bela”',
      'Changed: name from “Rex 5” to “Bela”, category from Dogs (4) to 7 Set back to “Rex 5” Set back to Dogs (4)',
      'Added',
    ]);
    expect(await findBarriers(page)).toEqual([]);

    await page.getByRole('button', { name: /^Set back to “Rex 5”/ }).focus();
    await page.keyboard.press('Enter');
    await titleOf(page, 'Rex 5 (animal 5)');
    await use('Undo: The name of Rex 5 (animal 5) is “Rex 5” again.');
    await titleOf(page, 'Bella (animal 5)');

    await use('Reserve Bella (animal 5)');
    await page.getByLabel('For whom').fill('Anna Müller');
    await page.getByRole('dialog').getByRole('button', { name: 'Reserve', exact: true }).click();
    await page.locator('.orders-of').getByText('Anna Müller').waitFor();
    await call('PATCH', '/store/orders/1', { note: 'Anna and Bert' });
    await page.locator('.orders-of').getByText('Anna and Bert').waitFor();
    await page.getByText('Order 1 has another note').waitFor();
    // The open order owns the status.
    expect(await page.getByRole('button', { name: /^Set back to available/ }).count()).toBe(0);
    await use('Hand over Bella (animal 5)');
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over', exact: true }).click();
    await page.locator('.orders-of').getByText('handed over').waitFor();
    await page.getByText('Order 1 was handed over: ').waitFor();
    await page.getByRole('button', { name: /^Set back to available/ }).waitFor();

    await call('PATCH', '/pets/5', { name: 'Bella II' });
    await titleOf(page, 'Bella II (animal 5)');
    await page.getByText('Changed: name from “Bella” to “Bella II”').waitFor();
    await page.goBack();
    await titleOf(page, 'Animals');
    // A message takes some space, so that the row can move to stay in sight.
    expect(Math.abs((await page.evaluate<number>(place)) - before)).toBeLessThan(120);
    await rowOf(page, 'Bella II').getByText('sold').waitFor();
    expect((await focused(page)).name).toBe('Bella II');
  });
});

async function addPet({ call }: ConsolePage, name: string, status = 'available'): Promise<void> {
  await call('POST', '/pets', { name, categoryId: 4, status });
}

/** Presses a button, and then the one of its dialog. */
async function act(page: Page, name: string, answer: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: answer, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('an animal that is reserved without an order, one that is deleted, and addresses of no animal', async () => {
  await using shop = await openConsolePage();
  const { page, call, server } = shop;
  const goToAnimal = (record: string) =>
    page.goto(`${server.origin}/console/w/default/#animals/${record}`);
  const status = page.locator('.record dl .status');
  await addPet(shop, 'Waldi', 'pending');
  await goToAnimal('1');
  await act(page, 'Cancel reservation Waldi (animal 1)', 'Cancel reservation');
  await status.getByText('available').waitFor();
  await page.getByRole('button', { name: /^Undo/ }).click();
  await status.getByText('reserved').waitFor();
  await page.getByRole('button', { name: 'Sell Waldi (animal 1)' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('to write down the buyer, cancel the reservation first').waitFor();
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click();
  await status.getByText('sold').waitFor();
  expect(await (await call('GET', '/store/orders')).json()).toEqual([]);

  // The deletion is the last event. It is also found after the page was loaded again.
  await call('DELETE', '/pets/1');
  const again = page.getByRole('button', { name: 'Add it again' });
  await again.waitFor();
  await page.reload();
  await titleOf(page, 'Waldi (animal 1)');
  expect(await readLines(page)).toEqual([
    'Deleted',
    'Changed: status from reserved to sold',
    'Changed: status from available to reserved',
    'Changed: status from reserved to available',
    'Added',
  ]);
  expect(await findBarriers(page)).toEqual([]);
  await again.click();
  await titleOf(page, 'Waldi (animal 2)');
  await status.getByText('sold').waitFor();

  // Undo of a deletion leads to the new page, so that the old one does not offer to add the animal once more.
  await page.getByRole('button', { name: 'Delete… Waldi (animal 2)' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await again.waitFor();
  await page.getByRole('button', { name: /^Undo: Waldi/ }).click();
  await titleOf(page, 'Waldi (animal 3)');

  for (const [record, said] of [
    ['4', 'No animal has the number 4'],
    ['-1', 'No animal has the number -1'],
    ['9223372036854775808', '“9223372036854775808” is not the number of an animal'],
    ['Bella', '“Bella” is not the number of an animal'],
  ] as const) {
    await goToAnimal(record);
    await page.getByRole('heading', { level: 2, name: said, exact: true }).waitFor();
  }
  const toList = page.getByRole('link', { name: 'Show all animals' });
  await toList.click();
  await titleOf(page, 'Animals');
  // A dialog of the list does not block the page that the browser's own Back leads to.
  await page.getByRole('button', { name: 'Edit Waldi (animal 3)' }).click();
  await page.getByRole('dialog').waitFor();
  await page.goBack();
  await toList.click();
  await titleOf(page, 'Animals');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('a key that may only read animals sees their pages without actions, orders and history', async () => {
  await using shop = await openConsolePage();
  const { page, call, server, databaseUrl } = shop;
  await addPet(shop, 'Rex', 'pending');
  const key = ['keys', 'create', '--name', 'reader', '--scopes', 'pets:read', '--json'];
  const created = await runProgram([...key, '--database', databaseUrl]);
  const { apiKey } = JSON.parse(created.stdout) as { apiKey: string };
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').fill(apiKey);
  await page.getByLabel('API key').press('Enter');
  await page.getByRole('link', { name: 'Rex' }).click();
  await titleOf(page, 'Rex (animal 1)');
  await page.getByText('Your key has no access to orders.').waitFor();
  await page.getByText('Your key has no access to events, so no history is shown.').waitFor();
  expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  await call('DELETE', '/pets/1');
  await page.goto(`${server.origin}/console/w/default/#animals`);
  await page.goto(`${server.origin}/console/w/default/#animals/1`);
  await page.getByText('No animal has the number 1').waitFor();
});

test('Events says what changed and by whom, folds changes of many records, and shows one kind or older events', async () => {
  await using shop = await openConsolePage();
  const { page, call } = shop;
  await call('PUT', '/categories/4', { name: 'Dogs' });
  for (let count = 1; count <= 120; count += 1) await addPet(shop, `Rex ${count}`);
  for (let count = 1; count <= 12; count += 1) {
    await call('PATCH', `/pets/${count}`, { status: 'sold' });
    // Changes by others during a change of many are lines of their own.
    if (count === 6) await call('PATCH', '/pets/20', { categoryId: 9 });
  }
  await call('POST', '/store/orders', { petId: 30, shipDate: '2030-01-02T12:00:00Z' });
  await call('PATCH', '/store/orders/1', { note: 'Anna' });
  await call('PUT', '/categories/4', { name: 'Hounds' });
  // Several changes of one animal are no change of many.
  for (const name of ['A', 'B', 'C', 'D', 'E']) await call('PATCH', '/pets/60', { name });
  await call('DELETE', '/pets/40');
  await page.getByRole('link', { name: 'Events' }).click();
  await page.getByText('category from Hounds (4) to 9').waitFor();
  await page.getByText('Order 1 for Rex 30 (animal 30) has another note').waitFor();
  const lines = [
    'Rex 40 (animal 40) was deleted',
    'E (animal 60) was changed: name from “D” to “E”',
    'D (animal 60) was changed: name from “C” to “D”',
    'C (animal 60) was changed: name from “B” to “C”',
    'B (animal 60) was changed: name from “A” to “B”',
    'A (animal 60) was changed: name from “Rex 60” to “A”',
    'Category Hounds (4) was changed: name from “Dogs” to “Hounds”',
    'Order 1 for Rex 30 (animal 30) has another note',
    'Order 1 for Rex 30 (animal 30) was placed: status of the animal from available to reserved',
    '12 animals were changed: status from available to sold',
    'Rex 20 (animal 20) was changed: category from Hounds (4) to 9',
    '120 animals were added',
    'Category Dogs (4) was added',
  ];
  expect(await readLines(page)).toEqual(lines);
  const actors = await page.locator('.actor').allInnerTexts();
  expect(new Set(actors)).toEqual(new Set(['key “first”']));
  // A time does not break into two lines.
  expect((await page.locator('time').first().boundingBox())?.height).toBeLessThan(30);
  expect(await findBarriers(page)).toEqual([]);

  await page.getByText('120 animals were added').click();
  await page.getByRole('link', { name: 'Rex 120 (animal 120)' }).waitFor();
  await press(page, 'Show 20 more');
  await page.getByRole('link', { name: 'Rex 1 (animal 1)' }).waitFor();
  await page.getByRole('navigation', { name: 'Kind of event' }).getByText('Orders').click();
  await page.waitForURL(/kind=order/);
  await page.reload();
  await page.getByText('Order 1 for Rex 30 (animal 30) was placed').waitFor();
  expect(await readLines(page)).toHaveLength(2);
  await call('POST', '/pets', { name: 'Tom', categoryId: 4 });
  await call('DELETE', '/store/orders/1');
  await page.getByText('Order 1 for Rex 30 (animal 30) was cancelled').waitFor();
  expect(await readLines(page)).toHaveLength(3);

  for (let count = 1; count <= 110; count += 1) {
    await call('PATCH', '/pets/50', { categoryId: 100 + count });
  }
  await page.getByRole('navigation', { name: 'Kind of event' }).getByText('Animals').click();
  await page.getByText('category from 209 to 210').waitFor();
  // The lines can arrive one after the other.
  await page.locator('.changes li').nth(99).waitFor();
  expect(await readLines(page)).toHaveLength(100);
  await press(page, 'Show older events');
  // Another animal was added soon after the others.
  await page.getByText('121 animals were added').waitFor();
  await page.getByRole('link', { name: 'Rex 20 (animal 20)' }).click();
  await titleOf(page, 'Rex 20 (animal 20)');
  await page.getByRole('link', { name: 'Events' }).click();
  await page.getByRole('navigation', { name: 'Kind of event' }).getByText('Orders').click();
  await call('POST', '/store/orders', { petId: 70, shipDate: '2030-01-02T12:00:00Z' });
  const handOver = { status: 'shipped', shipDate: '2030-01-01T12:00:00Z' };
  await call('PATCH', '/store/orders/2', handOver);
  await page.getByText('Order 2 for Rex 70 (animal 70) was handed over').waitFor();
  // The last day of the reservation is not shown as an earlier time of the hand-over.
  expect((await readLines(page))[0]).toBe(
    'Order 2 for Rex 70 (animal 70) was handed over: date to Jan 1, 2030',
  );
  await page.getByRole('link', { name: 'Order 1' }).first().click();
  await titleOf(page, 'Orders');
  await page.getByText('1 order', { exact: true }).waitFor();
  await rowOf(page, 'Rex 30').waitFor();
  await page.goBack();
  await titleOf(page, 'Events');
});

test('an animal that changes often has its history in parts, and the page forgets the oldest, which can be read again', async () => {
  await using shop = await openConsolePage();
  const { page, call, server } = shop;
  await addPet(shop, 'Rex');
  await page.goto(`${server.origin}/console/w/default/#animals/1`);
  await page.getByText('Added').waitFor();
  // So many that the page has forgotten the oldest.
  for (let part = 0; part < 110; part += 1) {
    const changes = Array.from({ length: 10 }, (_, index) =>
      call('PATCH', '/pets/1', { name: `Rex ${part}.${index}` }),
    );
    await Promise.all(changes);
  }
  await call('PATCH', '/pets/1', { name: 'Max' });
  await titleOf(page, 'Max (animal 1)');
  await page.locator('.changes').getByText('to “Max”').waitFor();
  const lines = page.locator('.changes li');
  const older = page.getByRole('button', { name: 'Show older events' });
  expect(await lines.count()).toBe(100);
  for (let count = 200; count <= 1100; count += 100) {
    await older.click();
    await lines.nth(count - 1).waitFor();
    expect(await lines.count()).toBe(count);
  }
  await older.click();
  await lines.last().getByText('Added').waitFor();
  expect(await lines.count()).toBe(1102);
});

test('older orders of an animal that cannot be read are reported, and can be read again', async () => {
  await using shop = await openConsolePage();
  const { page, call, server } = shop;
  await addPet(shop, 'Rex');
  for (let id = 1; id <= 21; id += 1) {
    await call('POST', '/store/orders', { petId: 1 });
    await call('DELETE', `/store/orders/${id}`);
  }
  await page.goto(`${server.origin}/console/w/default/#animals/1`);
  const older = page.getByRole('button', { name: 'Show more' });
  await older.waitFor();
  let requests = 0;
  const reread = Promise.withResolvers<void>();
  await page.route('**/store/orders?**', async (route) => {
    requests += 1;
    if (requests === 1) {
      // Its event starts another read in place of the one that the user waits for.
      await call('PATCH', '/pets/1', { name: 'Max' });
      await reread.promise;
    }
    reread.resolve();
    await route.fulfill({ status: 403 });
  });
  await older.click();
  const fault = page.getByRole('alert').getByText('A proxy or another program answered');
  await fault.first().waitFor();
  // The first read can still wait for its answer.
  await page.unrouteAll({ behavior: 'wait' });
  await older.click();
  await page.locator('.orders-of').getByText('Order 1', { exact: true }).waitFor();
  expect(await page.locator('.orders-of li').count()).toBe(21);
});

test('a history says where it begins, shows events of a newer server, and can be read again after a failure', async () => {
  await using shop = await openConsolePage();
  const { page, call, server } = shop;
  await addPet(shop, 'Rex');
  await call('PATCH', '/pets/1', { name: 'Max' });
  const expired = await call('GET', '/events?after=999');
  const gone = { status: expired.status, body: await expired.text() };
  let isBroken = true;
  await page.route(/console\/v1\/events\?/, async (route) => {
    const url = new URL(route.request().url());
    if (isBroken) return await route.fulfill({ status: 403, body: 'not a service' });
    if (url.searchParams.get('after') === '0') return await route.fulfill(gone);
    const response = await route.fetch();
    const text = (await response.text()).replaceAll('pet.created', 'pet.adopted');
    await route.fulfill({ response, body: text });
  });
  await page.goto(`${server.origin}/console/w/default/#animals/1`);
  await titleOf(page, 'Max (animal 1)');
  await page.getByRole('alert').getByText('A proxy or another program answered').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The server keeps events for a limited time.').waitFor();
  expect(await readLines(page)).toEqual([
    'Changed: name from “Rex” to “Max” Set back to “Rex”',
    'An event that this page does not know: pet.adopted',
  ]);
});
