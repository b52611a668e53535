import { addAnimal, button, choose, createGate, goTo, rowOf } from './support/actions.ts';
import { expect, type Page, type Shop, test } from './support/shop.ts';

/** Opens the categories: Dogs with the number 7, which two animals have. */
async function openCategories(page: Page, { call, address }: Shop): Promise<void> {
  for (const name of ['Rex', 'Tom']) await call('POST', '/pets', { name, categoryId: 7 });
  await call('PUT', '/categories/7', { name: 'Dogs' });
  await page.goto(address('categories'));
  await rowOf(page, 'Dogs').waitFor();
}

test('categories that cannot be read are reported on each screen, and read again with a button', async ({
  page,
  shop: _,
}) => {
  await page.route('**/categories?**', (route) => route.fulfill({ status: 403 }));
  await page.reload();
  const failure = page.getByRole('alert').filter({ hasText: '(HTTP 403). Try again.' });
  await expect(failure).toBeVisible();
  await goTo(page, 'Categories');
  await expect(failure).toBeVisible();
  await page.unroute('**/categories?**');
  await button(page, 'Try again').click();
  await expect(failure).toHaveCount(0);
});

test('a category that is saved without a change is not written', async ({ page, shop }) => {
  await openCategories(page, shop);
  await button(page, 'Edit Dogs').click();
  await button(page, 'Save').click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText('was saved')).toHaveCount(0);
});

test('a category is deleted after a question that counts its animals, which keep its number', async ({
  page,
  shop,
}) => {
  await openCategories(page, shop);
  await choose(page, 'Delete', 'Dogs');
  const question = page.getByRole('dialog', { name: 'Delete category Dogs (7)?' });
  await expect(question.getByText('2 animals stay, and show the number 7')).toBeVisible();
  await button(page, 'Delete').click();
  await expect(page.getByText('Category Dogs (7) was deleted.')).toBeVisible();
  await page.getByRole('link', { name: 'without a name' }).click();
  await expect(rowOf(page, 'Rex')).toBeVisible();
  const filter = page.getByLabel('Category', { exact: true });
  await filter.selectOption('All categories');
  await page.waitForURL(/#animals$/);
  await filter.selectOption('7 (without a name)');
  await page.waitForURL(/category=7/);
});

test('a category that another user changed is deleted only at the second press', async ({
  page,
  shop,
}) => {
  await openCategories(page, shop);
  await choose(page, 'Delete', 'Dogs');
  await shop.call('PUT', '/categories/7', { name: 'Hounds' });
  await button(page, 'Delete').click();
  const refusal = 'Another user has changed this category to: Hounds. Press the button again';
  await expect(page.getByText(refusal)).toBeVisible();
  expect((await shop.call('GET', '/categories/7')).status).toBe(200);
  await button(page, 'Delete').click();
  await expect(page.getByText('Category Hounds (7) was deleted.')).toBeVisible();
});

test('a number without a name gets one, unless another user was faster', async ({ page, shop }) => {
  await shop.call('POST', '/pets', { name: 'Rex', categoryId: 7 });
  await page.goto(shop.address('categories'));
  await button(page, 'Give a name to number 7').click();
  const number = page.getByRole('textbox', { name: 'Number' });
  await expect(number).toHaveValue('7');
  await page.getByLabel('Name', { exact: true }).fill('Wolves');
  await shop.call('PUT', '/categories/7', { name: 'Foxes' });
  await button(page, 'Save').click();
  await expect(page.getByText('Another category has the number 7 already.')).toBeVisible();
  await number.fill('');
  await button(page, 'Save').click();
  await expect(rowOf(page, 'Wolves')).toBeVisible();
  const categories = [
    { id: 7, name: 'Foxes' },
    { id: 1, name: 'Wolves' },
  ];
  expect(await shop.read('/categories')).toEqual(categories);
});

test('a new category that is added before the categories were read is added once', async ({
  page,
  shop: _,
}) => {
  const { opened: released, open: release } = createGate();
  await page.route(/\/categories\?/, async (route) => {
    const response = await route.fetch();
    await released;
    await route.fulfill({ response });
  });
  await page.reload();
  const added = addAnimal(page, 'Rex', 'Dogs');
  await button(page, 'Adding…').waitFor();
  release();
  await added;
  await goTo(page, 'Categories');
  await expect(rowOf(page, 'Dogs')).toHaveCount(1);
});

test.describe('on a page with room for all rows', () => {
  test.use({ viewport: { width: 1280, height: 6000 } });

  test('numbers of animals without a category are listed up to a limit', async ({ page, shop }) => {
    await page.goto(shop.address('categories'));
    await page.getByRole('heading', { level: 1, name: 'Categories' }).waitFor();
    for (let id = 1001; id <= 1105; id += 1) {
      await shop.call('POST', '/pets', { name: 'Rex', categoryId: id });
    }
    await shop.call('PUT', '/categories/8', { name: 'Cats' });
    await expect(rowOf(page, 'Cats')).toBeVisible();
    await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '102');
  });
});
