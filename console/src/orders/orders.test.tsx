import { describe, expect, test } from 'bun:test';
import { screen, waitFor } from '@testing-library/dom';
import {
  act,
  click,
  has,
  openPage,
  type Page,
  pick,
  see,
  seeNoDialog,
  type,
} from '../../test/open-page.tsx';

const fill = async (call: Page['call']) => {
  await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await call('POST', '/pets', { name: 'Tom', categoryId: 1 });
  await call('POST', '/store/orders', { petId: 1, note: 'Ms Lee' });
};
const at = 'orders';
const order = 'order 1 for Rex (animal 1)';

describe('an order', () => {
  test.each([
    ['Hand over', `Handed over: ${order}.`, 'sold'],
    ['Cancel reservation', `The reservation is cancelled: ${order}.`, 'available'],
  ])('is closed by %s, and open again after Undo', async (action, notice, status) => {
    const { call } = await openPage({ at, fill });
    await act(action, order);
    await click(action);
    await see(notice);
    expect(await call('GET', '/pets?id=1')).toMatchObject([{ status }]);
    await click(/^Undo/);
    await see(/Rex/);
    await seeNoDialog();
  });

  test('that another user has changed is shown as it is now, before it is handed over', async () => {
    const { call } = await openPage({ at, fill });
    await click(`Hand over ${order}`);
    await call('PATCH', '/store/orders/1', { note: 'Mr Kim' });
    await click('Hand over');
    await see(`Another user has changed ${order}. Your change was not saved.`);
    await see('Mr Kim');
    expect(await call('GET', '/store/orders')).toMatchObject([{ status: 'pending' }]);
  });

  test('that another user has handed over cannot be cancelled, and is shown as it is', async () => {
    const { call } = await openPage({ at, fill });
    await act('Cancel reservation', order);
    await call('PATCH', '/store/orders/1', { status: 'shipped' });
    await click('Cancel reservation');
    await see(`Another user has changed ${order}. It is handed over now.`);
    expect(has(/^(Cancel reservation|Hand over|More)/)).toBe(false);
    expect(await call('GET', '/store/orders')).toMatchObject([{ status: 'shipped' }]);
  });

  test('whose note another user has changed to the same is saved, without a question', async () => {
    const { call } = await openPage({ at, fill });
    await click(`Edit ${order}`);
    await type('For whom', 'Mr Kim');
    await call('PATCH', '/store/orders/1', { note: 'Mr Kim' });
    await click('Save');
    await see(`Saved: ${order}.`);
    await seeNoDialog();
    expect(has(/^Undo/)).toBe(false);
  });

  test.each([
    ['Save mine', 'Ms Lee, Friday'],
    ['Discard mine, and edit again', 'Mr Kim'],
  ])('that another user changes during an edit: %s', async (button, note) => {
    const { call } = await openPage({ at, fill });
    await click(`Edit ${order}`);
    await type('For whom', 'Ms Lee, Friday');
    await call('PATCH', '/store/orders/1', { note: 'Mr Kim' });
    await click('Save');
    await see(`Another user has changed ${order}. Your change was not saved.`);
    await see('Mr Kim');
    await click(button);
    if (button !== 'Save mine') await click('Save');
    await seeNoDialog();
    expect(await call('GET', '/store/orders')).toMatchObject([{ note }]);
  });

  test.each([
    ['Edit', 'Save', /^Saved: order 1/, { status: 'pending', note: 'Mr Kim' }],
    ['Hand over', 'Hand over', /^Handed over: order 1/, { status: 'shipped' }],
  ])('whose answer was lost continues: %s', async (open, submit, notice, stored) => {
    const page = await openPage({ at, fill });
    await act(open, order);
    if (open === 'Edit') await type('For whom', 'Mr Kim');
    page.lost = /PATCH .store.orders/;
    await click(submit);
    await see(notice);
    expect(await page.call('GET', '/store/orders')).toMatchObject([stored]);
  });

  test('is not saved without a change', async () => {
    await openPage({ at, fill });
    await click(`Edit ${order}`);
    await click('Save');
    await seeNoDialog();
    expect(screen.queryAllByText(/^Saved/)).toEqual([]);
  });
});

