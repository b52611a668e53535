import { expect, test } from 'bun:test';
import { fireEvent, waitFor } from '@testing-library/dom';
import { goTo, openPage, type Page, see } from '../../test/open-page.tsx';

async function fill(call: Page['call']): Promise<void> {
  await call('POST', '/categories', { name: 'Dogs' });
  await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await call('PATCH', '/pets/1', { name: 'Max', categoryId: 7 });
  await call('POST', '/store/orders', { petId: 1, shipDate: '2027-02-01T00:00:00Z' });
  await call('PATCH', '/store/orders/1', { note: 'Ms Lee' });
  await call('PATCH', '/store/orders/1', { status: 'shipped' });
  await call('DELETE', '/categories/1');
}

test('each change is a sentence with its values, and an order and its animal are one', async () => {
  const { call } = await openPage({ at: 'events', fill });
  await see(/was handed over/);
  const lines = [...document.querySelectorAll('.changes li')].map((line) =>
    line.textContent.replace(/^.*?key “test”/, ''),
  );
  expect(lines).toEqual([
    'Category Dogs (1) was deleted',
    'Order 1 for Max (animal 1) was handed over: status of the animal from reserved to sold',
    'Order 1 for animal 1 has another note',
    'Order 1 for Max (animal 1) was placed: status of the animal from available to reserved',
    'Max (animal 1) was changed: name from “Rex” to “Max”, category from 1 to 7',
    'Rex (animal 1) was added',
    'Category Dogs (1) was added',
  ]);
  await call('DELETE', '/pets/1');
  await see(/was deleted/);
});

test('a change of many animals is one line that opens, and one kind of events can be chosen', async () => {
  await openPage({
    at: 'events',
    async fill(call) {
      for (const name of ['Ada', 'Ben', 'Cleo', 'Dora', 'Emil']) {
        await call('POST', '/pets', { name, categoryId: 1 });
      }
      await call('POST', '/categories', { name: 'Dogs' });
    },
  });
  await see(/5 animals were added/);
  expect(document.body.textContent).not.toContain('Cleo');
  const fold = (await see(/5 animals were added/)).closest('details');
  if (fold === null) throw new Error('They are no fold.');
  fold.open = true;
  fireEvent(fold, new Event('toggle'));
  await see('Cleo');
  await goTo('events?kind=category');
  await waitFor(() => expect(document.body.textContent).not.toContain('5 animals'));
  await see(/Dogs/);
});
