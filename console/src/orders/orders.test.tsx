import { describe, expect, test } from 'bun:test';
import { screen } from '@testing-library/dom';
import { click, has, openPage, type Page, see, seeNoDialog, type } from '../../test/open-page.tsx';

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
    await click(`${action} ${order}`);
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
    await click(`Cancel reservation ${order}`);
    await call('PATCH', '/store/orders/1', { status: 'shipped' });
    await click('Cancel reservation');
    await see(`Another user has changed ${order}. It is handed over now.`);
    expect(has('Cancel reservation')).toBe(false);
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
});

test('orders are found by a note, and an order that is not found leads to all', async () => {
  await openPage({ at: `${at}?search=kim`, fill });
  await see('No order matches');
  expect((await screen.findByRole('link', { name: 'Show all orders' })).getAttribute('href')).toBe(
    '#orders',
  );
});
