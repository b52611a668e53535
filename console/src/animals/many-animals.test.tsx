import { expect, spyOn, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { click, openPage, type Page, pick, see } from '../../test/open-page.tsx';

const fill = async (call: Page['call']) => {
  await call('POST', '/categories', { name: 'Dogs' });
  for (const name of ['Rex', '=Tom', 'Mia']) await call('POST', '/pets', { name, categoryId: 1 });
  await call('POST', '/store/orders', { petId: 3, note: 'Ms Lee' });
};

test('the animals of a list are saved as a file for spreadsheets, which run no text of it', async () => {
  await openPage({ at: 'animals?status=available', fill });
  await see('Rex');
  using create = spyOn(URL, 'createObjectURL');
  await click('Export');
  await waitFor(() => expect(create).toHaveBeenCalled());
  const file = create.mock.calls[0]?.[0];
  expect(file instanceof Blob ? await file.text() : '').toBe(
    "id,name,categoryId,category,status\r\n2,'=Tom,1,Dogs,available\r\n1,Rex,1,Dogs,available\r\n",
  );
});

test.each([
  [
    'animals?status=available&name=e&category=1&sort=oldest',
    ['Status: available', 'Search: e', 'Category: Dogs', 'Oldest first', '1 animal', '1Rex'],
  ],
  [
    'orders?status=pending&search=lee',
    ['Status: reserved', 'Search: lee', '1 order', '1Mia (animal 3)Ms Lee'],
  ],
])('the list %s is printed with its filters and rows alone', async (at, lines) => {
  let sheet = '';
  const print = () => {
    sheet = document.querySelector('.printed')?.textContent ?? '';
    dispatchEvent(new Event('afterprint'));
  };
  Object.assign(globalThis, { print });
  await openPage({ at, fill });
  await see(/Rex|Mia/);
  await click('Print');
  if (at.startsWith('animals')) await click('Print without people', 'menuitem');
  await waitFor(() => expect(sheet).not.toBe(''));
  expect(sheet.includes('Ms Lee')).toBe(at.startsWith('orders'));
  for (const line of lines) expect(sheet).toContain(line);
  expect(sheet).not.toContain('Import');
});

test('a list that cannot be read is not printed, and the page says so', async () => {
  const page = await openPage({ at: 'animals', fill });
  await see('Rex');
  page.refused = /GET .pets/;
  await click('Print');
  await click(/^Print with /, 'menuitem');
  await see(/^The list cannot be printed/);
  expect(document.querySelector('.printed')).toBeNull();
});

test('rows are selected one by one, as a range and all, and the selection can be cleared', async () => {
  await openPage({ at: 'animals', fill });
  await see('Rex');
  const boxes = await screen.findAllByRole<HTMLInputElement>('checkbox');
  const [all, first, , last] = boxes;
  if (all === undefined || first === undefined || last === undefined) throw new Error('No rows.');
  fireEvent.click(first);
  await see('1 animal selected');
  fireEvent.click(last, { shiftKey: true });
  await see('3 animals selected');
  fireEvent.click(all);
  await click(/^Clear/);
  expect(boxes.some(({ checked }) => checked)).toBe(false);
});

test('selected animals are set to a status at once, those that orders hold stay, and Undo sets them back', async () => {
  const { call } = await openPage({ at: 'animals', fill });
  await see('Mia');
  await click('Select all', 'checkbox');
  await click(/^Set to sold/);
  await click(/^Set to sold/);
  await see(/2 animals were set to sold/);
  expect(await call('GET', '/pets?status=sold')).toHaveLength(2);
  await click(/^Undo/);
  await waitFor(async () => expect(await call('GET', '/pets?status=sold')).toHaveLength(0));
});

test('selected animals that others have changed or deleted are named, and the changed ones change at the next attempt', async () => {
  const { call } = await openPage({ at: 'animals', fill });
  await see('Mia');
  await click('Select all', 'checkbox');
  await call('PATCH', '/pets/1', { name: 'Max', status: 'sold' });
  await call('DELETE', '/pets/2');
  await see('Max');
  await see('deleted');
  await see('3 animals selected');
  const move = async () => {
    await click('Set category…');
    await pick('Category', '9');
    await click('Set the category');
  };
  await move();
  await see(/Tom \(animal 2\): It was deleted/);
  await see(/^Rex \(animal 1\): Another user has changed it since you selected it/);
  expect(await call('GET', '/pets?categoryId=9')).toMatchObject([{ id: 3 }]);
  await see('1 animal selected');
  await move();
  await see('1 animal was moved to another category.');
});
