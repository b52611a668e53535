import {
  addAnimal,
  button,
  chooseCsv,
  createGate,
  csvOf,
  follow,
  pick,
  rowOf,
  signInWith,
  signOut,
  waitUntilLive,
} from './support/actions.ts';
import { expect, type Page, type Shop, test } from './support/shop.ts';

const minute = 60_000;

const hasEnded = (page: Page) => page.getByRole('heading', { name: 'Your session has ended' });

async function endSessions(page: Page, shop: Shop): Promise<void> {
  await shop.query('DELETE FROM console_tokens WHERE is_link = 0');
  await hasEnded(page).waitFor();
}

/** Types an animal into its form. */
async function typeAnimal(page: Page, name: string): Promise<void> {
  await button(page, 'Add an animal').click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await pick(page.getByRole('dialog'), 'Category', 'Dogs');
}

test.describe('a session that ended', () => {
  /** Ends the session of a page with a search and a half-filled form. */
  async function endWhileTyping(page: Page, shop: Shop): Promise<void> {
    await addAnimal(page, 'Shadow', 'Dogs');
    await page.getByLabel('Search by name').fill('shad');
    await page.waitForURL(/name=shad/);
    await typeAnimal(page, 'Bella');
    await endSessions(page, shop);
  }

  test('shows nothing of the page, on paper and to screen readers neither', async ({
    page,
    shop,
  }) => {
    await endWhileTyping(page, shop);
    for (const media of ['screen', 'print'] as const) {
      await page.emulateMedia({ media });
      const shown = await page.evaluate<string>('document.title + document.body.innerText');
      const read = await page.locator('body').ariaSnapshot();
      expect(`${shown} ${read} ${page.url()}`).not.toMatch(/shad|bella|dogs/i);
    }
  });

  test('has no key that leads to the page behind', async ({ page, shop }) => {
    await endWhileTyping(page, shop);
    for (const key of ['Escape', 'Escape', 'Tab', 'Tab', 'Tab']) await page.keyboard.press(key);
    await expect(hasEnded(page)).toBeVisible();
  });

  test('returns its input after the same owner signed in in another tab', async ({
    page,
    shop,
  }) => {
    await addAnimal(page, 'Shadow', 'Dogs');
    await typeAnimal(page, 'Mia');
    const other = await page.context().newPage();
    await other.goto(shop.address());
    await signOut(other);
    await expect(hasEnded(page)).toBeVisible();
    await signInWith(other, await shop.newLink());
    await expect(hasEnded(page)).toHaveCount(0);
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Mia');
    await button(page, 'Add').click();
    await expect(page.getByText('Mia (animal 2) was added.')).toBeVisible();
  });

  test('starts from the beginning for another user', async ({ page, shop }) => {
    await endWhileTyping(page, shop);
    await signInWith(page, shop.apiKey);
    await expect(rowOf(page, 'Shadow')).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByLabel('Search by name')).toHaveValue('');
    expect(page.url()).not.toMatch(/shad/);
  });

  test('returns a chosen file to the same key, and to no other', async ({ page, shop }) => {
    await signOut(page);
    await signInWith(page, shop.apiKey);
    await waitUntilLive(page);
    await page.goto(shop.address('import'));
    await chooseCsv(page, csvOf(1));
    // An end during the search for its animals asks to repeat that.
    await expect(button(page, 'Add 1')).toBeVisible();
    const { apiKey } = await shop.addKey('desk');
    await endSessions(page, shop);
    await signInWith(page, shop.apiKey);
    await expect(button(page, 'Add 1')).toBeVisible();
    expect(page.url()).toBe(shop.address('import'));
    await endSessions(page, shop);
    await signInWith(page, apiKey);
    await expect(page.getByText('No animals yet')).toBeVisible();
    await page.goto(shop.address('import'));
    await expect(page.getByLabel('Workbook or CSV file')).toBeVisible();
    await expect(button(page, 'Add 1')).toHaveCount(0);
  });

  test('of a user who signed out returns no input', async ({ page, shop }) => {
    await page.goto(shop.address('import'));
    await chooseCsv(page, csvOf(1));
    await expect(button(page, 'Add 1')).toBeVisible();
    await signOut(page);
    expect(page.url()).toBe(`${shop.server.origin}/console`);
    await signInWith(page, await shop.newLink());
    await waitUntilLive(page);
    await page.goto(shop.address('import'));
    await expect(page.getByLabel('Workbook or CSV file')).toBeVisible();
    await expect(button(page, 'Add 1')).toHaveCount(0);
  });

  test('before its user answered a link does not ask about the link again', async ({
    page,
    shop,
  }) => {
    const link = await shop.newLink();
    await follow(page, link);
    await page.getByText('You opened a link').waitFor();
    await endSessions(page, shop);
    await signInWith(page, link);
    await expect(hasEnded(page)).toHaveCount(0);
    await signOut(page);
  });

  test('right after a search was typed does not show the search in the address', async ({
    page,
    shop,
  }) => {
    const search = page.getByLabel('Search by name');
    await shop.query('DELETE FROM console_tokens WHERE is_link = 0');
    const searched = page.waitForRequest(/name=shad/);
    await search.evaluate((input: EventTarget & { value: string }) => {
      input.value = 'shad';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      new BroadcastChannel('animal-store session').postMessage('changed');
    });
    await hasEnded(page).waitFor();
    await searched;
    expect(page.url()).toBe(shop.address().replace('#', ''));
    await signInWith(page, await shop.newLink());
    await page.waitForURL(/name=shad/);
    await expect(search).toHaveValue('shad');
  });

  test('during a request does not show its result to another user', async ({ page, shop }) => {
    const stored = createGate();
    const { opened: released, open: release } = createGate();
    await page.route('**/console/v1/pets', async (route) => {
      const response = await route.fetch();
      stored.open();
      await released;
      await route.fulfill({ response });
    });
    const { apiKey } = await shop.addKey('clerk', ['pets:read']);
    const arrived = page.waitForResponse('**/console/v1/pets');
    const adding = addAnimal(page, 'Amy', '5');
    await stored.opened;
    await endSessions(page, shop);
    await signInWith(page, apiKey);
    await expect(rowOf(page, 'Amy')).toBeVisible();
    await adding;
    release();
    await (await arrived).finished();
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))',
    );
    await expect(page.locator('.notices')).toHaveText('');
  });
});

