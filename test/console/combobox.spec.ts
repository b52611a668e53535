import { findBarriers } from '../support/barriers.ts';
import { button, createGate } from './support/actions.ts';
import { expect, type Page, type Shop, test } from './support/shop.ts';

/** Opens the form of an animal in a catalogue with many categories. */
async function openForm(page: Page, shop: Shop, count = 3) {
  for (let id = 1; id <= count; id += 1) {
    await shop.call('PUT', `/categories/${id}`, { name: `Breed ${id}` });
  }
  await page.reload();
  await button(page, 'Add an animal').click();
  const dialog = page.getByRole('dialog');
  const field = dialog.getByRole('combobox', { name: 'Category' });
  await field.waitFor();
  return { dialog, field, options: dialog.getByRole('option') };
}

test('a list in a dialog is used with the keyboard alone, and Escape closes only the list', async ({
  page,
  shop,
}) => {
  const { dialog, field, options } = await openForm(page, shop);
  const chosen = (name: string) =>
    dialog.getByRole('option', { name }).and(dialog.locator('[data-highlighted]'));
  await page.keyboard.type('Rex');
  await page.keyboard.press('Tab');
  await expect(field).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(chosen('Breed 1')).toBeVisible();
  await page.keyboard.press('End');
  await expect(chosen('Breed 3')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(chosen('Breed 1')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(options).toHaveCount(0);
  await expect(dialog).toBeVisible();
  await page.keyboard.type('breed');
  await expect(dialog.getByRole('status').first()).toHaveText('4 matches');
  await expect(chosen('Breed 1')).toBeVisible();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('Breed 2');
  await expect(options).toHaveCount(0);
  // The next key replaces the text, and Tab takes the option that it found.
  await page.keyboard.press('ArrowDown');
  await expect(chosen('Breed 2')).toBeVisible();
  await page.keyboard.type('3');
  await expect(chosen('Breed 3')).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(field).toHaveValue('Breed 3');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('a text that is typed before the list is loaded is found then', async ({ page, shop }) => {
  const { opened: released, open: release } = createGate();
  await page.route('**/combobox-list.js', async (route) => {
    await released;
    await route.continue();
  });
  await shop.call('PUT', '/categories/1', { name: 'Dogs' });
  await page.reload();
  await button(page, 'Add an animal').click();
  await page.getByRole('dialog').getByLabel('Category').focus();
  await page.keyboard.type('do');
  await page.keyboard.press('Enter');
  release();
  await expect(page.getByRole('option', { name: 'Dogs' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog').getByLabel('Category')).toHaveValue('Dogs');
});

test('a list of 2000 options draws 100, finds each of them, and stays in a small window', async ({
  page,
  shop,
}) => {
  test.setTimeout(120_000);
  await page.setViewportSize({ width: 320, height: 480 });
  const { dialog, field, options } = await openForm(page, shop, 1999);
  await field.click();
  await expect(options).toHaveCount(100);
  await expect(dialog.getByText('1,899 more. Type to find them.')).toBeVisible();
  const box = await dialog.getByRole('listbox').boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(480);
  expect((await options.first().boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await page.keyboard.type('breed 1998');
  await options.first().click();
  await expect(field).toHaveValue('Breed 1998');
  await expect(field).toBeFocused();
});

test.describe('reported by users of other comboboxes:', () => {
  test('Enter during a composition does not choose, and the text stays once', async ({
    page,
    shop,
  }) => {
    const { field, options } = await openForm(page, shop);
    const client = await page.context().newCDPSession(page);
    await field.focus();
    for (const text of ['b', 'br', 'bre']) {
      await client.send('Input.imeSetComposition', { text, selectionStart: 3, selectionEnd: 3 });
    }
    await expect(options).toHaveCount(4);
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await expect(options).toHaveCount(4);
    await client.send('Input.insertText', { text: 'breed 2' });
    await expect(field).toHaveValue('breed 2');
    await expect(options).toHaveText(['Breed 22']);
    await options.click();
    await expect(field).toHaveValue('Breed 2');
  });

  test('Enter chooses what was typed last, also with the keys of a scanner', async ({
    page,
    shop,
  }) => {
    const { field } = await openForm(page, shop);
    await field.focus();
    for (const [text, chosen] of [
      ['3', 'Breed 3'],
      ['Breed 2', 'Breed 2'],
      ['Hamster', 'New category: Hamster'],
    ] as const) {
      await field.evaluate((input: { select(): void }) => input.select());
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await expect(field).toHaveValue(chosen);
    }
  });

  test('the cursor stays where the user edits, also with fast keys', async ({ page, shop }) => {
    const { field } = await openForm(page, shop);
    await field.focus();
    await page.keyboard.type('bred');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('eee');
    await expect(field).toHaveValue('breeeed');
    expect(await field.evaluate((input: { selectionStart: number }) => input.selectionStart)).toBe(
      6,
    );
  });

  test('options of the same name show how they differ', async ({ page, shop }) => {
    for (const id of [7, 8]) await shop.call('PUT', `/categories/${id}`, { name: 'Same' });
    const { dialog, field, options } = await openForm(page, shop);
    await dialog.getByLabel('Name', { exact: true }).fill('Rex');
    await field.fill('same');
    await options.filter({ hasText: '8' }).click();
    await field.click();
    await expect(
      options.locator('visible=true').and(dialog.locator('[data-state=checked]')),
    ).toHaveText(['Same8']);
    await page.keyboard.press('Escape');
    await button(page, 'Add').click();
    await expect(dialog).toHaveCount(0);
    expect(await shop.read('/pets')).toMatchObject([{ categoryId: 8 }]);
  });

  test('the list follows its field when the dialog is scrolled', async ({ page, shop }) => {
    await page.setViewportSize({ width: 600, height: 330 });
    const { dialog, field, options } = await openForm(page, shop);
    await field.click();
    await expect(options).toHaveCount(3);
    const distance = async () => {
      const [of, to] = [await options.first().boundingBox(), await field.boundingBox()];
      return Math.round((of?.y ?? 0) - (to?.y ?? 0));
    };
    const before = await distance();
    expect(
      await dialog.evaluate((element: { scrollTop: number }) => {
        element.scrollTop = 30;
        return element.scrollTop;
      }),
    ).toBe(30);
    await expect.poll(distance).toBe(before);
  });
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 700 } });

  test('one tap on the button sends what was typed', async ({ page, shop }) => {
    const { dialog, field } = await openForm(page, shop);
    await dialog.getByLabel('Name', { exact: true }).fill('Rex');
    await field.tap();
    await page.keyboard.type('Hamster');
    await button(page, 'Add').tap();
    await expect(dialog).toHaveCount(0);
    expect(await shop.read('/categories')).toContainEqual({ id: 4, name: 'Hamster' });
  });
});
