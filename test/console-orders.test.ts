import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import { findBarriers } from './support/barriers.ts';
import { type ConsolePage, openConsolePage, rowOf } from './support/console-page.ts';
import { press } from './support/keyboard.ts';
import { runProgram } from './support/server-process.ts';

setDefaultTimeout(120_000);

interface StoredOrder {
  readonly id: number;
  readonly petId: number;
  readonly status: string;
  readonly shipDate?: string;
  readonly note?: string;
}

async function readOrders({ call }: ConsolePage): Promise<readonly StoredOrder[]> {
  return (await (await call('GET', '/store/orders')).json()) as StoredOrder[];
}

async function addPets({ call, page }: ConsolePage, names: readonly string[]): Promise<void> {
  for (const name of names) await call('POST', '/pets', { name, categoryId: 1 });
  await page.reload();
  await rowOf(page, names[0] ?? '').waitFor();
}

/** The button that sends the open dialog. */
function submit(page: Page) {
  return page.locator('dialog footer [type=submit]');
}

async function signInWith(shop: ConsolePage, scopes: string, screen = 'Animals'): Promise<void> {
  const { page, databaseUrl } = shop;
  const made = await runProgram([
    ...['keys', 'create', '--name', 'desk', '--scopes', scopes, '--json'],
    ...['--database', databaseUrl],
  ]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').fill((JSON.parse(made.stdout) as { apiKey: string }).apiKey);
  await page.getByLabel('API key').press('Enter');
  await page.getByRole('heading', { level: 1, name: screen }).waitFor();
}

/** The server does what it is asked, and the answer is lost behind a proxy. */
async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.fulfill({ status: 404, contentType: 'text/html', body: 'proxy' });
}

/** The patch `{}` is a read. */
function isChange(route: Route): boolean {
  return route.request().postData() !== '{}';
}

const lostAnswer = 'A proxy or another program answered';

