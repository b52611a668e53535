import { findBarriers } from '../support/barriers.ts';
import {
  addAnimal,
  button,
  chooseCsv,
  follow,
  rowOf,
  signInWith,
  signOut,
} from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

/** Looks at what the page shows. */
async function look(page: Page): Promise<void> {
  expect(await findBarriers(page)).toEqual([]);
}

const screens: Record<string, string> = {
  'the first steps': 'animals',
  'a list in which nothing matches': 'animals?name=nothing',
  'the page of an animal': 'animals/1',
  orders: 'orders',
  categories: 'categories',
  history: 'history',
  keys: 'keys',
  sessions: 'sessions',
  import: 'import',
};

test.describe('follows WCAG 2.2 AA in the light and the dark scheme:', () => {
  for (const [name, screen] of Object.entries(screens)) {
    test(name, async ({ page, shop }) => {
      if (name !== 'the first steps') {
        await shop.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
        await shop.call('PUT', '/categories/1', { name: 'Dogs' });
        await shop.call('POST', '/store/orders', { petId: 1, note: 'Ms Miller' });
      }
      await page.goto(shop.address(screen));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect(page.getByText('Loading…')).toHaveCount(0);
      await look(page);
    });
  }

  test('animals, a selection, and the question before a deletion', async ({ page, shop: _ }) => {
    for (const [animal, category] of [
      ['Rex', 'Dogs'],
      ['Tom', '5'],
    ] as const) {
      await addAnimal(page, animal, category);
    }
    await page.getByLabel('Select Rex').check();
    await look(page);
    await button(page, 'Delete…').click();
    await page.getByRole('dialog').waitFor();
    await look(page);
  });

  test('the forms of an animal', async ({ page, shop: _ }) => {
    await addAnimal(page, 'Rex', 'Dogs');
    await button(page, 'Add an animal').click();
    await button(page, 'Add').click();
    await page.getByText('Choose a category.').waitFor();
    await look(page);
    await page.keyboard.press('Escape');
    for (const action of ['Edit', 'Reserve']) {
      await page.getByRole('button', { name: `${action} Rex` }).click();
      await page.getByRole('dialog').waitFor();
      await look(page);
      await page.keyboard.press('Escape');
    }
  });

  test('the form of an order, with a fault', async ({ page, shop }) => {
    await shop.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
    await shop.call('POST', '/store/orders', { petId: 1 });
    await page.goto(shop.address('orders'));
    await button(page, 'Edit order 1 for Rex (animal 1)').click();
    await page.getByLabel('Until').fill('2020-01-01');
    await button(page, 'Save').click();
    await page.locator('[aria-invalid=true]').waitFor();
    await look(page);
  });

  test('the form of a category', async ({ page, shop }) => {
    await page.goto(shop.address('categories'));
    await button(page, 'Add a category').click();
    await look(page);
  });

  test('the form of a key, and the key', async ({ page, shop }) => {
    await page.goto(shop.address('keys'));
    await button(page, 'Create a key').click();
    await look(page);
    await page.getByLabel('Name', { exact: true }).fill('Website');
    await button(page, 'Create').click();
    await page.getByText('it is never shown again').waitFor();
    await look(page);
  });

  test('an import with faults, when it is done, and when it was undone', async ({ page, shop }) => {
    await page.goto(shop.address('import'));
    await chooseCsv(page, 'name,category\nA,1\n,2\nB,9.2E+18\nC,Birds\n');
    await button(page, 'Add').click();
    await page.getByText('2 questions have no answer yet.').waitFor();
    await look(page);
    await page.getByLabel('Status is in').selectOption('All are available');
    await button(page, 'Create this new category').click();
    await button(page, 'Add 2, leave out 2').click();
    await page.getByRole('heading', { name: 'The import is done' }).waitFor();
    await look(page);
    await button(page, 'Undo: remove 2 animals').click();
    await page.getByRole('heading', { name: 'The import was undone' }).waitFor();
    await look(page);
  });

  test('a session that ends soon, and one that has ended', async ({ page, shop }) => {
    const end = Date.now() + 240_000;
    await shop.query(`UPDATE console_tokens SET last_active_at = 0, expires_at = ${end}`);
    await page.reload();
    await page.getByText('Your session ends at').waitFor();
    await look(page);
    await shop.query('DELETE FROM console_tokens');
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await look(page);
  });

  test('a link over a session', async ({ page, shop }) => {
    await follow(page, await shop.newLink());
    await page.getByText('You opened a link').waitFor();
    await look(page);
  });

  test('the question before a session is ended', async ({ page, shop, browser }) => {
    await using other = await browser.newPage();
    await other.goto(shop.address());
    await signInWith(other, shop.apiKey);
    await page.goto(shop.address('sessions'));
    await page
      .getByRole('button', { name: /^End the session of Key first/ })
      .first()
      .click();
    await page.getByRole('dialog').waitFor();
    await look(page);
  });

  test('the sign-in, with a fault, and the first page of the service', async ({ page, shop }) => {
    await signOut(page);
    await button(page, 'Sign in').click();
    await page.getByText('Paste an API key or a link.').waitFor();
    await look(page);
    await page.goto(`${shop.server.origin}/`);
    await look(page);
  });
});

