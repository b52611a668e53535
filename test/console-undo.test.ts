import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import type { Inventory } from '../src/domain/pet.ts';
import { findBarriers } from './support/barriers.ts';
import { addAnimal, type ConsolePage, openConsolePage, rowOf } from './support/console-page.ts';
import { focused, press, tabTo } from './support/keyboard.ts';

// A browser draws for seconds, longer than Bun's default of five for a test. Each wait has its own, shorter limit.
setDefaultTimeout(120_000);

async function click(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

async function rename(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('button', { name: `Edit ${from}` }).click();
  await page.getByLabel('Name', { exact: true }).fill(to);
  await click(page, 'Save');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function readNames({ call }: ConsolePage): Promise<string[]> {
  const pets = (await (await call('GET', '/pets?limit=100')).json()) as {
    id: number;
    name: string;
  }[];
  return pets.map(({ id, name }) => `${id} ${name}`).sort();
}

/** Whether the messages lie below everything else. */
async function coverNothing(page: Page): Promise<boolean> {
  return await page.evaluate(`(() => {
    const { top, bottom } = document.querySelector('.notices').getBoundingClientRect();
    return top >= document.querySelector('main').getBoundingClientRect().bottom && bottom <= innerHeight;
  })()`);
}

/** The server does what was asked, and its answer does not arrive. */
async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

describe('a change of an animal', () => {
  test('can be undone until the animal changes again, and its message covers nothing', async () => {
    await using shop = await openConsolePage();
    const { page, context, call } = shop;
    await addAnimal(page, 'Rex', '5');
    await rename(page, 'Rex', 'Max');
    // The event of the first change may arrive after the second one.
    await rename(page, 'Max', 'Tom');
    const saved = (name: string) => page.getByText(`${name} (animal 1) was saved.`);
    await saved('Tom').waitFor();
    await rowOf(page, 'Tom').waitFor();
    expect([await saved('Max').count(), await coverNothing(page)]).toEqual([0, true]);
    // The server changes the animal, its answer is lost, and the page asks again.
    await page.route('**/v1/pets/1', loseAnswer, { times: 1 });
    await click(page, 'Undo: Tom (animal 1) was saved.');
    await page.getByText('Max (animal 1) is as it was before.').waitFor();
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);

    // An edit without a change saves nothing.
    await rename(page, 'Max', 'Max');
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);

    // When another user changes it, its message says so. Ctrl+Z takes back nothing older instead.
    await addAnimal(page, 'Zoe', '5');
    await rename(page, 'Zoe', 'Amy');
    await rename(page, 'Max', 'Kim');
    await saved('Kim').waitFor();
    await call('PATCH', '/pets/1', { status: 'sold' });
    await page.getByText('Another user has changed this since, so it cannot be undone.').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await click(page, 'and 1 earlier');
    await click(page, 'Undo: Amy (animal 2) was saved.');
    await page.getByText('Zoe (animal 2) is as it was before.').waitFor();
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await call('DELETE', '/pets/2');

    // A change that the page does not know of is found by the server.
    await rename(page, 'Kim', 'Ben');
    await context.route('**/events/stream*', (route) => route.abort());
    await page.reload();
    await rename(page, 'Ben', 'Leo');
    await call('PATCH', '/pets/1', { status: 'pending' });
    await click(page, 'Undo: Leo (animal 1) was saved.');
    const refused = page.getByText('“Leo (animal 1) was saved.” was not undone.');
    await refused.getByText('it is reserved now').waitFor();
    expect(await readNames(shop)).toEqual(['1 Leo']);
    await click(page, 'Dismiss');
    await refused.waitFor({ state: 'detached' });
    await context.unroute('**/events/stream*');
    await page.reload();

    // A long name does not cut the verb.
    const long = 'Rex '.repeat(63).trim();
    await rename(page, 'Leo', long);
    await page.getByText(/^Rex Rex .*… \(animal 1\) was saved\.$/).waitFor();
    await click(page, /^Edit Rex /);
    await click(page, 'Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText(/… \(animal 1\) was deleted\.$/).waitFor();
    expect(await page.getByText('and 1 earlier').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.route('**/v1/pets', loseAnswer, { times: 1 });
    await click(page, /^Undo: /);
    await page.getByText(/… \(animal 3\) was added again, with a new number\.$/).waitFor();
    expect(await readNames(shop)).toEqual([`3 ${long}`]);
  });

  test('is the only one that a held Ctrl+Z takes back', async () => {
    await using shop = await openConsolePage();
    const { page } = shop;
    await addAnimal(page, 'Rex', '5');
    await addAnimal(page, 'Tom', '5');
    await rename(page, 'Rex', 'Max');
    await rename(page, 'Tom', 'Tim');
    await page.keyboard.down('Control');
    await page.keyboard.down('z');
    await page.getByText('Tom (animal 2) is as it was before.').waitFor();
    for (let count = 0; count < 5; count += 1) await page.keyboard.down('z');
    await page.keyboard.up('z');
    await page.keyboard.up('Control');
    expect(await page.getByRole('button', { name: 'Undoing…' }).count()).toBe(0);
    await page.getByRole('button', { name: /^Undo: Max/ }).waitFor();
    expect(await readNames(shop)).toEqual(['1 Max', '2 Tom']);
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('Rex (animal 1) is as it was before.').waitFor();
  });

  test('can be undone by the keyboard on a phone, and no longer after a reload, in another session or workspace', async () => {
    await using shop = await openConsolePage({
      browser: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
    });
    const { page, call, newLink } = shop;
    for (const name of ['Rex', 'Tom']) await addAnimal(page, name, '5');
    await rename(page, 'Rex', 'Max');
    await rename(page, 'Tom', 'Kim');
    await page.getByText('Kim (animal 2) was saved.').waitFor();
    await page.getByText('Max (animal 1) was saved.').waitFor({ state: 'detached' });
    await tabTo(page, 'and 1 earlier');
    await page.keyboard.press('Enter');
    await page.getByText('Max (animal 1) was saved.').waitFor();
    expect(await coverNothing(page)).toBe(true);
    await tabTo(page, 'Undo: Max (animal 1) was saved.');
    await page.keyboard.press('Enter');
    await page.getByText('Rex (animal 1) is as it was before.').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('Tom (animal 2) is as it was before.').waitFor();
    // The focus is not lost with the message.
    expect((await focused(page)).name).not.toBe('');
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
    expect(await readNames(shop)).toEqual(['1 Rex', '2 Tom']);

    await rename(page, 'Rex', 'Max');
    await page.getByRole('button', { name: /^Undo/ }).waitFor();
    // In a text field, the keys undo typing.
    await page.getByLabel('Search by name').press('ControlOrMeta+z');
    await page.reload();
    await rowOf(page, 'Max').waitFor();
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
    await rename(page, 'Max', 'Ben');
    await page.getByRole('button', { name: /^Undo/ }).waitFor();
    await page.evaluate("fetch('/console/v1/session', { method: 'DELETE' })");
    await call('PATCH', '/pets/2', { name: 'Leo' });
    await page.getByLabel('API key or link').fill(await newLink());
    await page.keyboard.press('Enter');
    await rowOf(page, 'Ben').waitFor();
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
  });
});

/** Presses a button, and then the button of the dialog with the same or another name. */
async function confirm(page: Page, name: string | RegExp, submit: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: submit, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** In the page: holds the events of the stream back. */
const delayEvents = `
  const send = fetch;
  let held;
  globalThis.holdEvents = () => { held = Promise.withResolvers(); };
  globalThis.releaseEvents = () => held.resolve();
  globalThis.fetch = async (...request) => {
    const response = await send(...request);
    if (!String(request[0]).includes('/events/stream')) return response;
    const delay = async (chunk, controller) => {
      await held?.promise;
      controller.enqueue(chunk);
    };
    return new Response(response.body.pipeThrough(new TransformStream({ transform: delay })), response);
  };`;

test('a sale, a reservation, its end, a hand-over and a category can be undone', async () => {
  await using shop = await openConsolePage();
  const { page, call, server } = shop;
  const undo = async (message: string) => {
    await click(page, /^Undo: /);
    await page.getByText(message, { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Undo: / }).count()).toBe(0);
  };
  const read = async (path: string) => (await (await call('GET', path)).json()) as unknown;
  const open = async (screen: string) => {
    await page.goto(`${server.origin}/console/w/default/#${screen}`);
  };
  await page.addInitScript(delayEvents);
  await page.reload();
  await addAnimal(page, 'Rex', 'Dogs');
  // Events arrive after the answer to the sale: that of an earlier change, and its own, the first of which says reserved.
  await page.evaluate('holdEvents()');
  await call('PATCH', '/pets/1', { categoryId: 2 });
  await confirm(page, /^Sell Rex/, 'Sell');
  await page.getByRole('button', { name: /^Undo: / }).waitFor();
  await page.evaluate('releaseEvents()');
  await call('POST', '/pets', { name: 'Tom', categoryId: 1 });
  await page.getByRole('button', { name: 'Show 1 new animal' }).waitFor();
  await undo('Rex (animal 1) is available again. Order 1 stays handed over.');
  await page.getByRole('button', { name: /^Reserve Rex/ }).click();
  await page.getByLabel('For whom').fill('Ms Gray');
  await page.getByRole('dialog').getByRole('button', { name: 'Reserve', exact: true }).click();
  await undo('Rex (animal 1) is no longer reserved.');
  expect(await read('/pets?id=1')).toMatchObject([{ status: 'available' }]);
  await call('POST', '/store/orders', { petId: 1, note: 'Ms Gray' });
  await open('orders');
  await confirm(page, /^Cancel reservation .*Rex/, 'Cancel reservation');
  await undo('Rex (animal 1) is reserved again: order 4.');
  const day = { shipDate: '2099-12-24T00:00:00.000Z' };
  await call('PATCH', '/store/orders/4', day);
  await rowOf(page, 'Dec 24, 2099').waitFor();
  await confirm(page, /^Hand over .*Rex/, 'Hand over');
  // Another user changes the note. The event of this has no note, so the Undo stays.
  await page.getByRole('button', { name: /^Undo: / }).waitFor();
  await call('PATCH', '/store/orders/4', { note: 'Ms Gray, Monday' });
  await undo('Rex (animal 1) is reserved again: order 5. Order 4 stays handed over.');
  const placed = { id: 5, note: 'Ms Gray, Monday', ...day };
  expect(await read('/store/orders?status=pending')).toMatchObject([placed]);

  // An order that another user closed is not opened again.
  await confirm(page, /^Cancel reservation .*Rex/, 'Cancel reservation');
  await page.getByRole('button', { name: /^Undo: / }).waitFor();
  await call('PATCH', '/pets/1', { status: 'sold' });
  await page.getByRole('button', { name: /^Undo: / }).waitFor({ state: 'detached' });

  await open('categories');
  await click(page, 'Edit Dogs');
  await page.getByLabel('Name', { exact: true }).fill('Cats');
  await click(page, 'Save');
  await undo('Category Dogs (1) is as it was before.');
  await confirm(page, 'Delete Dogs', 'Delete');
  await undo('Category Dogs (1) was added again, with the same number.');
  expect(await read('/categories')).toMatchObject([{ id: 1, name: 'Dogs' }]);

  await open('animals/1');
  await page
    .getByRole('button', { name: /^Set back to available/ })
    .first()
    .click();
  await undo('Rex (animal 1) is as it was before.');
  expect(await read('/pets?id=1')).toMatchObject([{ status: 'sold' }]);
});

describe('a change of many animals', () => {
  const ways = {
    'by pointer': { browser: { colorScheme: 'light' }, act: click },
    'by keyboard on a phone': {
      browser: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
      act: (page: Page, name: string | RegExp) => press(page, name),
    },
  } as const;
  test.each(Object.entries(ways))('is stopped, undone, and explained %s', async (_name, way) => {
    const { browser, act } = way;
    await using shop = await openConsolePage({ browser, demo: ['--animals', '60'] });
    const { page, call } = shop;
    const count = async () => (await (await call('GET', '/store/inventory')).json()) as Inventory;
    const atFirst = await count();
    const selectAll = async () => {
      await page.getByRole('checkbox').nth(1).check();
      await act(page, /^Select all/);
      await page.getByText('60 selected').waitFor();
    };
    await selectAll();
    // The server answers eight requests, and the five after them only after Stop.
    const held = Promise.withResolvers<void>();
    let sentCount = 0;
    await page.route('**/v1/pets/*', async (route) => {
      sentCount += 1;
      if (sentCount > 8) await held.promise;
      await route.continue();
    });
    await act(page, 'Set to sold');
    await page.getByRole('dialog').getByRole('button', { name: 'Set to sold' }).press('Enter');
    await page.getByText('8 of 60 done…').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    await (await asked).dismiss();
    // The change continues on other screens, and leaving the workspace asks.
    await act(page, 'Sign out');
    await page.getByRole('dialog', { name: 'Stop the change' }).waitFor();
    await page.keyboard.press('Escape');
    const link = (await shop.newLink()).replace('/console#', '/console/w/default/#');
    await page.evaluate(`location.href = '${link}'`);
    await page.getByText('stops the import or the change of animals that runs here').waitFor();
    await click(page, 'Keep this session');
    await page.evaluate("location.hash = '#orders'");
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
    await page.getByText('No orders yet').waitFor();
    await page.getByText('8 of 60 done…').waitFor();
    await act(page, 'Stop');
    await page.getByText('Stopping…').waitFor();
    held.resolve();
    await page.getByText(/the change was stopped\.$/).waitFor();
    // Some were sold before.
    const { sold } = await count();
    const changedCount = sold - atFirst.sold;
    expect(changedCount).toBeLessThan(13);
    const stopped = `${changedCount} animals were set to sold. ${13 - changedCount} animals were sold before. 47 animals were not changed: the change was stopped.`;
    await page.getByText(stopped).waitFor();
    await page.evaluate("location.hash = '#animals'");
    await page.getByText('47 selected').waitFor();
    expect(await coverNothing(page)).toBe(true);
    await act(page, `Undo: ${stopped}`);
    await page.getByText(`The change of ${changedCount} animals was undone.`).waitFor();
    expect(await count()).toEqual(atFirst);

    // Animals that were changed or are reserved stay, and are named.
    await call('PATCH', '/pets/60', { name: 'Rex', status: 'available' });
    await call('POST', '/store/orders', { petId: 60 });
    await rowOf(page, 'Rex').getByText('reserved').waitFor();
    await act(page, 'Clear selection');
    await selectAll();
    await call('PATCH', '/pets/59', { name: 'Tom' });
    await act(page, 'Delete…');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Delete', exact: true })
      .press('Enter');
    await page.getByText('58 animals were deleted.').waitFor();
    const refusals = page.getByRole('region', { name: '2 animals were not changed' });
    await refusals.getByText(/\(animal 59\): Another user has changed it/).waitFor();
    await refusals.getByText(/^Rex \(animal 60\): /).waitFor();
    await page.getByText('2 selected').waitFor();
    expect([await coverNothing(page), await findBarriers(page)]).toEqual([true, []]);
    if (act === click) {
      // The focus returns from a message to a row in sight. It would scroll to another one.
      await page.evaluate("document.querySelector('.table').scrollTop = 1500");
      await refusals.getByRole('button', { name: 'Dismiss' }).press('Enter');
      await page.locator('.rows [role=row]:focus').waitFor();
      const top = await page.evaluate<number>("document.querySelector('.table').scrollTop");
      expect(top).toBeWithin(1400, 1600);
      await page.evaluate("document.querySelector('.table').scrollTop = 0");
    }
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('58 animals were added again, with new numbers.').waitFor();
    const ids = (await readNames(shop)).map((text) => Number.parseInt(text, 10));
    expect(ids.toSorted((one, two) => one - two)).toEqual(
      Array.from({ length: 60 }, (_none, index) => 59 + index),
    );
    // Those that were added again are shown.
    await rowOf(page, '118').first().waitFor();
  });

  test('waits for the one before it, also if several are undone at once', async () => {
    await using shop = await openConsolePage();
    const { page, call } = shop;
    for (const categoryId of [1, 2, 3]) {
      for (const name of 'abcdefgh') await call('POST', '/pets', { name, categoryId });
    }
    /** Sells the animals of a category. */
    const sellAll = async (categoryId: number) => {
      await page.evaluate(`location.hash = '#animals?category=${categoryId}'`);
      await rowOf(page, String(categoryId * 8))
        .first()
        .waitFor();
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await click(page, 'Set to sold');
      await page.getByRole('dialog').getByRole('button', { name: 'Set to sold' }).click();
    };
    const undo = page.getByRole('button', { name: /^Undo: 8 animals/ });
    for (const categoryId of [1, 2]) {
      await sellAll(categoryId);
      await undo.first().waitFor();
    }
    await click(page, 'and 1 earlier');
    let openCount = 0;
    let openMax = 0;
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/pets/*', async (route) => {
      openCount += 1;
      openMax = Math.max(openMax, openCount);
      await held.promise;
      const response = await route.fetch();
      openCount -= 1;
      await route.fulfill({ response });
    });
    await sellAll(3);
    await page.getByText('0 of 8 done…').waitFor();
    await undo.last().click();
    await undo.first().click();
    held.resolve();
    await page.evaluate("location.hash = '#animals'");
    await page.getByRole('link', { name: 'Available 16' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(openMax).toBe(5);
  });
});
