import { findBarriers } from '../support/barriers.ts';
import { button, rowOf } from './support/actions.ts';
import { expect, test } from './support/shop.ts';

test.describe('in a wide window', () => {
  test.use({ viewport: { width: 1440, height: 900 } });

  test('the page of an animal is beside its list, which stays where it is', async ({
    page,
    shop,
  }) => {
    await shop.run('demo', '--workspace', shop.workspace, '--animals', '300', '--orders', '5');
    await page.reload();
    await rowOf(page, '300').first().waitFor();
    await page.evaluate('scrollTo(0, 4000)');
    const names = page.locator('.rows .name a');
    await expect(names.nth(20)).toBeVisible();
    const link = names.nth(12);
    await link.click();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    const top = await page.evaluate<number>('scrollY');
    expect(top).toBeGreaterThan(3000);
    await expect(page.getByRole('heading', { level: 1 })).toBeInViewport();
    expect(await findBarriers(page)).toEqual([]);
    // Another animal of the list takes its place.
    await names.nth(14).click();
    await page.getByRole('link', { name: 'Close' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Animals' })).toBeAttached();
    await expect(names.nth(14)).toBeFocused();
    expect(await page.evaluate<number>('scrollY')).toBe(top);
  });
});

test.describe('in a low window, such as at 200 %', () => {
  test.use({ viewport: { width: 640, height: 450 } });

  test('the header and the toolbar scroll away, and the rows have the window', async ({
    page,
    shop,
  }) => {
    await shop.run('demo', '--workspace', shop.workspace, '--animals', '40', '--orders', '0');
    await page.reload();
    await rowOf(page, '#40').first().waitFor();
    await page.evaluate('scrollTo(0, 1200)');
    await expect(page.getByRole('navigation', { name: 'Screens' })).not.toBeInViewport();
    await expect(button(page, 'Add an animal')).not.toBeInViewport();
    // No box scrolls inside of the page.
    const boxes = await page.evaluate<number>(`[...document.querySelectorAll('main, main *')]
      .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1).length`);
    expect(boxes).toBe(0);
    // The row with the focus is in sight.
    await page.locator('.rows [role=row]').nth(12).focus();
    for (let count = 0; count < 12; count += 1) await page.keyboard.press('ArrowDown');
    await expect(page.locator('.rows [role=row]:focus')).toBeInViewport({ ratio: 1 });
  });
});