describe('a reservation', () => {
  test('has a note and a day, which rows and orders show, find and change', async () => {
    // The day there begins fourteen hours before that in UTC.
    await using shop = await openConsolePage({ browser: { timezoneId: 'Pacific/Kiritimati' } });
    const { page, server, call } = shop;
    await addPets(shop, ['Rex', 'Bella', 'Waldi']);
    await call('POST', '/store/orders', {
      petId: 2,
      note: 'Grace',
      shipDate: '2026-01-02T00:00:00Z',
    });
    await call('PATCH', '/pets/3', { status: 'pending' });
    await rowOf(page, 'Bella').getByText('overdue: Jan 2').waitFor();
    await rowOf(page, 'Waldi').getByText('without an order').waitFor();

    await page.getByRole('button', { name: 'Reserve Rex (animal 1)' }).click();
    const [note, until] = [page.getByLabel('For whom'), page.getByLabel('Until')];
    await note.fill('😀'.repeat(1001));
    await until.press('1');
    await submit(page).click();
    await page.getByText('This text has at most 1,000 characters.').waitFor();
    await page.getByText('Enter the whole date, or clear it.').waitFor();
    await until.fill('2025-12-24');
    await page.getByText('This day has passed. Choose today or a later day.').waitFor();
    await until.fill('2099-12-24');
    const text = `\n<b>Ada</b> \u2069\u202e0171\n${'😀'.repeat(900)}`;
    await note.fill(text);
    expect(await findBarriers(page)).toEqual([]);
    await submit(page).click();
    await page.getByText('Rex (animal 1) is reserved: order 2.').waitFor();
    const row = rowOf(page, 'Rex');
    await row.getByText('until Dec 24, 2099').waitFor();
    expect(await row.locator('.reservation bdi').textContent()).toBe('<b>Ada</b> \u2069\u202e0171');
    expect((await readOrders(shop))[0]).toMatchObject({
      note: text.trim(),
      shipDate: '2099-12-24T09:59:59.999Z',
    });
    expect(await findBarriers(page)).toEqual([]);

    // Orders that could not be read are read again, here after an event.
    const reading = /store\/orders\?.*petId=/;
    await page.route(reading, loseAnswer);
    await page.reload();
    await rowOf(page, 'Bella').getByText('order not read: trying again').waitFor();
    await page.unroute(reading);
    await call('PATCH', '/store/orders/1', { note: 'Grace, again' });
    await rowOf(page, 'Bella').getByText('for Grace, again').waitFor();

    // No animal has this name, but an order has this note.
    await page.getByLabel('Search by name or number').fill('Ada');
    await page.getByRole('link', { name: 'Search orders for “Ada”' }).click();
    await rowOf(page, 'Rex (1)').getByText('until Dec 24, 2099').waitFor();
    const search = page.getByLabel('Search notes and animals');
    for (const [typed, found, other] of [
      ['ada', 'Rex (1)', 'Bella'],
      ['bella', 'Bella (2)', 'Rex'],
      // The number of an order and of an animal. The order comes first.
      ['2', 'Rex (1)', 'Waldi'],
      ['0171', 'Rex (1)', 'Bella'],
    ] as const) {
      await search.fill(typed);
      await page.waitForURL(new RegExp(`search=${typed}$`));
      await page.getByRole('row').nth(1).filter({ hasText: found }).waitFor();
      await rowOf(page, other).waitFor({ state: 'detached' });
    }
    // The event of a change has no note.
    const changed = { note: 'Ada moved, 0171', shipDate: '2099-12-30T00:00:00Z' };
    await call('PATCH', '/store/orders/2', changed);
    await rowOf(page, 'Ada moved, 0171').getByText('until Dec 30, 2099').waitFor();
    // An order that matches after all is offered.
    await call('POST', '/pets', { name: 'Tom', categoryId: 1 });
    await call('POST', '/store/orders', { petId: 4, note: 'call 0171 too' });
    await page.getByRole('button', { name: 'Show 1 new order' }).click();

    const edit = page.getByRole('button', { name: 'Edit order 3 for Tom (animal 4)' });
    await edit.click();
    // Without a change, nothing is saved.
    await submit(page).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByText('Saved: order').count()).toBe(0);
    await edit.click();
    await note.fill('Linus');
    await call('PATCH', '/store/orders/3', {
      note: 'Alan\n555 0100',
      shipDate: '2099-11-01T00:00:00Z',
    });
    await submit(page).click();
    const notes = page.getByRole('row', { name: 'For whom Linus Alan' }).getByRole('cell');
    expect(await notes.last().innerText()).toBe('Alan\n555 0100');
    await page.getByRole('row', { name: 'Until Nov 1, 2099 Nov 1, 2099' }).waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Saved: order 3 for Tom (animal 4).').waitFor();
    expect((await readOrders(shop))[0]).toMatchObject({
      note: 'Linus',
      shipDate: '2099-11-01T00:00:00.000Z',
    });
    await page.goto(`${server.origin}/console/w/default/#orders?status=pending`);
    await page.getByRole('button', { name: 'Edit order 1 for Bella (animal 2)' }).click();
    // A day that has passed stays as it is while only the note changes. It cannot be removed.
    await until.fill('');
    await note.fill('');
    await submit(page).click();
    await page.getByText('The date of an order cannot be removed.').waitFor();
    await until.fill('2026-01-02');
    await submit(page).click();
    await page.getByText('Saved: order 1 for Bella (animal 2).').waitFor();
    expect((await readOrders(shop))[2]).not.toHaveProperty('note');
    await page.getByRole('button', { name: /^Undo: Saved: order 1/ }).click();
    await page.getByText('Changed back: order 1 for Bella (animal 2).').waitFor();
    expect((await readOrders(shop))[2]?.note).toBe('Grace, again');

    // A long name is cut before its number.
    await call('PATCH', '/pets/4', { name: 'Tom '.repeat(60) });
    for (const width of [700, 1280]) {
      await page.setViewportSize({ width, height: 760 });
      await rowOf(page, 'Tom Tom').waitFor();
      const gap = await page.evaluate<number>(`(() => {
        const link = [...document.querySelectorAll('.name a')].find((one) => one.innerText.includes('(4)'));
        const number = document.createRange();
        number.selectNode(link.lastChild);
        const { right } = link.parentElement.getBoundingClientRect();
        return right - number.getBoundingClientRect().right;
      })()`);
      expect(gap).toBeGreaterThanOrEqual(0);
    }
    expect(shop.complaints.filter((complaint) => !/ 404 | 412 /.test(complaint))).toEqual([]);
  });

  test('is handed over or cancelled as the dialog shows it, by keyboard on a phone', async () => {
    const viewport = { width: 390, height: 760 };
    await using shop = await openConsolePage({
      browser: { viewport, hasTouch: true, colorScheme: 'dark' },
    });
    const { page, server, call } = shop;
    await addPets(shop, ['Rex', 'Bella', 'Tom']);
    await rowOf(page, 'Rex').focus();
    await press(page, 'Reserve Rex (animal 1)');
    await page.keyboard.type('Ada');
    await press(page, 'Reserve');
    await rowOf(page, 'Rex').getByText('for Ada').waitFor();
    await call('POST', '/store/orders', {
      petId: 2,
      note: 'Grace',
      shipDate: '2099-12-24T00:00:00Z',
    });
    await page.goto(`${server.origin}/console/w/default/#orders`);
    await rowOf(page, 'Rex (1)').waitFor();
    const name = 'order 2 for Bella (animal 2)';
    await press(page, `Hand over ${name}`);
    await page.getByRole('dialog').getByText('Grace').waitFor();
    // Another user changes it after the page has read its version.
    const note = 'Grace, and her brother';
    await page.route('**/store/orders/2', async (route) => {
      if (isChange(route)) await call('PATCH', '/store/orders/2', { note });
      await route.continue();
    });
    await page.keyboard.press('Enter');
    await page.getByText(`Another user has changed ${name}. Your change was not saved.`).waitFor();
    await page.getByRole('dialog').getByText('and her brother').waitFor();
    expect((await readOrders(shop))[0]?.status).toBe('pending');
    const before = Date.now();
    await press(page, 'Hand over');
    await page.getByText(`Handed over: ${name}.`).waitFor();
    const [handedOver] = await readOrders(shop);
    expect(handedOver).toMatchObject({ status: 'shipped', note });
    // The day of the reservation is replaced by the time of the hand-over.
    expect(Date.parse(handedOver?.shipDate ?? '')).toBeWithin(before, Date.now() + 1);

    await rowOf(page, 'Rex (1)').focus();
    await press(page, 'Cancel reservation order 1 for Rex (animal 1)');
    await call('PATCH', '/store/orders/1', { status: 'shipped' });
    await press(page, 'Cancel reservation');
    await page.getByText('Another user has changed order 1 for Rex').waitFor();
    await page.getByText('It is handed over now.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await rowOf(page, 'Rex (1)').getByText('handed over').waitFor();
    // The button that opened the dialog is gone: its row has the focus.
    await rowOf(page, 'Rex (1)').and(page.locator(':focus')).waitFor();

    await call('POST', '/store/orders', { petId: 3, note: 'Linus' });
    await page.getByRole('button', { name: 'Show 1 new order' }).click();
    await rowOf(page, 'Tom (3)').focus();
    await press(page, 'Cancel reservation order 3 for Tom (animal 3)');
    await press(page, 'Cancel reservation');
    await rowOf(page, 'Tom (3)').getByText('cancelled').waitFor();
    // All actions of a row are within the screen.
    const edges = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.rows .button')].map((button) => button.getBoundingClientRect().right)",
    );
    expect(Math.max(...edges)).toBeLessThanOrEqual(viewport.width);
    const closed = (await readOrders(shop)).map((order) => `${order.status} ${order.note}`);
    expect(closed).toEqual(['cancelled Linus', `shipped ${note}`, 'shipped Ada']);
  });

  test('whose answer was lost continues with its order', async () => {
    await using shop = await openConsolePage();
    const { page, server, call } = shop;
    await addPets(shop, ['Rex', 'Bella']);
    for (const [animal, action] of [
      ['Rex (animal 1)', 'Reserve'],
      ['Bella (animal 2)', 'Sell'],
    ]) {
      await page.route('**/store/orders', loseAnswer);
      await page.getByRole('button', { name: `${action} ${animal}` }).click();
      await page.getByLabel('For whom').fill('Ada');
      await submit(page).click();
      await page.getByText(lostAnswer).waitFor();
      await page.unroute('**/store/orders');
      expect(await page.getByLabel('For whom').isDisabled()).toBe(true);
      await submit(page).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(await readOrders(shop)).toMatchObject([
      { id: 2, petId: 2, status: 'shipped', note: 'Ada' },
      { id: 1, petId: 1, status: 'pending', note: 'Ada' },
    ]);

    await page.goto(`${server.origin}/console/w/default/#orders`);
    const changing = '**/store/orders/1';
    const lose = (route: Route) => (isChange(route) ? loseAnswer(route) : route.continue());
    await page.getByRole('button', { name: 'Edit order 1 for Rex (animal 1)' }).click();
    await page.getByLabel('For whom').fill('Linus');
    await page.route(changing, lose);
    await submit(page).click();
    await page.getByText(lostAnswer).waitFor();
    await page.unroute(changing);
    await submit(page).click();
    await page.getByText('Saved: order 1 for Rex (animal 1).').waitFor();
    expect((await readOrders(shop))[1]?.note).toBe('Linus');

    await page.getByRole('button', { name: 'Hand over order 1 for Rex (animal 1)' }).click();
    await page.route(changing, lose);
    await submit(page).click();
    await page.getByText(lostAnswer).waitFor();
    await page.unroute(changing);
    await submit(page).click();
    await page.getByText('Handed over: order 1 for Rex (animal 1).').waitFor();
    const events = (await (await call('GET', '/events?limit=100')).json()) as {
      type: string;
      data: { status?: string };
    }[];
    const shipped = events.filter(
      ({ type, data }) => type === 'order.updated' && data.status === 'shipped',
    );
    expect(shipped).toHaveLength(2);
  });
});

