import { expect, setDefaultTimeout, test } from 'bun:test';
import { addAnimal, openConsolePage, rowOf } from './support/console-page.ts';

setDefaultTimeout(120_000);

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

test('the console works in browsers of 2022: it lists, changes many, imports and undoes', async () => {
  await using shop = await openConsolePage();
  const { page, context, complaints, call, server } = shop;
  await context.addInitScript(removeNewer);
  await page.reload();
  expect(await page.evaluate<string>('typeof AbortSignal.any')).toBe('undefined');
  await addAnimal(page, 'Rex', '7');
  await addAnimal(page, 'Ada', '7');
  // The change of another user arrives over the stream.
  await rowOf(page, 'Rex').waitFor();
  await call('PATCH', '/pets/1', { name: 'Max' });
  await rowOf(page, 'Max').waitFor();
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await page.getByText('2 selected').waitFor();
  await page.getByRole('button', { name: 'Set to reserved' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Set to reserved' }).click();
  await page.getByText('2 animals were set to reserved.').waitFor();

  await page.goto(`${server.origin}/console/w/default/#import`);
  const buffer = Buffer.from('name;category;status\nTom;7;sold\nTom;7;sold\nLily;7;sold\n');
  const file = { name: 'pets.csv', mimeType: 'text/csv', buffer };
  await page.getByLabel('CSV file').setInputFiles(file);
  await page.getByText('Yes, add it too', { exact: true }).click();
  await page.getByRole('button', { name: 'Add 3', exact: true }).click();
  await page.getByText('3 added.').waitFor();
  await page.getByRole('button', { name: 'Undo: remove 3 animals' }).click();
  await page.getByText('3 removed.').waitFor();
  expect(complaints).toEqual([]);
});

test('browsers do not offer to translate the console, whose texts change in place', async () => {
  await using shop = await openConsolePage();
  const { page } = shop;
  expect(await page.getAttribute('html', 'translate')).toBe('no');
  expect(await page.getAttribute('meta[name=google]', 'content')).toBe('notranslate');
});
