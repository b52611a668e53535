import { describe, expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import {
  act,
  click,
  goTo,
  has,
  openPage,
  type Page,
  pick,
  see,
  seeNoDialog,
  type,
} from '../../test/open-page.tsx';

const fill = async (call: Page['call']) => {
  await call('POST', '/categories', { name: 'Dogs' });
  await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
};
const at = 'animals';
const rex = 'Rex (animal 1)';

describe('an animal', () => {
  test('needs a name and a category, and is added with a new one', async () => {
    const { call } = await openPage({ at });
    await click('Add the first animal');
    await click('Add');
    expect(screen.getByLabelText('Name').getAttribute('aria-invalid')).toBe('true');
    // Keyboards of phones add a blank.
    await type('Name', ' Rex ');
    expect(await pick('Category', 'Dogs')).toEqual(['New category: Dogs']);
    await click('reserved', 'radio');
    await click('Add');
    await see(`${rex} was added.`);
    expect(await call('GET', '/pets')).toMatchObject([
      { id: 1, name: 'Rex', categoryId: 1, status: 'pending' },
    ]);
  });

  test('whose answer was lost is added once', async () => {
    const page = await openPage({ at, fill });
    await see('Dogs');
    await click('Add an animal');
    await type('Name', 'Tom');
    expect(await pick('Category', 'dog')).toEqual(['Dogs1', 'New category: dog']);
    page.lost = /POST .pets/;
    await click('Add');
    await see('Tom (animal 2) was added.');
    expect(page.requests.filter((line) => line === 'POST /pets').length).toBe(2);
    expect(await page.call('GET', '/pets?name=tom')).toHaveLength(1);
  });

  test('cannot have a new category whose name exists already, and has one by its number', async () => {
    await openPage({ at, fill });
    await see('Dogs');
    await click('Add an animal');
    expect(await pick('Category', 'DOGS')).toEqual(['Dogs1']);
    expect(await pick('Category', '1')).toEqual(['Dogs1']);
    expect(await pick('Category', '7')).toEqual(['7 (without a name)', 'New category: 7']);
  });

  test.each([
    ['Save mine', 'Max'],
    ['Discard mine, and edit again', 'Ada'],
  ])('that another user changes during an edit: %s', async (button, name) => {
    const page = await openPage({ at, fill });
    await click(`Edit ${rex}`);
    await type('Name', 'Max');
    await page.call('PATCH', '/pets/1', { name: 'Ada', status: 'sold' });
    await click('Save');
    await see('Another user has changed Ada (animal 1). Your change was not saved.');
    // Both versions are there.
    await see('Max');
    await see('sold');
    await click(button);
    if (button !== 'Save mine') await click('Save');
    await seeNoDialog();
    // The status is the other user's in both cases.
    expect(await page.call('GET', '/pets?id=1')).toMatchObject([{ name, status: 'sold' }]);
  });

  test('is as before each edit after Undo, also if an answer was lost, and an edit without a change has none', async () => {
    const page = await openPage({ at, fill });
    const rename = async (from: string, to: string) => {
      await click(`Edit ${from} (animal 1)`);
      await type('Name', to);
      await click('Save');
      await seeNoDialog();
    };
    await rename('Rex', 'Max');
    await rename('Max', 'Tom');
    page.lost = /PATCH .pets.1/;
    await click('Undo: Tom (animal 1) was saved.');
    await see('Max (animal 1) is as it was before.');
    await click('Undo…');
    await click(/^Max \(animal 1\) was saved\./, 'menuitem');
    await see('Rex (animal 1) is as it was before.');
    await rename('Rex', 'Rex');
    expect(has(/^Undo/)).toBe(false);
    expect(await page.call('GET', '/pets')).toMatchObject([{ name: 'Rex' }]);
  });

  test('whose Undo is refused stays, and the reason is shown until it is dismissed', async () => {
    const page = await openPage({ at, fill });
    await click(`Edit ${rex}`);
    await type('Name', 'Max');
    await click('Save');
    await seeNoDialog();
    await page.call('PATCH', '/pets/1', { status: 'sold' });
    await click(/^Undo/);
    await see(/^“Max \(animal 1\) was saved.” was not undone.*it is sold now/);
    await click('Dismiss');
    await waitFor(() => expect(screen.queryByText(/was not undone/)).toBeNull());
  });

  test('is as before after Ctrl+Z, which takes back one change while it is held', async () => {
    const page = await openPage({ at, fill });
    for (const name of ['Max', 'Tom']) {
      await click(/^Edit/);
      await type('Name', name);
      await click('Save');
      await seeNoDialog();
    }
    const hold = (repeat: boolean) =>
      fireEvent.keyDown(document.body, { key: 'z', ctrlKey: true, repeat });
    hold(false);
    await see(/^Undone: “Tom \(animal 1\) was saved\.” Max \(animal 1\) is as it was before\.$/);
    for (let count = 0; count < 5; count += 1) hold(true);
    await goTo('orders');
    await see('No orders yet');
    await click('Undo…');
    await see('Take back one of these changes:');
    expect(has(/^Max \(animal 1\) was saved\..*just now$/, 'menuitem')).toBe(true);
    expect(await page.call('GET', '/pets')).toMatchObject([{ name: 'Max' }]);
  });

  test('that was refused keeps its form, and is saved at the next attempt', async () => {
    const page = await openPage({ at, fill, refused: /PATCH/ });
    await click(`Edit ${rex}`);
    await type('Name', 'Max');
    await click('Save');
    await see(/do not have the same version/);
    expect(screen.getByLabelText('Name').closest('fieldset')?.disabled).toBe(false);
    page.refused = undefined;
    await click('Save');
    await see('Max (animal 1) was saved.');
  });

  test('whose answer another program replaced stays as it was sent, and is added once', async () => {
    const page = await openPage({ at, refused: /stream/ });
    const isDisabled = (label: string) =>
      screen.getByLabelText(label).closest<HTMLFieldSetElement>('fieldset')?.disabled;
    await click('Add the first animal');
    await type('Name', 'Rex');
    await pick('Category', 'Dogs');
    page.replaced = /POST .categories/;
    await click('Add');
    await see(/^A proxy or another program answered in place of the server/);
    await see(/Until it has answered, the input stays as it is/);
    expect(isDisabled('Name')).toBe(true);
    page.replaced = /POST .pets/;
    await click('Add');
    await waitFor(() => expect(screen.queryAllByDisplayValue('Dogs').length).toBe(1));
    await see(/^A proxy or another program answered in place of the server/);
    expect(isDisabled('Name')).toBe(true);
    await click('Add');
    await see(`${rex} was added.`);
    expect(await page.call('GET', '/pets')).toMatchObject([{ id: 1, name: 'Rex' }]);
    expect(await page.call('GET', '/categories')).toEqual([{ id: 1, name: 'Dogs' }]);
  });

  test.each(['9223372036854775807', '9007199254740993', '-9223372036854775808'])(
    'shows every digit of its category in the list, the filter and the form: %s',
    async (number) => {
      await openPage({ at });
      await click('Add the first animal');
      await type('Name', 'Rex');
      await pick('Category', number);
      await click('Add');
      await see(`${rex} was added.`);
      await goTo(`animals?category=${number}`);
      await click(`Edit ${rex}`);
      await see(number);
      const fields = screen.getAllByLabelText<HTMLInputElement>('Category');
      const shown = `${number} (without a name)`;
      expect(fields.map(({ value }) => value)).toEqual([shown, shown]);
    },
  );

  test('that another user has changed in the same way during an edit has no Undo', async () => {
    const page = await openPage({ at, fill });
    await click(`Edit ${rex}`);
    await type('Name', 'Tom');
    await page.call('PATCH', '/pets/1', { name: 'Tom', status: 'sold' });
    await click('Save');
    await see('Tom (animal 1) was saved.');
    expect(has(/^Undo/)).toBe(false);
  });

  test('that another user deletes during an edit is reported', async () => {
    const page = await openPage({ at, fill });
    await click(`Edit ${rex}`);
    await type('Name', 'Max');
    await page.call('DELETE', '/pets/1');
    await click('Save');
    await see(`Another user has deleted ${rex}.`);
  });

  test('is deleted as it was shown, and added again by Undo', async () => {
    const { call } = await openPage({ at, fill });
    await click(`Edit ${rex}`);
    await click('Delete…');
    await see(`Delete ${rex}?`);
    await see('Its number is never used again.');
    await call('PATCH', '/pets/1', { name: 'Ada' });
    await click('Delete');
    await see('Another user has changed this animal. Check it before you delete it.');
    await see('Delete Ada (animal 1)?');
    await click('Delete');
    await see('Ada (animal 1) was deleted.');
    await click(/^Undo/);
    await see(/Ada \(animal 2\)/);
    expect(await call('GET', '/pets')).toMatchObject([{ id: 2, name: 'Ada' }]);
  });

  test.each([
    [
      'Sell',
      'Rex (animal 1) is sold: order 1.',
      'sold',
      /is available again. Order 1 stays handed over/,
      { key: 'z' },
    ],
    [
      'Reserve',
      'Rex (animal 1) is reserved: order 1.',
      'pending',
      /no longer reserved/,
      // Of a Russian keyboard.
      { key: 'я', code: 'KeyZ' },
    ],
  ])(
    'is taken by %s, and available again after Undo',
    async (action, notice, status, undone, letter) => {
      const { call } = await openPage({ at, fill });
      await act(action, rex);
      await type('For whom', 'Ms Lee');
      await click(action);
      await see(notice);
      expect(await call('GET', '/pets?id=1')).toMatchObject([{ status }]);
      fireEvent.keyDown(document.body, { ...letter, ctrlKey: true });
      await see(undone);
      expect(await call('GET', '/pets?id=1')).toMatchObject([{ status: 'available' }]);
    },
  );

  test('that another user has sold cannot be sold again, and the message says so', async () => {
    const { call } = await openPage({ at, fill });
    await act('Sell', rex);
    await call('PATCH', '/pets/1', { status: 'sold' });
    await click('Sell');
    await see('Rex (animal 1) is not available any more. It is sold now.');
    expect(await call('GET', '/store/orders')).toEqual([]);
    // After a refusal, the next attempt is another sale.
    await call('PATCH', '/pets/1', { status: 'available' });
    await click('Sell');
    await see(`${rex} is sold: order 1.`);
  });
});

test('a change of another user appears in the list, whose filters are in the address', async () => {
  const { call } = await openPage({ at: `${at}?status=available`, fill });
  await see('Rex');
  await call('PATCH', '/pets/1', { name: 'Ada' });
  await see('Ada');
  await type('Search by name or number', 'Nobody');
  await waitFor(() => expect(location.hash).toContain('name=Nobody'));
  await see('No animal matches');
  const { hash } = location;
  await goTo('orders');
  await see('No orders yet');
  await goTo(hash.slice(1));
  const field = await screen.findByLabelText<HTMLInputElement>('Search by name or number');
  expect(field.value).toBe('Nobody');
  expect(location.hash).toContain('status=available');
  // While a search is active, the filter shows no count.
  await see('All');
});
