import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { click, has, openPage, type Page, see, seeNoDialog, type } from '../../test/open-page.tsx';

const at = 'animals';
const rex = 'Rex (animal 1)';
const fill = (call: Page['call']) => call('POST', '/pets', { name: 'Rex', categoryId: 1 });

test('an animal is sold from the question of its reservation, and by the letter of the action', async () => {
  const { call } = await openPage({ at, fill });
  await click(`Reserve ${rex}`);
  await type('For whom', 'Ms Lee');
  await click('Sell now');
  await see(`${rex} is sold: order 1.`);
  expect(await call('GET', '/store/orders')).toMatchObject([{ note: 'Ms Lee' }]);
  await click(/^Undo/);
  const row = (await see('Rex')).closest('[role=row]') ?? document.body;
  await waitFor(() => expect(has(`Reserve ${rex}`)).toBe(true));
  fireEvent.keyDown(row, { key: 's' });
  await see(`Sell ${rex}?`);
  await click('Cancel');
  fireEvent.keyDown(row, { key: 's', ctrlKey: true });
  await seeNoDialog();
});

test('an animal has a menu, whose lines are reached by arrows and letters', async () => {
  await openPage({ at, fill });
  await click(`More for ${rex}`);
  const menu = await screen.findByRole('menu');
  const lines = within(menu).getAllByRole('menuitem');
  expect(lines.map((line) => line.textContent)).toEqual(['SellS', 'Delete…D']);
  for (const [key, index] of [
    ['End', 1],
    ['ArrowDown', 0],
    ['ArrowUp', 1],
    ['Home', 0],
  ] as const) {
    fireEvent.keyDown(menu, { key });
    expect([key, document.activeElement?.textContent]).toEqual([key, lines[index]?.textContent]);
  }
  fireEvent.keyDown(menu, { key: 'd' });
  await see(`Delete ${rex}?`);
  expect(screen.queryByRole('menu')).toBeNull();
});
