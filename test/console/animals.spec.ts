import { readFile } from 'node:fs/promises';
import { addAnimal, button, choose, chooseCsv, goTo, rowOf } from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

const nameOf = (page: Page) => page.getByLabel('Name', { exact: true });

async function edit(page: Page, name: string): Promise<void> {
  await rowOf(page, name).getByRole('button', { name: 'Edit' }).click();
}

test('a first sale takes at most twelve actions from an empty catalogue', async ({
  page,
  shop,
}) => {
  // 1: the link was opened.
  await button(page, 'Add the first animal').click(); // 2
  await page.keyboard.type('Rex'); // 3
  await page.getByLabel('Name of the new category').fill('Dogs'); // 4
  await button(page, 'Add').click(); // 5
  await choose(page, 'Sell', 'Rex (animal 1)'); // 6, 7
  await button(page, 'Sell').click(); // 7
  await expect(rowOf(page, 'Rex')).toContainText('sold');
  expect(await shop.read('/pets')).toMatchObject([{ name: 'Rex', status: 'sold' }]);
  const order = { petId: 1, status: 'shipped', complete: true };
  expect(await shop.read('/store/orders')).toMatchObject([order]);
});

test.describe('an animal that another user changed during an edit', () => {
  test.beforeEach(async ({ page, shop }) => {
    await shop.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
    await page.reload();
    await edit(page, 'Rex');
  });

  test('is saved only after a question, with both changes', async ({ page, shop }) => {
    await nameOf(page).fill('Rexine');
    await shop.call('PATCH', '/pets/1', { status: 'sold' });
    await button(page, 'Save').click();
    await expect(page.getByText('Another user has changed Rex (animal 1).')).toBeVisible();
    expect(await shop.read('/pets')).toMatchObject([{ name: 'Rex', status: 'sold' }]);
    await button(page, 'Save mine').click();
    await expect(page.getByText('Rexine (animal 1) was saved.')).toBeVisible();
    expect(await shop.read('/pets')).toMatchObject([{ name: 'Rexine', status: 'sold' }]);
  });

  test('is deleted only after it was shown again', async ({ page, shop }) => {
    await button(page, 'Delete…').click();
    await shop.call('PATCH', '/pets/1', { name: 'Max' });
    await button(page, 'Delete').click();
    await expect(page.getByText('Check it before you delete it.')).toBeVisible();
    expect(await shop.read('/pets')).toMatchObject([{ name: 'Max' }]);
    await expect(page.getByRole('heading', { name: 'Delete Max (animal 1)?' })).toBeVisible();
    await button(page, 'Delete').click();
    await expect(page.getByText('Max (animal 1) was deleted.')).toBeVisible();
  });
});

test('an animal that could not be saved keeps its form, and is saved at the next attempt', async ({
  page,
  shop: _,
}) => {
  await addAnimal(page, 'Rex', '5');
  await page.route('**/v1/pets/1', (route) => route.fulfill({ status: 403 }));
  await edit(page, 'Rex');
  await nameOf(page).fill('Rexine');
  await button(page, 'Save').click();
  await expect(page.getByText('in place of the server (HTTP 403). Try again.')).toBeVisible();
  await page.unroute('**/v1/pets/1');
  await button(page, 'Save').click();
  await expect(page.getByText('Rexine (animal 1) was saved.')).toBeVisible();
});

test.describe('every digit of a number is kept', () => {
  const numbers = ['9223372036854775807', '9007199254740993', '-9223372036854775808'];

  test('in lists, filters and forms', async ({ page, shop }) => {
    for (const number of numbers) await addAnimal(page, `Pet ${number}`, number);
    for (const number of numbers) {
      await expect(rowOf(page, 'Pet').getByText(number, { exact: true })).toBeVisible();
    }
    await page.goto(shop.address(`animals?category=${numbers[0]}`));
    await expect(rowOf(page, 'Pet ')).toHaveCount(1);
    await edit(page, `Pet ${numbers[0]}`);
    await expect(page.getByLabel('Category', { exact: true }).last()).toHaveValue(numbers[0] ?? '');
  });

  test('in imports', async ({ page, shop }) => {
    await page.goto(shop.address('import'));
    await chooseCsv(page, 'name,category,status\nImported,9007199254740995,reserved\n');
    await button(page, 'Add 1').click();
    await page.getByRole('link', { name: 'Show the animals' }).click();
    await expect(rowOf(page, 'Imported')).toContainText('9007199254740995');
  });

  test.describe('', () => {
    // A decimal comma makes spreadsheets use the semicolon.
    test.use({ locale: 'de-DE' });

    test('in exports', async ({ page, shop }) => {
      for (const [index, number] of numbers.entries()) {
        const pet = `{"name":"Pet ${index}","categoryId":${number}}`;
        await shop.call('POST', '/pets', pet);
      }
      await page.reload();
      const downloading = page.waitForEvent('download');
      await button(page, 'Export').click();
      const exported = await readFile(await (await downloading).path(), 'utf8');
      expect(exported.split('\r\n')).toEqual([
        '\ufeffid;name;categoryId;category;status',
        '3;Pet 2;-9223372036854775808;;available',
        '2;Pet 1;9007199254740993;;available',
        '1;Pet 0;9223372036854775807;;available',
        '',
      ]);
    });
  });
});

test('names with direction characters do not reverse the text around them', async ({
  page,
  shop,
}) => {
  // The second name first ends an isolation.
  for (const start of ['\u202e', '\u2069\u202e']) {
    await shop.call('POST', '/pets', { name: `${start}"dlos saw (7 lamina) xeR"`, categoryId: 1 });
  }
  await goTo(page, 'Events');
  await page.getByText('(animal 2) was added').waitFor();
  // The characters of the sentence follow the name in reading order.
  const areInOrder = await page.evaluate(`(() => {
    const range = document.createRange();
    const rectangleOf = (node) => (range.selectNodeContents(node), range.getBoundingClientRect());
    return [...document.querySelectorAll('.events li p bdi')].map(
      (name) => rectangleOf(name).right <= rectangleOf(name.nextSibling).left + 1,
    );
  })()`);
  expect(areInOrder).toEqual([true, true]);
});