test.each(['Sell', 'Reserve'])(
  'an order whose answer was lost is placed once: %s',
  async (action) => {
    const page = await openPage({ at: 'animals', fill });
    await act(action, 'Tom (animal 2)');
    page.lost = /POST .store.orders/;
    await click(action);
    await see(/^Tom \(animal 2\) is (sold|reserved): order 2\./);
    expect(await page.call('GET', '/store/orders')).toHaveLength(2);
  },
);

test('a key without events and orders sells animals, and sees what others did to them', async () => {
  const { call, requests } = await openPage({
    at: 'animals',
    scopes: ['pets:read', 'orders:write'],
    fill: async (calls) => {
      await fill(calls);
      for (const name of ['Bella', 'Mia']) await calls('POST', '/pets', { name, categoryId: 1 });
    },
  });
  await see('Mia');
  // The row keeps what another user has changed since the list was read.
  await call('PATCH', '/pets/2', { name: 'Tomcat' });
  await act('Sell', 'Tom (animal 2)');
  await click('Sell');
  await see('Tomcat');
  await call('POST', '/store/orders', { petId: 3 });
  await act('Sell', 'Bella (animal 3)');
  await click('Sell');
  await see('Bella (animal 3) is not available any more. It is reserved now.');
  await click('Cancel');
  await call('DELETE', '/pets/4');
  await act('Sell', 'Mia (animal 4)');
  await click('Sell');
  await see('Another user has deleted Mia (animal 4).');
  expect(has(/^Search orders/, 'link')).toBe(false);
  expect(requests).not.toContain('GET /store/orders');
});

test.each([
  ['LEE', 'Rex (1)'],
  ['tom', 'Tom (2)'],
  // The number of an order and of an animal.
  ['2', 'Tom (2)'],
])(
  'orders are found by a note, and by the name or number of their animal: %s',
  async (text, found) => {
    await openPage({
      at: `${at}?search=${text}`,
      fill: async (call) => {
        await fill(call);
        await call('POST', '/store/orders', { petId: 2, note: 'Mr Kim' });
      },
    });
    await waitFor(() => {
      const rows = screen
        .queryAllByRole('row')
        .filter((row) => row.querySelector('.name a') !== null);
      expect(rows.map((row) => row.querySelector('.name')?.textContent)).toEqual([
        expect.stringContaining(found),
      ]);
    });
  },
);

test('rows of animals have their reservations, which are read again after a failure, and a search leads to orders', async () => {
  const page = await openPage({
    at: 'animals',
    refused: /GET .store.orders/,
    fill: async (call) => {
      await fill(call);
      await call('PATCH', '/pets/2', { status: 'pending' });
    },
  });
  await see(/^order not read: trying again/);
  page.refused = undefined;
  await page.call('PATCH', '/store/orders/1', { note: 'Ms Lee, again' });
  await see(/Ms Lee, again/);
  await see('without an order');
  await type('Search by name or number', 'lee');
  await click(/^Search orders for .*lee/, 'link');
  await waitFor(() => expect(location.hash).toBe('#orders?search=lee'));
});

test('another order that matches is offered, and appears when the user wants it', async () => {
  const { call } = await openPage({ at: `${at}?search=lee`, fill });
  await see(/Rex/);
  await call('POST', '/store/orders', { petId: 2, note: 'Mr Lee' });
  await click('Show 1 new order');
  await see(/Mr Lee/);
});

test('an order that is not found leads to all', async () => {
  await openPage({ at: `${at}?search=kim`, fill });
  await see('No order matches');
  expect((await screen.findByRole('link', { name: 'Show all orders' })).getAttribute('href')).toBe(
    '#orders',
  );
});

test('an animal is reserved from the orders, found among those available by its name or number', async () => {
  const { call } = await openPage({
    at,
    fill: async (calls) => {
      await fill(calls);
      await calls('POST', '/pets', { name: 'Tomcat', categoryId: 1 });
    },
  });
  await click('Reserve an animal');
  await click('Reserve');
  await see('Choose an animal.');
  expect(await pick('Animal', 'tom')).toEqual(['Tomcat3', 'Tom2']);
  expect(await pick('Animal', '2')).toEqual(['Tom2']);
  await type('For whom', 'Mr Kim');
  await click('Reserve');
  await see('Tom (animal 2) is reserved: order 2.');
  expect(await call('GET', '/store/orders')).toMatchObject([{ petId: 2, note: 'Mr Kim' }, {}]);
  await click(/^Undo/);
  await see(/cancelled/);
});
