import naughtyStrings from 'big-list-of-naughty-strings/blns.json' with { type: 'json' };
import { rowOf } from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

interface Seen {
  readonly texts: readonly string[];
  readonly rowsMax: number;
  readonly repeatedCount: number;
}

/** Scrolls through the list, and returns the texts of a part of each row. */
async function readAll(page: Page, part: string): Promise<Seen> {
  return await page.evaluate<Seen>(`(async () => {
    const grid = document.querySelector('[role=grid]');
    const texts = new Set();
    let rowsMax = 0, repeatedCount = 0;
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const isDrawn = () => {
      const bottom = Math.min(innerHeight, grid.getBoundingClientRect().bottom);
      const rows = [...document.querySelectorAll('.rows [role=row]')];
      return rows.some((row) => Math.abs(row.getBoundingClientRect().bottom - bottom) < 50);
    };
    for (let top = 0; ; top += 440) {
      scrollTo(0, top);
      await nextFrame();
      while (!isDrawn()) await nextFrame();
      const shown = [...document.querySelectorAll('.rows ${part}')].map((cell) => cell.textContent);
      rowsMax = Math.max(rowsMax, shown.length);
      repeatedCount += shown.length - new Set(shown).size;
      for (const text of shown) texts.add(text);
      if (scrollY < top) return { texts: [...texts], rowsMax, repeatedCount };
    }
  })()`);
}

test('names with markup and other unusual characters are shown as plain text', async ({
  page,
  shop,
}) => {
  const stored: string[] = [];
  for (const name of new Set([...naughtyStrings, '<img src=x onerror=alert(1)>', '<b>bold</b>'])) {
    const { status } = await shop.call('POST', '/pets', { name, categoryId: 1 });
    if (status === 201) stored.push(name);
  }
  await page.reload();
  await rowOf(page, '<b>bold</b>').waitFor();
  const shown = new Set((await readAll(page, '.name bdi')).texts);
  // A name that cannot be seen is shown as the number of the animal.
  const isVisible = (name: string) => /[^\s\p{Default_Ignorable_Code_Point}]/u.test(name);
  expect(stored.filter((name) => isVisible(name) && !shown.has(name))).toEqual([]);
});

test('a long list has at most 80 rows in the page, and shows each animal once', async ({
  page,
  shop,
}) => {
  await shop.run('demo', '--workspace', shop.workspace, '--animals', '1200', '--orders', '0');
  await page.reload();
  await rowOf(page, '#1200').first().waitFor();
  const { texts, rowsMax, repeatedCount } = await readAll(page, '.number');
  expect([texts.length, repeatedCount]).toEqual([1200, 0]);
  expect(rowsMax).toBeLessThanOrEqual(80);
});
