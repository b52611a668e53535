import { addAnimal, button, chooseCsv, openSignedIn, rowOf } from './support/actions.ts';
import { expect, test } from './support/shop.ts';

/** What Chrome 109, Firefox 115 or Safari 15.4 lack. test/browser-support.test.ts finds the others. */
const removeNewer = `
  const remove = (owner, ...names) => { for (const name of names) delete owner[name]; };
  remove(AbortSignal, 'any', 'timeout');
  remove(Array, 'fromAsync');
  remove(Array.prototype, 'toReversed', 'toSorted', 'toSpliced', 'with');
  remove(Map, 'groupBy');
  remove(Object, 'groupBy');
  remove(Promise, 'withResolvers', 'try');
  remove(Set.prototype, 'difference', 'intersection', 'isDisjointFrom', 'isSubsetOf', 'isSupersetOf', 'union');
  remove(String.prototype, 'isWellFormed', 'toWellFormed');
  remove(URL, 'canParse', 'parse');
  remove(HTMLFormElement.prototype, 'requestSubmit');
`;

test.describe('in browsers of 2022', () => {
  test.beforeEach(async ({ page, context, shop }) => {
    await context.addInitScript(removeNewer);
    await page.reload();
    await openSignedIn(page, shop.address());
    expect(await page.evaluate<string>('typeof AbortSignal.any')).toBe('undefined');
  });

  test('a list shows the changes of other users', async ({ page, shop }) => {
    await addAnimal(page, 'Rex', '7');
    await expect(rowOf(page, 'Rex')).toBeVisible();
    await shop.call('PATCH', '/pets/1', { name: 'Max' });
    await expect(rowOf(page, 'Max')).toBeVisible();
  });

  test('many animals are changed at once', async ({ page, shop }) => {
    for (const name of ['Rex', 'Ada']) await shop.call('POST', '/pets', { name, categoryId: 7 });
    await button(page, 'Show 2 new animals').click();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await button(page, 'Set to reserved').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set to reserved' }).click();
    await expect(page.getByText('2 animals were set to reserved.')).toBeVisible();
  });

  test('a file is imported, and the import is undone', async ({ page, shop }) => {
    await page.goto(shop.address('import'));
    await chooseCsv(page, 'name;category;status\nTom;7;sold\nTom;7;sold\nLily;7;sold\n');
    await page.getByText('Yes, add it too', { exact: true }).click();
    await button(page, 'Add 3').click();
    await expect(page.getByText('3 added.')).toBeVisible();
    await button(page, 'Undo: remove 3 animals').click();
    await expect(page.getByText('3 removed.')).toBeVisible();
  });
});
