import { findBarriers } from '../support/barriers.ts';
import { rowOf } from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

const animalCount = 3000;

test.beforeEach(async ({ page, shop }) => {
  await shop.run('demo', '--animals', String(animalCount), '--workspace', shop.workspace);
  await page.reload();
  await status(page, '3,000 animals');
});

async function status(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' });
}

/** The numbers of the rows in sight, from top to bottom. */
async function numbersInSight(page: Page): Promise<number[]> {
  return await page.evaluate<number[]>(`(() => {
    const head = document.querySelector('.head').getBoundingClientRect();
    const [top, bottom] = [Math.max(0, head.bottom), innerHeight];
    return [...document.querySelectorAll('.rows [role=row]')]
      .map((row) => ({ row, box: row.getBoundingClientRect() }))
      .filter(({ box }) => box.top >= top && box.bottom <= bottom + 1)
      .sort((left, right) => left.box.top - right.box.top)
      .map(({ row }) => Number(row.querySelector('.number').textContent));
  })()`);
}

/** Drags the scroll bar to a part of the list, through places before it. */
async function dragTo(page: Page, part: number): Promise<void> {
  await page.evaluate(`(async () => {
    const rows = document.querySelector('.rows');
    const height = Number.parseFloat(getComputedStyle(rows).getPropertyValue('--row-height'));
    for (const step of [0.3, 0.6, 1]) {
      const page = document.documentElement;
      const start = rows.getBoundingClientRect().top + scrollY;
      const top = (page.scrollHeight - innerHeight) * ${part} * step;
      // Whole rows, because the target of one that is half behind the head is small.
      scrollTo(0, start + Math.round((top - start) / height) * height);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  })()`);
}

async function waitForRow(page: Page, number: number): Promise<void> {
  const cell = page.locator('.rows .number').getByText(String(number), { exact: true });
  // On a phone, the number is beside the name.
  await cell.waitFor({ state: 'attached' });
}

test('a drag shows the rows of its last place and reads no others, and changes of others move no row', async ({
  page,
  shop,
}) => {
  const isOpening = (url: string) => /pets\?(from|sort|limit)(?!.*cursor=)/.test(url);
  const opened: string[] = [];
  page.on('request', (request) => void (isOpening(request.url()) && opened.push(request.url())));
  await dragTo(page, 0.5);
  await waitForRow(page, 1500);
  // The last animal, those in sight, and those before them.
  await expect.poll(() => opened.length).toBe(3);
  const before = await numbersInSight(page);
  const [middle = 0] = before;
  expect(Math.abs(middle - 1507)).toBeLessThan(10);
  const first = page.locator('.rows [role=row]').first();
  const box = await first.boundingBox();
  for (const [method, path, body, shown] of [
    ['POST', '/pets', { name: 'Newcomer', categoryId: 1 }, 'Show 1 new animal'],
    ['DELETE', `/pets/${middle - 3}`, undefined, 'deleted'],
    ['PATCH', `/pets/${middle - 4}`, { name: 'Renamed' }, 'Renamed'],
  ] as const) {
    await shop.call(method, path, body);
    await page.getByText(shown).first().waitFor();
    expect((await numbersInSight(page)).slice(0, 8)).toEqual(before.slice(0, 8));
    expect(await first.boundingBox()).toEqual(box);
  }
  await page.getByRole('button', { name: 'Show 1 new animal' }).click();
  await rowOf(page, 'Newcomer').waitFor();
  expect((await numbersInSight(page)).slice(0, 2)).toEqual([3001, 3000]);
  expect(await findBarriers(page)).toEqual([]);
});

