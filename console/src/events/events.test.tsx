import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { click, goTo, openPage, see } from '../../test/open-page.tsx';

const readLines = () =>
  [...document.querySelectorAll('.events > .changes > li')].map((line) =>
    line.textContent.replace(/^.*?key “test”/, '').trim(),
  );

test('each change is a sentence with its values, and an order and its animal are one', async () => {
  const { call } = await openPage({
    at: 'history',
    async fill(calls) {
      await calls('POST', '/categories', { name: 'Dogs' });
      await calls('POST', '/pets', { name: 'Rex', categoryId: 1 });
      await calls('PATCH', '/pets/1', { name: 'Max', categoryId: 7 });
      await calls('POST', '/store/orders', { petId: 1, shipDate: '2027-02-01T12:00:00Z' });
      await calls('PATCH', '/store/orders/1', { note: 'Ms Lee' });
      await calls('PATCH', '/store/orders/1', {
        status: 'shipped',
        shipDate: '2027-01-01T12:00:00Z',
      });
      await calls('PUT', '/categories/1', { name: 'Hounds' });
      await calls('DELETE', '/categories/1');
    },
  });
  await see('Max');
  await waitFor(() =>
    expect(readLines()).toEqual([
      'Category Hounds (1) was deleted',
      'Category Hounds (1) was changed: name from “Dogs” to “Hounds”',
      // The last day of the reservation is not shown as an earlier time of the hand-over.
      'Order 1 for Max (animal 1) was handed over: date to Jan 1, 2027, status of the animal from reserved to sold',
      'Order 1 for Max (animal 1) has another note',
      'Order 1 for Max (animal 1) was placed: status of the animal from available to reserved',
      'Max (animal 1) was changed: name from “Rex” to “Max”, category from 1 to 7',
      'Rex (animal 1) was added',
      'Category Dogs (1) was added',
    ]),
  );
  const links = screen.getAllByRole<HTMLAnchorElement>('link', { name: 'Order 1' });
  expect(links.map(({ hash }) => hash)).toEqual(Array(3).fill('#orders?search=1'));
  await call('DELETE', '/pets/1');
  await see(/was deleted/);
});

test('a change of many animals is one line that opens, and one kind or older events can be shown', async () => {
  const { call } = await openPage({
    at: 'history',
    async fill(calls) {
      for (let id = 1; id <= 120; id += 1) {
        await calls('POST', '/pets', { name: `Pet ${id}`, categoryId: 1 });
      }
      for (let id = 1; id <= 6; id += 1) {
        await calls('PATCH', `/pets/${id}`, { status: 'sold' });
        // A change by others during a change of many is a line of its own.
        if (id === 3) await calls('PATCH', '/pets/20', { categoryId: 9 });
      }
      // Several changes of one animal are no change of many.
      for (const name of 'ABCDE') await calls('PATCH', '/pets/60', { name });
    },
  });
  await see(/120 animals were added/);
  expect(readLines()).toEqual([
    'E (animal 60) was changed: name from “D” to “E”',
    'D (animal 60) was changed: name from “C” to “D”',
    'C (animal 60) was changed: name from “B” to “C”',
    'B (animal 60) was changed: name from “A” to “B”',
    'A (animal 60) was changed: name from “Pet 60” to “A”',
    '6 animals were changed: status from available to sold',
    'Pet 20 (animal 20) was changed: category from 1 to 9',
    '120 animals were added',
  ]);
  const fold = (await see(/120 animals were added/)).closest('details');
  if (fold === null) throw new Error('They are no fold.');
  fold.open = true;
  fireEvent(fold, new Event('toggle'));
  await see('Pet 120');
  await click('Show 20 more');
  await see('Pet 1');

  await goTo('history?kind=category');
  await see('No such changes');
  await call('PATCH', '/pets/7', { status: 'pending' });
  await call('POST', '/categories', { name: 'Dogs' });
  await waitFor(() => expect(readLines()).toEqual(['Category Dogs (1) was added']));

  for (let id = 10; id < 120; id += 1) await call('PATCH', '/pets/7', { categoryId: id });
  await goTo('history?kind=pet');
  await waitFor(() => expect(readLines()).toHaveLength(100));
  await click('Show older changes');
  await see(/120 animals were added/);
});
