import { expect, spyOn, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { choose, click, goTo, openPage, type Page, see } from '../../test/open-page.tsx';

async function chooseFile(name: string, lines: readonly string[]): Promise<void> {
  const file = new File([lines.join('\n')], name);
  const input = await screen.findByLabelText('Workbook or CSV file');
  fireEvent.change(input, { target: { files: [file] } });
}

/** Chooses rows, presses buttons, and waits for what an import or its Undo has done. */
async function run(lines: readonly string[], buttons: readonly (string | RegExp)[], end: string) {
  if (lines.length > 0) await chooseFile('pets.csv', lines);
  for (const name of buttons)
    await click(name, /^\W*(?:Update|Add the|Yes|No)/.test(`${name}`) ? 'radio' : 'button');
  await see(end);
}

/** All animals as rows of a file. */
async function readRows({ call }: Page): Promise<string[]> {
  const pets = Object(await call('GET', '/pets?limit=100&sort=id'));
  return pets.map(
    ({ name, categoryId, status }: Record<string, unknown>) => `${name},${categoryId},${status}`,
  );
}
const heading = 'name,category,status';
const fill = async (call: Page['call']) => {
  await call('POST', '/categories', { name: 'Dogs' });
  await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
};
const at = 'import';

test('a file asks for words and repeated rows, and shows what each row becomes', async () => {
  await openPage({ at, fill });
  await chooseFile('pets.csv', [
    'List of 2027;;;',
    'Name;Species;Status;Weight',
    'Rex;Dogs;frei;3',
    'Tom;Cat;frei;4',
    'Tom;cat;???;5',
    'Mia;Cat;frei;',
    ';Cat;frei;6',
    'Total 5;;;',
  ]);
  await see('Not imported: Weight');
  await see(/The last row looks like a total or a note/);
  await screen.findByText('frei (3 rows)');
  await click(/^Add$/);
  await see(/questions? ha(?:s|ve) no answer yet/);
  await choose('??? (1 row)', 'Leave these rows out');
  await click('Create this new category');
  await see(/One animal is in the catalogue already/);
  await see(/To add 2/);
  await click(/^Left out/);
  await see(/The name is missing/);
  await click(/^There already/);
  await see('is in the catalogue already: number 1, available');
  await click(/^Add it too: line 3/);
  await see(/To add 3/);
});

test('a file is dropped beside the field, and no other screen leaves the page for it', async () => {
  await openPage({ at, fill });
  /** Returns false if the page has prevented what browsers do. */
  const drop = (dataTransfer: object) => {
    const event = new Event('drop', { bubbles: true, cancelable: true });
    return document.body.dispatchEvent(Object.assign(event, { dataTransfer }));
  };
  const files = { types: ['Files'], files: [new File([`${heading}\nTom,Dogs,sold`], 'a.csv')] };
  await see(/or drop it here/);
  expect(drop(files)).toBe(false);
  await see(/To add 1/);
  await goTo('animals');
  await see('Rex');
  expect(drop(files)).toBe(false);
  expect(drop({ types: ['text/plain'] })).toBe(true);
});

test('a heading row, a column and one value for all are chosen by hand', async () => {
  await openPage({ at, fill });
  await chooseFile('pets.csv', ['a,b', 'Ada,x', 'Ben,y']);
  await click('No row has headings: the first row is an animal', 'radio');
  await click('Headings in line 1', 'radio');
  await choose('Name is in', 'a');
  await choose('Category is in', 'One category for all');
  await choose('Status is in', 'All are sold');
  await click('Choose another file');
  await screen.findByLabelText('Workbook or CSV file');
});

test('a category keeps every digit of its number', async () => {
  await openPage({ at });
  await run([heading, 'Rex,9007199254740995,sold'], ['Add 1'], '1 added.');
  await click('Show the animals', 'link');
  await see('9007199254740995');
});

test.each<[string, string, RegExp]>([
  ['a.csv', '', /The file has no rows/],
  ['a.png', '\0\0', /This file is not a table/],
])('the file %s with the text %j is refused', async (name, text, reason) => {
  await openPage({ at });
  await chooseFile(name, [text]);
  await see(reason);
});

test('a file that was imported adds nothing again, also with other columns, until its import is undone', async () => {
  const page = await openPage({ at });
  const rows = [heading, 'Rex,Mice,available', 'Tom,Mice,sold'];
  const add = ['Create this new category', 'Add 2'];
  await run(rows, add, '2 added.');
  await run([], ['Import another file'], 'Workbook or CSV file');
  await run(rows, [], 'Nothing to add');
  await choose('Status is in', 'All are reserved');
  await see('Nothing to add');
  const removed = '2 removed. 1 empty category removed.';
  await run([], ['Undo all imports of this file: remove 2 animals'], removed);
  await run([], ['Import this file again', ...add], '2 added.');
  expect(await readRows(page)).toEqual(['Rex,2,pending', 'Tom,2,pending']);
  await run([], ['Undo: remove 2 animals'], removed);
  expect(await readRows(page)).toEqual([]);
});

test('Undo of an import shows the animals that it keeps, and why', async () => {
  const page = await openPage({ at });
  await run(
    [heading, ...['A', 'B', 'C', 'D'].map((name) => `${name},7,available`)],
    ['Add 4'],
    '4 added.',
  );
  const pets = Object(await page.call('GET', '/pets'));
  await page.call('PATCH', `/pets/${pets[0].id}`, { name: 'Renamed' });
  await page.call('POST', '/store/orders', { petId: pets[1].id });
  await page.call('DELETE', `/pets/${pets[2].id}`);
  await run([], [/^Undo: remove 4/], '1 removed. 1 was deleted before. 2 kept.');
  const kept = [...document.querySelectorAll('.preview tbody tr')].map((row) => row.textContent);
  expect(kept.toSorted()).toEqual(
    [
      `${pets[0].id}RenamedIt was changed after the import. It is available now.`,
      `${pets[1].id}${pets[1].name}It was changed after the import. It is reserved now.`,
    ].toSorted(),
  );
});

test('an export is imported with its categories, or changes its animals, and only the added ones can be undone', async () => {
  const page = await openPage({ at });
  const columns = 'id,name,categoryId,category,status';
  await run([columns, '71,Rex,7,Dogs,sold'], [/^Add the animals as new/, 'Add 1'], '1 added.');
  expect(await page.call('GET', '/categories')).toEqual([{ id: 7, name: 'Dogs' }]);
  await page.call('POST', '/pets', { name: 'Tom', categoryId: 12 });
  await click('Import another file');
  const rows = [columns, '1,Rex,7,Dogs,sold', '2,Tomcat,7,Dogs,sold', '99,Mia,7,Dogs,sold'];
  await run(rows, [/^Update/], 'Tom → Tomcat');
  await see(/^1 number of the file is not in the catalogue/);
  await run([], ['Change 1, add 1'], '1 added. 1 changed. 1 was there already.');
  expect(await readRows(page)).toEqual(['Rex,7,sold', 'Tomcat,7,sold', 'Mia,7,sold']);
  await run([], ['Undo: remove 1 animal'], '1 removed.');
  await click('Import another file');
  await run(['id,name', '2,Tommy'], [/^Update/], 'Tomcat → Tommy');
  await page.call('PATCH', '/pets/2', { name: 'Tomte' });
  await run([], ['Change 1'], 'It was changed since it was shown.');
  expect(await readRows(page)).toEqual(['Rex,7,sold', 'Tomte,7,sold']);
});

test('the rows that an import left out are counted by their reasons, and the faulty ones are saved with them', async () => {
  await openPage({ at });
  const rows = [heading, 'Ida,7,sold', 'Ida,7,sold', ',7,sold', 'Summe: 3,,'];
  const end =
    '1 added. 1 left out. 1 left out by your choice. 1 row with a total or a note left out.';
  await run(rows, ['No, leave it out', /^Add 1/], end);
  expect(document.querySelector('.faults tbody')?.textContent).toBe(
    '4namenothingThe name is missing.',
  );
  using create = spyOn(URL, 'createObjectURL');
  await click('Save the rows that were left out');
  await waitFor(() => expect(create).toHaveBeenCalled());
  const file = create.mock.calls[0]?.[0];
  expect(file instanceof Blob ? await file.text() : '').toBe(
    `${heading},line,reason\r\n,7,sold,4,The name is missing.\r\n`,
  );
});

test('the rows of a file are shown page by page, and answers stay while another screen is shown', async () => {
  await openPage({ at });
  const names = Array.from({ length: 120 }, (_, index) => (index === 60 ? '' : `Pet ${index}`));
  await run([heading, ...names.map((name) => `${name},7,?`)], [], 'All: rows 1 to 50 of 120');
  await choose('? (119 rows)', 'reserved');
  await run([], ['Next'], 'All: rows 51 to 100 of 120');
  expect((await see(/The name is missing/)).closest('tr')?.textContent).toStartWith('62');
  await run([], ['Next'], 'All: rows 101 to 120 of 120');
  await run([], ['Left out 1'], 'Left out: rows 1 to 1 of 1');
  await goTo('orders');
  await goTo(at);
  await see('Add 119, leave out 1');
  await click('Choose another file');
  const input = await screen.findByLabelText('Workbook or CSV file');
  await waitFor(() => expect(document.activeElement === input).toBe(true));
});