test('a typed number shows its animal first, and the rows before stay while a search is read', async ({
  page,
  shop,
}) => {
  await shop.call('PATCH', '/pets/7', { name: 'Chip 1234' });
  const search = page.getByLabel('Search by name or number');
  let pass = () => {};
  const held = new Promise<void>((resolve) => {
    pass = resolve;
  });
  await page.route(/name=1234/, async (route) => {
    await held;
    await route.continue();
  });
  const isRead = page.waitForRequest(/name=1234/);
  await search.fill(' #1234 ');
  await page.waitForURL(/name=%231234/);
  await search.fill(' 1234 ');
  await isRead;
  expect(await numbersInSight(page)).not.toEqual([]);
  await page.locator('[role=grid][aria-busy=true]').waitFor();
  await dragTo(page, 0.9);
  pass();
  await status(page, '2 animals');
  expect(await numbersInSight(page)).toEqual([1234, 7]);
  expect(page.url()).toMatch(/name=1234$/);
  await search.fill('a');
  await status(page, '200+ animals');
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '-1');
});

test('the box in the head selects all rows of a list, and selected rows keep their colour', async ({
  page,
}) => {
  const grid = page.getByRole('grid');
  await expect(grid).toHaveAttribute('aria-rowcount', '3001');
  await expect(grid).toHaveAttribute('aria-multiselectable', 'true');
  const box = (number: number) =>
    page.getByLabel(`(animal ${number})`).and(page.getByRole('checkbox'));
  await box(2999).click();
  await box(2995).click({ modifiers: ['Shift'] });
  await page.getByText('5 selected').waitFor();
  const row = page.locator('.rows [aria-selected=true]').first();
  const colour = () =>
    page.evaluate<string>(
      "getComputedStyle(document.querySelector('.rows [aria-selected=true]')).backgroundColor",
    );
  await page.mouse.move(0, 0);
  const before = await colour();
  await row.hover();
  expect(await colour()).toBe(before);
  const all = page.getByRole('checkbox', { name: 'Select all' });
  await expect(all).toBeChecked({ indeterminate: true });
  await all.check();
  await page.getByText('3,000 selected').waitFor();
  await all.uncheck();
  await expect(page.getByText('3,000 selected')).toHaveCount(0);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('a range of rows that were never loaded is selected by keyboard', async ({ page }) => {
    const { keyboard } = page;
    await page.getByLabel('Sort').selectOption('Oldest first');
    await page.waitForURL(/sort=oldest/);
    await waitForRow(page, 1);
    await page.locator('.rows [role=row]').first().focus();
    await keyboard.press('End');
    await page.locator('.rows [role=row]:focus:has-text("#3000")').waitFor();
    for (const [key, count] of [
      ['Shift+Home', '3,000'],
      ['Shift+ArrowDown', '2,999'],
      ['Shift+ArrowDown', '2,998'],
      ['Space', '2,997'],
      ['ControlOrMeta+a', '3,000'],
    ] as const) {
      await keyboard.press(key);
      await status(page, `${count} animals selected`);
    }
    expect(await findBarriers(page)).toEqual([]);
  });

  for (const action of ['Reserve', 'Edit']) {
    test(`after ${action}, the row has the focus, and a key that is held presses only the first button`, async ({
      page,
    }) => {
      const { keyboard } = page;
      const dialog = page.getByRole('dialog');
      const holdEnter = async () => {
        for (let count = 0; count < 3; count += 1) await keyboard.down('Enter');
        await keyboard.up('Enter');
      };
      const control = page
        .locator('.rows')
        .getByRole('button', { name: `${action} ` })
        .first();
      await control.focus();
      const index = await control.evaluate((one) => one.closest('[role=row]')?.ariaRowIndex);
      await keyboard.down('Enter');
      await dialog.waitFor();
      if (action === 'Edit') await dialog.getByRole('button', { name: 'Delete…' }).click();
      const yes = { name: action === 'Edit' ? 'Delete' : 'Reserve', exact: true };
      await dialog.getByRole('button', yes).focus();
      await holdEnter();
      await expect(dialog).toHaveCount(1);
      await keyboard.down('Enter');
      await expect(dialog).toHaveCount(0);
      await expect(page.locator('.rows [role=row]:focus')).toHaveAttribute(
        'aria-rowindex',
        `${index}`,
      );
      await holdEnter();
      await expect(dialog).toHaveCount(0);
    });
  }
});
