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
  test('can be undone by its message, which covers nothing', async () => {
    await using shop = await openConsolePage();
    const { page } = shop;
    await addAnimal(page, 'Rex', '5');
    await rename(page, 'Rex', 'Max');
    await rename(page, 'Max', 'Tom');
    await rowOf(page, 'Tom').waitFor();
    await page.getByText('and 1 earlier').waitFor();
    expect(await coverNothing(page)).toBe(true);
    expect(await findBarriers(page)).toEqual([]);
    // The server changes the animal, its answer is lost, and the page asks again.
    await page.route('**/v1/pets/1', loseAnswer, { times: 1 });
    await click(page, 'Undo: Tom (animal 1) was saved.');
    await page.getByText('Max (animal 1) is as it was before.').waitFor();
    await click(page, 'Undo: Max (animal 1) was saved.');
    await page.getByText('Rex (animal 1) is as it was before.').waitFor();
    // An edit without a change saves nothing.
    await rename(page, 'Rex', 'Rex');
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);

    // A long name does not cut the verb.
    const long = 'Rex '.repeat(63).trim();
    await rename(page, 'Rex', long);
    await page.getByText(/^Rex Rex .*… \(animal 1\) was saved\.$/).waitFor();
    await click(page, /^Edit Rex /);
    await click(page, 'Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await click(page, /^Undo: .*… \(animal 1\) was deleted\.$/);
    await page.getByText(/… \(animal 2\) was added again, with a new number\.$/).waitFor();
    expect(await readNames(shop)).toEqual([`2 ${long}`]);
  });

  test('that another user has changed since stays, and a message says so until it is dismissed', async () => {
    await using shop = await openConsolePage();
    const { page, call } = shop;
    await addAnimal(page, 'Rex', '5');
    await rename(page, 'Rex', 'Max');
    await call('PATCH', '/pets/1', { status: 'sold' });
    await rowOf(page, 'sold').waitFor();
    await click(page, 'Undo: Max (animal 1) was saved.');
    const refused = page.getByText('“Max (animal 1) was saved.” was not undone.');
    await refused.getByText('it is sold now').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await click(page, 'Dismiss');
    await refused.waitFor({ state: 'detached' });
    expect(await readNames(shop)).toEqual(['1 Max']);

    // An edit that another user has made too, with another one, has no Undo.
    await click(page, /^Edit Max/);
    await page.getByLabel('Name', { exact: true }).fill('Tom');
    await call('PATCH', '/pets/1', { name: 'Tom', status: 'available' });
    await click(page, 'Save');
    await page.getByText('Tom (animal 1) was saved.').waitFor();
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
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
  await addAnimal(page, 'Rex', 'Dogs');
  await confirm(page, /^Sell Rex/, 'Sell');
  await undo('Rex (animal 1) is available again. Order 1 stays handed over.');
  await page.getByRole('button', { name: /^Reserve Rex/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reserve', exact: true }).click();
  await undo('Rex (animal 1) is no longer reserved.');
  await call('POST', '/store/orders', { petId: 1 });
  await open('orders');
  await confirm(page, /^Cancel reservation .*Rex/, 'Cancel reservation');
  await undo('Rex (animal 1) is reserved again: order 4.');
  await confirm(page, /^Hand over .*Rex/, 'Hand over');
  await undo('Rex (animal 1) is reserved again: order 5. Order 4 stays handed over.');
  await call('DELETE', '/store/orders/5');
  await call('PATCH', '/pets/1', { status: 'sold' });

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
    await using shop = await openConsolePage({ browser, demo: ['--animals', '160'] });
    const { page, call } = shop;
    const count = async () => (await (await call('GET', '/store/inventory')).json()) as Inventory;
    const atFirst = await count();
    const selectAll = async () => {
      await page.getByRole('checkbox').nth(1).check();
      await act(page, /^Select all/);
      await page.getByText('160 selected').waitFor();
    };
    await selectAll();
    // The server answers a request for 50 animals, and one for up to 100 after Stop. Others are not sent.
    const held = Promise.withResolvers<void>();
    let sentCount = 0;
    let changingCount = 50;
    await page.route('**/pet-changes', async (route) => {
      sentCount += 1;
      if (sentCount > 1) {
        changingCount += JSON.parse(route.request().postData() ?? '').rows.length;
        await held.promise;
      }
      await route.continue();
    });
    await act(page, 'Set to sold');
    await page.getByRole('dialog').getByRole('button', { name: 'Set to sold' }).press('Enter');
    await page.getByText('50 of 160 done…').waitFor();
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
    await page.getByText('50 of 160 done…').waitFor();
    await act(page, 'Stop');
    await page.getByText('Stopping…').waitFor();
    held.resolve();
    await page.getByText(/the change was stopped\.$/).waitFor();
    // Some were sold before.
    const { sold } = await count();
    const changedCount = sold - atFirst.sold;
    const left = 160 - changingCount;
    const stopped = `${changedCount} animals were set to sold. ${changingCount - changedCount} animals were sold before. ${left} animals were not changed: the change was stopped.`;
    await page.getByText(stopped).waitFor();
    await page.evaluate("location.hash = '#animals'");
    await page.getByText(`${left} selected`).waitFor();
    expect(await coverNothing(page)).toBe(true);
    await act(page, `Undo: ${stopped}`);
    await page.getByText(`The change of ${changedCount} animals was undone.`).waitFor();
    expect(await count()).toEqual(atFirst);

    // Animals that were changed or are reserved stay, and are named.
    await call('PATCH', '/pets/160', { name: 'Rex', status: 'available' });
    await call('POST', '/store/orders', { petId: 160 });
    await rowOf(page, 'Rex').getByText('reserved').waitFor();
    await act(page, 'Clear selection');
    await selectAll();
    await call('PATCH', '/pets/159', { name: 'Tom' });
    await act(page, 'Delete…');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Delete', exact: true })
      .press('Enter');
    await page.getByText('158 animals were deleted.').waitFor();
    const refusals = page.getByRole('region', { name: '2 animals were not changed' });
    await refusals.getByText(/\(animal 159\): Another user has changed it/).waitFor();
    await refusals.getByText(/^Rex \(animal 160\): /).waitFor();
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
    await page.getByText('158 animals were added again, with new numbers.').waitFor();
    const ids = (await readNames(shop)).map((text) => Number.parseInt(text, 10));
    expect(ids.toSorted((one, two) => one - two)).toEqual(
      Array.from({ length: 100 }, (_none, index) => 219 + index),
    );
    const { available, pending, sold: soldAgain } = await count();
    expect(available + pending + soldAgain).toBe(160);
    // Those that were added again are shown.
    await rowOf(page, '318').first().waitFor();
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
    await page.route('**/pet-changes', async (route) => {
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
    expect(openMax).toBe(1);
  });
});
