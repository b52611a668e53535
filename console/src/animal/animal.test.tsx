import { expect, test } from 'bun:test';
import { screen, waitFor } from '@testing-library/dom';
import {
  act,
  click,
  goTo,
  openPage,
  type Page,
  see,
  seeNoDialog,
  type,
} from '../../test/open-page.tsx';

async function fill(call: Page['call']): Promise<void> {
  await call('POST', '/categories', { name: 'Dogs' });
  await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await call('PATCH', '/pets/1', { name: 'Max' });
  await call('POST', '/store/orders', { petId: 1, note: 'Ms Lee' });
}
const at = 'animals/1';

test('an animal has its orders and its history, from which an earlier value is set back and forth', async () => {
  const { call } = await openPage({ at, fill });
  await see(/Ms Lee/);
  await click(/^Set back to .*Rex/);
  await see(/^The name of Rex \(animal 1\) is .*Rex.* again.$/);
  expect(await call('GET', '/pets?id=1')).toMatchObject([{ name: 'Rex' }]);
  await click(/^Undo/);
  await see(/Max \(animal 1\)/);
  expect(await call('GET', '/pets?id=1')).toMatchObject([{ name: 'Max' }]);
});

test('an animal is sold and edited on its page, where changes of others appear', async () => {
  const { call } = await openPage({ at, fill });
  await click(/^Hand over/);
  await click('Hand over');
  await see(/^Handed over/);
  await call('PATCH', '/pets/1', { name: 'Ada' });
  await see('Ada');
  await click(/^Edit Ada/);
  await click('Cancel');
  await seeNoDialog();
});

const reserveWithoutOrder = (calls: Page['call']) =>
  calls('POST', '/pets', { name: 'Rex', categoryId: 1, status: 'pending' });

test('an animal that is reserved without an order is sold to a buyer, also at a second attempt', async () => {
  const page = await openPage({ at, fill: reserveWithoutOrder, refused: /POST .store.orders/ });
  await click('Hand over Rex (animal 1)');
  await type('For whom', 'Ms Lee');
  await click('Sell');
  await see(/^This page and the server do not have the same version/);
  page.refused = undefined;
  await click('Sell');
  await see('Rex (animal 1) is sold: order 1.');
  const orders = await page.call('GET', '/store/orders');
  expect(orders).toMatchObject([{ note: 'Ms Lee', status: 'shipped' }]);
});

test('an animal that is reserved without an order gets one', async () => {
  const { call } = await openPage({ at, fill: reserveWithoutOrder });
  await click('Write down for whom Rex (animal 1)');
  await type('For whom', 'Ms Lee');
  await click('Reserve');
  await see('Rex (animal 1) is reserved: order 1.');
  expect(await call('GET', '/store/orders')).toMatchObject([{ note: 'Ms Lee' }]);
});

test('an animal that is reserved without an order becomes available again', async () => {
  const { call } = await openPage({ at, fill: reserveWithoutOrder });
  await act('Cancel reservation', 'Rex (animal 1)');
  await click('Cancel reservation');
  await see('Rex (animal 1) is available again.');
  expect(await call('GET', '/pets?id=1')).toMatchObject([{ status: 'available' }]);
});

test.each([
  ['Hand over', 'Sell'],
  ['Delete…', 'Delete'],
])('the heading gets the focus after %s, whose button is gone', async (text, yes) => {
  await openPage({ at, fill: reserveWithoutOrder });
  if (text === 'Hand over') (await see(text)).focus();
  await act(text, 'Rex (animal 1)');
  await click(yes);
  await seeNoDialog();
  await waitFor(() => expect(document.activeElement?.tagName).toBe('H1'));
});

test('a deleted animal shows its last values, and is added again with a new number', async () => {
  const { call } = await openPage({
    at,
    async fill(calls) {
      await fill(calls);
      await calls('DELETE', '/store/orders/1');
      await calls('DELETE', '/pets/1');
    },
  });
  await see('This animal was deleted. These were its last values.');
  await click('Add it again');
  await see(/was added again, with a new number./);
  expect(await call('GET', '/pets')).toMatchObject([{ id: 2, name: 'Max' }]);
  // Undo leads to the new page too, so that the old one does not offer to add the animal once more.
  await act('Delete…', 'Max (animal 2)');
  await click('Delete');
  await see('Deleted');
  await click(/^Undo: Max/);
  await waitFor(() => expect(location.hash).toBe('#animals/3'));
});

test('a dialog of the list does not block the page of an animal that Back leads to', async () => {
  await openPage({ at: 'animals', fill });
  await click(/^Edit Max/);
  await see('Save');
  await goTo(at);
  await screen.findByRole('heading', { name: 'History' });
  // Also none that is hidden.
  expect(document.querySelectorAll('dialog')).toHaveLength(0);
});

test.each([
  ['animals/x', '“x” is not the number of an animal'],
  ['animals/9', 'No animal has the number 9'],
  ['animals/-1', 'No animal has the number -1'],
  ['animals/9223372036854775808', '“9223372036854775808” is not the number of an animal'],
])('the address %s says: %s', async (address, text) => {
  await openPage({ at: address });
  await see(text);
});

test('a key without events and orders sees an animal, and why it sees neither', async () => {
  const { call } = await openPage({ at, scopes: ['pets:read'], fill });
  await see('Your key has no access to orders.');
  await see('Your key has no access to events, so no history is shown.');
  expect(document.querySelectorAll('main button')).toHaveLength(0);
  await call('DELETE', '/store/orders/1');
  await call('DELETE', '/pets/1');
  await goTo('animals');
  await see('No animals yet');
  await goTo(at);
  await see('No animal has the number 1');
});