test.describe('a session that ends soon', () => {
  /** Sets when the user last acted and when the session ends, and loads the page. */
  async function setTimes(page: Page, shop: Shop, activeMinutesAgo: number, leftMinutes: number) {
    const now = Date.now();
    const times = `last_active_at = ${now - activeMinutesAgo * minute}, expires_at = ${now + leftMinutes * minute}`;
    await shop.query(`UPDATE console_tokens SET ${times} WHERE is_link = 0`);
    await page.reload();
    await waitUntilLive(page);
  }

  const notice = (page: Page) => page.getByText(/^Your session ends at \d/);

  /** Opens a form without a press, which would continue the session. */
  async function openForm(page: Page): Promise<void> {
    await page.evaluate("document.querySelector('main .main').click()");
    await notice(page).first().waitFor();
  }

  test('is continued by an action of its user, at most every three minutes', async ({
    page,
    shop,
  }) => {
    let reports = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/session/activity')) reports += 1;
    });
    const act = async () => {
      await page.getByLabel('Search by name').press('a');
      // The report was sent before this request is answered.
      await page.evaluate("fetch('/console/v1/session').then((response) => response.text())");
    };
    await setTimes(page, shop, 2, 718);
    await act();
    expect(reports).toBe(0);
    await setTimes(page, shop, 4, 716);
    const [report] = await Promise.all([page.waitForResponse('**/session/activity'), act()]);
    expect(await report.json()).toMatchObject({ secondsLeft: 12 * 3600, idleSeconds: 0 });
    await act();
    expect(reports).toBe(1);
  });

  test('says so in an open form, and is continued there by a button', async ({ page, shop }) => {
    await setTimes(page, shop, 716, 4);
    await openForm(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Stay signed in' }).click();
    await expect(notice(page)).toHaveCount(0);
  });

  test('continues with a click, which also acts', async ({ page, shop }) => {
    await setTimes(page, shop, 716, 4);
    await openForm(page);
    await button(page, 'Cancel').hover();
    await page.mouse.down();
    // The notice disappears when the session is continued, and moves what is below it.
    const read = `fetch('/console/v1/session').then(() => new Promise(requestAnimationFrame))`;
    for (let times = 0; times < 3; times += 1) await page.evaluate(read);
    await page.mouse.up();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(notice(page)).toHaveCount(0);
  });

  test('ends by the clock of the page while the server does not answer', async ({ page, shop }) => {
    await page.clock.install();
    await setTimes(page, shop, 716, 4);
    await openForm(page);
    await page.route('**/console/v1/**', (route) => route.abort());
    await page.clock.fastForward(4 * minute);
    await expect(hasEnded(page)).toBeVisible();
    await page.unroute('**/console/v1/**');
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect(hasEnded(page)).toHaveCount(0);
    await expect(page.getByRole('dialog', { name: 'Add an animal' })).toBeVisible();
  });

  test('after seven days cannot be continued, and asks to save the input', async ({
    page,
    shop,
  }) => {
    const createdAt = Date.now() + 4 * minute - 7 * 24 * 60 * minute;
    await shop.query(`UPDATE console_tokens SET created_at = ${createdAt}`);
    await setTimes(page, shop, 716, 4);
    await expect(page.getByText('Save your input')).toBeVisible();
    await expect(button(page, 'Stay signed in')).toHaveCount(0);
    await button(page, 'Close').click();
    await expect(page.getByText('Save your input')).toHaveCount(0);
  });
});
