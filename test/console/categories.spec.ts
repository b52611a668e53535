import { addAnimal, button, createGate, goTo, rowOf } from './support/actions.ts';
import { expect, test } from './support/shop.ts';

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