test.describe('on a phone 320 pixels wide', () => {
  test.use({ viewport: { width: 320, height: 640 } });

  /** Controls that a finger misses, that are outside of the page, or whose text makes a phone zoom. */
  async function findSmallControls(page: Page): Promise<string[]> {
    return await page.evaluate<string[]>(`(() => {
      const found = [];
      const seen = '.button, select, input:not([type=checkbox], [type=radio]), textarea, .target, .frame a';
      for (const element of (document.querySelector('dialog') ?? document).querySelectorAll(seen)) {
        const { width, height, left, right } = element.getBoundingClientRect();
        if (height === 0) continue;
        const isField = element.matches('input, select, textarea');
        const isZoomed = isField && parseFloat(getComputedStyle(element).fontSize) < 16;
        // The navigation is scrolled sideways.
        const isOutside = !element.closest('nav') && (left < 0 || right > innerWidth);
        if (width < 44 || height < 44 || isZoomed || isOutside) {
          found.push([element.getAttribute('aria-label') ?? element.textContent, width, height, left, right].join(' '));
        }
      }
      return found;
    })()`);
  }

  test('a finger hits the controls of a list with a selection, and of a form', async ({
    page,
    shop: _,
  }) => {
    await addAnimal(page, 'Rex', 'Dogs');
    await page.getByRole('checkbox').last().check();
    await page.getByText('1 selected').waitFor();
    expect(await findSmallControls(page)).toEqual([]);
    await page.getByRole('button', { name: 'Edit Rex' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findSmallControls(page)).toEqual([]);
  });

  test('a finger hits the controls of a category, beside its two lines', async ({ page, shop }) => {
    await shop.call('PUT', '/categories/1', { name: 'Dogs', description: 'They bark.' });
    await page.goto(shop.address('categories'));
    const row = rowOf(page, 'Dogs');
    await row.waitFor();
    expect(await findSmallControls(page)).toEqual([]);
    // The row has room for its two lines, and not for a second line of controls.
    const text = await row.getByText('They bark.').boundingBox();
    const box = await row.boundingBox();
    const bottomOf = (of: typeof box) => (of?.y ?? 0) + (of?.height ?? 0);
    expect(bottomOf(text)).toBeLessThan(bottomOf(box));
    expect(box?.height).toBeLessThan(88);
  });

  test('a finger hits the controls of keys and of the header, which shows where the user is', async ({
    page,
    shop,
  }) => {
    await page.goto(shop.address('keys'));
    await button(page, 'Revoke first').waitFor();
    expect(await findSmallControls(page)).toEqual([]);
    const settings = button(page, 'Settings');
    await expect(settings).toHaveAttribute('aria-current', /./);
    const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    for (const one of [settings, ...(await links.all())]) {
      await expect(one).toBeInViewport({ ratio: 1 });
    }
    await settings.click();
    await page.getByText('Signed in as owner').waitFor();
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeInViewport({ ratio: 1 });
    await look(page);
  });

  test('a filter shows its whole text', async ({ page, shop: _ }) => {
    await addAnimal(page, 'Rex', 'Dogs');
    const filter = page.getByRole('combobox', { name: 'Category' });
    await expect(filter).toHaveValue('All categories');
    const cut = await page.evaluate<number>(`(() => {
      const field = document.querySelector('.filters .combobox input');
      return field.scrollWidth - field.clientWidth;
    })()`);
    expect(cut).toBeLessThanOrEqual(0);
  });
});
