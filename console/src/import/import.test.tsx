import { test } from 'bun:test';
import { fireEvent, screen } from '@testing-library/dom';
import { choose, click, openPage, type Page, see } from '../../test/open-page.tsx';

async function chooseFile(name: string, lines: readonly string[]): Promise<void> {
  const file = new File([lines.join('\n')], name);
  const input = await screen.findByLabelText('Workbook or CSV file');
  fireEvent.change(input, { target: { files: [file] } });
}
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
  await click(/^Add/);
  await see(/questions have no answer yet/);
  await choose('??? (1 row)', 'Leave these rows out');
  await click('Create this new category');
  await see(/One animal is in the catalogue already/);
  await see(/To add 2/);
  await click(/^Left out/);
  await see(/The name is missing/);
  await click(/^There already/);
  await click(/^Add it too: line 3/);
  await see(/To add 3/);
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

test('an export updates the animals with its numbers, after a question', async () => {
  await openPage({ at, fill });
  await chooseFile('animals.csv', [
    'id,name,categoryId,category,status',
    '1,Max,1,Dogs,available',
    '9,Ada,7,Cats,sold',
  ]);
  await click('Update the animals with these numbers', 'radio');
  await see('Rex → Max');
  await see(/is not in the catalogue/);
});

test.each<[string, string, RegExp]>([
  ['a.csv', '', /The file has no rows/],
  ['a.png', '\0\0', /This file is not a table/],
])('the file %s with the text %j is refused', async (name, text, reason) => {
  await openPage({ at });
  await chooseFile(name, [text]);
  await see(reason);
});
