import { focused, press, tabTo } from '../support/keyboard.ts';
import { rowOf } from './support/actions.ts';
import { expect, type Page, type Shop, test } from './support/shop.ts';

test.use({ isSignedIn: false });

/** A day in a shop by keyboard alone. */
async function workByKeyboard(page: Page, { apiKey, newLink, server }: Shop, origin: string) {
  const { keyboard } = page;
  await page.goto(`${origin}/console`);
  await page.getByLabel('API key or link').and(page.locator(':focus')).waitFor();
  await keyboard.type(apiKey); // 1: the field has the focus
  await keyboard.press('Enter'); // 2
  await page.getByText('No animals yet').waitFor();
  await press(page, 'Settings'); // 3
  await keyboard.press('End');
  await keyboard.press('Enter');
  await page.getByText('You are signed out.').waitFor();
  await page.goto((await newLink()).replace(server.origin, origin));
  await page.getByText('No animals yet').waitFor();

  await press(page, 'Add the first animal'); // 4
  await keyboard.type('Rex'); // 5
  await tabTo(page, 'Category'); // 6
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await keyboard.type('Dogs'); // 7
  await keyboard.press('Enter'); // 8
  await keyboard.press('Enter');
  await rowOf(page, 'Rex').waitFor();
  for (const name of ['Tom', 'Mia']) {
    await press(page, 'Add an animal'); // 9, 13
    await keyboard.type(name); // 10, 14
    await press(page, 'Category', 'ArrowDown'); // 11, 15
    await keyboard.press('Enter');
    await press(page, 'Add'); // 12, 16
    await rowOf(page, name).waitFor();
  }
  await tabTo(page, 'Search by name or number'); // 17
  await keyboard.type('re'); // 18
  await rowOf(page, 'Tom').waitFor({ state: 'detached' });
  await rowOf(page, 'Rex').waitFor();
  await press(page, 'Edit Rex (animal 1)'); // 19
  await page.getByRole('dialog').getByText('Save', { exact: true }).waitFor();
  await page.locator('dialog [type=submit]:enabled').waitFor();
  await keyboard.press('ControlOrMeta+a'); // 20
  await keyboard.type('Rexine'); // 21
  await keyboard.press('Enter'); // 22
  await page.getByText('Rexine (animal 1) was saved.').waitFor();
  // The focus returns to the element that opened the dialog.
  expect((await focused(page)).name).toBe('Edit Rexine (animal 1)');
  await rowOf(page, 'Rexine').focus();
  await keyboard.press('s'); // 23: the letter of the action
  await page.getByRole('dialog').waitFor();
  await press(page, 'Sell'); // 24
  await rowOf(page, 'Rexine').getByText('sold').waitFor();
  await tabTo(page, 'Search by name or number'); // 25
  await keyboard.press('ControlOrMeta+a'); // 26
  await keyboard.press('Delete'); // 27
  await rowOf(page, 'Tom').waitFor();
  await press(page, 'Reserve Mia (animal 3)'); // 28
  await press(page, 'Reserve'); // 29
  await rowOf(page, 'Mia').getByText('reserved').waitFor();

  await press(page, 'Orders'); // 30
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  await rowOf(page, 'Mia').waitFor();
  await press(page, /^Hand over order 2 for Mia/); // 31
  await press(page, 'Hand over'); // 32
  await rowOf(page, 'Mia').getByText('handed over').waitFor();

  await press(page, 'Animals'); // 33
  await press(page, 'Import'); // 34
  const choosing = page.waitForEvent('filechooser');
  await press(page, 'Workbook or CSV file'); // 35
  await (await choosing).setFiles({
    name: 'crate.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      `name,category,status\n${Array.from({ length: 20 }, (_, index) => `Mouse ${index + 1},Mice,available`).join('\n')}\n`,
    ),
  });
  await press(page, 'Create this new category'); // 36
  await press(page, 'Add 20'); // 37
  await page.getByText('20 added.').waitFor({ timeout: 60_000 });
  await page.getByRole('heading', { name: 'The import is done' }).waitFor();
  await press(page, 'Show the animals'); // 38
  await rowOf(page, 'Mouse 20').first().waitFor();

  await press(page, 'Settings'); // 39
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await press(page, 'Create a key'); // 40
  await keyboard.type('Website'); // 41
  await keyboard.press('Enter'); // 42
  await page.getByText('it is never shown again').waitFor();
  await press(page, 'Done');
  await page.getByRole('listitem').filter({ hasText: 'Website' }).waitFor();
  await press(page, 'Settings'); // 43
  await keyboard.press('End');
  await keyboard.press('Enter');
  await page.getByText('You are signed out.').waitFor();
}

/** Every change is stored, and none twice. */
async function expectOutcome({ read }: Shop): Promise<void> {
  const pets = (await read('/pets?limit=100')) as Record<string, unknown>[];
  const lines = pets.map(({ name, categoryId, status }) => `${name} ${categoryId} ${status}`);
  expect(lines.toSorted()).toEqual(
    [
      'Mia 1 sold',
      'Rexine 1 sold',
      'Tom 1 available',
      ...Array.from({ length: 20 }, (_, index) => `Mouse ${index + 1} 2 available`),
    ].toSorted(),
  );
  expect(await read('/categories')).toMatchObject([
    { id: 2, name: 'Mice' },
    { id: 1, name: 'Dogs' },
  ]);
  const orders = (await read('/store/orders')) as { status: string }[];
  expect(orders.map(({ status }) => status)).toEqual(['shipped', 'shipped']);
}

test('everything can be done by keyboard alone, with a visible focus', async ({ page, shop }) => {
  await workByKeyboard(page, shop, shop.server.origin);
  await expectOutcome(shop);
});

test('a slow connection on which each tenth request is cut changes nothing twice', async ({
  page,
  shop,
  bun,
}) => {
  test.setTimeout(180_000);
  page.setDefaultTimeout(60_000);
  const delayMilliseconds = Number(process.env.ANIMAL_STORE_TEST_DELAY ?? 50);
  const origin = await bun.startProxy(shop.server.origin, delayMilliseconds);
  await workByKeyboard(page, shop, origin);
  await expectOutcome(shop);
  expect(await bun.cutCount(origin)).toBeGreaterThan(5);
});
