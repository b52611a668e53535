import { findBarriers } from '../support/barriers.ts';
import { press } from '../support/keyboard.ts';
import { button, rowOf } from './support/actions.ts';
import { expect, type Page, type Shop, test } from './support/shop.ts';

/** Adds animals, each with a reservation if it has a note, and opens their orders. */
async function fill(page: Page, shop: Shop, notes: Record<string, string>): Promise<void> {
  const shipDate = '2026-01-02T00:00:00Z';
  let petId = 0;
  for (const [name, note] of Object.entries(notes)) {
    petId += 1;
    await shop.call('POST', '/pets', { name, categoryId: 1 });
    if (note !== '') await shop.call('POST', '/store/orders', { petId, note, shipDate });
  }
  await page.goto(shop.address('orders'));
  await rowOf(page, Object.keys(notes)[0] ?? '').waitFor();
}

test.describe('the day of a reservation', () => {
  // The day there begins fourteen hours before that in UTC.
  test.use({ timezoneId: 'Pacific/Kiritimati' });

  test('is checked, is the same day for every viewer, and is shown with the note', async ({
    page,
    shop,
  }) => {
    await shop.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
    await page.reload();
    await page.getByRole('button', { name: 'Reserve Rex (animal 1)' }).click();
    const [note, until] = [page.getByLabel('For whom'), page.getByLabel('Until')];
    await note.fill('😀'.repeat(1001));
    await until.press('1');
    await button(page, 'Reserve').click();
    await page.getByText('This text has at most 1,000 characters.').waitFor();
    await page.getByText('Enter the whole date, or clear it.').waitFor();
    await until.fill('2025-12-24');
    await page.getByText('This day has passed. Choose today or a later day.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await until.fill('2099-12-24');
    const text = `\n<b>Ada</b> \u2069\u202e0171\n${'😀'.repeat(900)}`;
    await note.fill(text);
    await button(page, 'Reserve').click();
    const row = rowOf(page, 'Rex');
    await row.getByText('until Dec 24, 2099').waitFor();
    await expect(row.locator('.reservation bdi')).toHaveText('<b>Ada</b> \u2069\u202e0171');
    expect(await findBarriers(page)).toEqual([]);
    expect(await shop.read('/store/orders')).toMatchObject([
      { note: text.trim(), shipDate: '2099-12-24T12:00:00.000Z' },
    ]);
  });

  test('that has passed stays while only the note changes, and cannot be removed', async ({
    page,
    shop,
  }) => {
    await fill(page, shop, { Bella: 'Grace' });
    await rowOf(page, 'Bella').getByText('overdue: Jan 2').waitFor();
    await button(page, 'Edit order 1 for Bella (animal 1)').click();
    const until = page.getByLabel('Until');
    await until.fill('');
    await page.getByLabel('For whom').fill('');
    await button(page, 'Save').click();
    await page.getByText('The date of an order cannot be removed.').waitFor();
    await until.fill('2026-01-02');
    await button(page, 'Save').click();
    await page.getByText('Saved: order 1 for Bella (animal 1).').waitFor();
    expect(await shop.read('/store/orders')).not.toMatchObject([{ note: 'Grace' }]);
    await page.getByRole('button', { name: /^Undo: Saved: order 1/ }).click();
    await page.getByText('Changed back: order 1 for Bella (animal 1).').waitFor();
    expect(await shop.read('/store/orders')).toMatchObject([{ note: 'Grace' }]);
  });
});

test('a long name of an animal is cut before its number', async ({ page, shop }) => {
  await fill(page, shop, { ['Tom '.repeat(60).trim()]: 'Linus' });
  for (const width of [700, 1280]) {
    await page.setViewportSize({ width, height: 760 });
    const gap = await page.evaluate<number>(`(() => {
      const link = document.querySelector('.name a');
      const number = document.createRange();
      number.selectNode(link.lastChild);
      const { right } = link.parentElement.getBoundingClientRect();
      return right - number.getBoundingClientRect().right;
    })()`);
    expect(gap).toBeGreaterThanOrEqual(0);
  }
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 760 }, hasTouch: true });

  test('orders are handed over and cancelled by keyboard, and keep the focus in their row', async ({
    page,
    shop,
  }) => {
    await fill(page, shop, { Rex: 'Ada', Bella: 'Grace' });
    // All actions of a row are within the screen.
    const edges = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.rows .button')].map((button) => button.getBoundingClientRect().right)",
    );
    expect(Math.max(...edges)).toBeLessThanOrEqual(390);
    await press(page, 'Hand over order 2 for Bella (animal 2)');
    await page.getByRole('dialog').getByText('Grace').waitFor();
    await press(page, 'Hand over');
    await rowOf(page, 'Bella').getByText('handed over').waitFor();
    await rowOf(page, 'Rex (1)').focus();
    await page.keyboard.press('c');
    await page.getByRole('dialog').waitFor();
    await shop.call('PATCH', '/store/orders/1', { status: 'shipped' });
    await press(page, 'Cancel reservation');
    await page
      .getByText('Another user has changed order 1 for Rex (animal 1). It is handed over now.')
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await rowOf(page, 'Rex (1)').getByText('handed over').waitFor();
    // The button that opened the dialog is gone: its row has the focus.
    await expect(rowOf(page, 'Rex (1)')).toBeFocused();
  });
});