describe('a sale', () => {
  test('by a key without events and orders shows what others did to the animal', async () => {
    await using shop = await openConsolePage();
    const { page, call, requests } = shop;
    await addPets(shop, ['Rex', 'Bella', 'Tom', 'Mia']);
    await call('POST', '/store/orders', { petId: 3 });
    await rowOf(page, 'Tom').getByText('order 1').waitFor();
    await signInWith(shop, 'pets:read,orders:write');
    await rowOf(page, 'Tom').getByText('reserved').waitFor();
    const search = page.getByLabel('Search by name or number');
    await search.fill('Ada');
    await page.getByText('No animal matches').waitFor();
    expect(await page.getByRole('link', { name: /^Search orders/ }).count()).toBe(0);
    await search.fill('');
    await rowOf(page, 'Tom').getByText('reserved').waitFor();
    const sell = async (name: string) => {
      await page.getByRole('button', { name: `Sell ${name}` }).click();
      await submit(page).click();
    };
    // The row keeps what another user has changed since the list was read.
    await call('PATCH', '/pets/1', { name: 'Rexine', categoryId: 7 });
    await sell('Rex (animal 1)');
    await rowOf(page, 'Rexine').getByText('sold').waitFor();
    await rowOf(page, 'Rexine').getByText('7', { exact: true }).waitFor();

    await call('POST', '/store/orders', { petId: 2 });
    await sell('Bella (animal 2)');
    await page
      .getByText('Bella (animal 2) is not available any more. It is reserved now.')
      .waitFor();
    await page.keyboard.press('Escape');
    await rowOf(page, 'Bella').getByText('reserved').waitFor();
    await call('DELETE', '/pets/4');
    await sell('Mia (animal 4)');
    await page.getByText('Another user has deleted Mia (animal 4).').waitFor();
    await page.keyboard.press('Escape');
    await rowOf(page, 'Mia').getByText('deleted').waitFor();
    const read = requests.filter((url) => url.includes('/store/orders?'));
    expect(read.filter((url) => url.includes('petId='))).toHaveLength(1);

    // A key without access to animals begins with its first screen.
    await signInWith(shop, 'orders:read', 'Orders');
    await page.getByText('3 orders').waitFor();
  });
});
