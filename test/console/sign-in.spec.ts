import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  button,
  follow,
  openSignedIn,
  rowOf,
  signInWith,
  signOut,
  waitUntilLive,
} from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

test.use({ isSignedIn: false });

const usedLink = 'The link is incomplete, was used before, or is older than five minutes';

test('a link signs in once', async ({ page, shop }) => {
  const link = await shop.newLink();
  await openSignedIn(page, link);
  await signOut(page);
  await page.goto('about:blank');
  await page.goto(link);
  await expect(page.getByText(usedLink)).toBeVisible();
  await expect(page.getByLabel('API key')).toBeVisible();
});

test('the secret of a link is stored nowhere in the browser', async ({ page, shop }) => {
  const link = await shop.newLink();
  await openSignedIn(page, link);
  const stored = await page.evaluate<string>(
    'JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }])',
  );
  expect(stored).not.toContain(new URL(link).hash.slice('#link='.length));
});

test('a link that was copied without its end is reported, typed or opened', async ({
  page,
  shop,
}) => {
  const cut = (await shop.newLink()).slice(0, -9);
  await page.goto(shop.address());
  await signInWith(page, cut);
  await expect(page.getByRole('alert').filter({ hasText: usedLink })).toBeVisible();
  await page.goto('about:blank');
  await page.goto(cut);
  await expect(page.getByRole('status').filter({ hasText: usedLink })).toBeVisible();
  expect(page.url()).not.toContain('link=');
});

test('a link with the full stop of a sentence after it signs in', async ({ page, shop }) => {
  await openSignedIn(page, `${await shop.newLink()}.`);
});

test('a page over plain HTTP on another machine sends no secret', async ({
  page,
  shop,
  complaints,
}) => {
  const methods = new Set<string>();
  page.on('request', (request) => methods.add(request.method()));
  const link = (await shop.newLink()).replace('127.0.0.1', 'shop.lan');
  for (const address of [link, link.replace(/#.*/, '')]) {
    await page.goto('about:blank');
    await page.goto(address);
    await expect(page.getByText('The console needs HTTPS').first()).toBeVisible();
    await expect(page.getByLabel('API key')).toHaveCount(0);
  }
  expect([...methods]).toEqual(['GET']);
  // Chromium says that it ignores a header there.
  complaints.length = 0;
});

test.describe('a cookie that a page on another port of the host planted', () => {
  /** Plants cookies of the name of the session. */
  async function plant(page: Page, cookies: readonly string[]): Promise<void> {
    const elsewhere = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html>');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/`);
    for (const cookie of cookies) {
      await page.evaluate(`document.cookie = ${JSON.stringify(cookie)}`);
    }
    elsewhere.closeAllConnections();
    elsewhere.close();
  }

  const value = `animal-store-live=${'z'.repeat(43)}; path=/console/v1; max-age=999999`;

  for (const [what, cookies] of [
    ['with the same path', [value]],
    ['without a name, and in a partition', [`=${value}`, `${value}; secure; partitioned`]],
  ] as const) {
    test(`${what} does not keep a user from signing in`, async ({ page, shop }) => {
      await plant(page, cookies);
      expect(await page.context().cookies()).toHaveLength(cookies.length);
      await openSignedIn(page, await shop.newLink());
      await page.reload();
      await waitUntilLive(page);
    });
  }

  test('does not end a session, and sign-out removes it', async ({ page, shop }) => {
    await openSignedIn(page, await shop.newLink());
    await plant(page, [value]);
    await openSignedIn(page, shop.address());
    await signOut(page);
    expect(await page.context().cookies()).toEqual([]);
  });
});

test('a wrong key is refused with the reason', async ({ page, shop }) => {
  await page.goto(shop.address());
  await signInWith(page, 'anst_live_wrong');
  const alert = page.getByRole('alert');
  await expect(alert.filter({ hasText: 'The API key is not valid' })).toBeVisible();
});

test('a session of a key ends on every tab when the key is revoked', async ({ page, shop }) => {
  const { id, apiKey } = await shop.addKey('desk');
  await page.goto(shop.address());
  await signInWith(page, apiKey);
  await waitUntilLive(page);
  const other = await page.context().newPage();
  await openSignedIn(other, shop.address());
  await shop.run('keys', 'revoke', id);
  for (const tab of [page, other]) {
    await expect(tab.getByRole('heading', { name: 'Your session has ended' })).toBeVisible();
  }
});

test('a key does not see keys, and one that only reads has no control that changes data', async ({
  page,
  shop,
}) => {
  await shop.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  const { apiKey } = await shop.addKey('reader', ['pets:read']);
  await page.goto(shop.address());
  await signInWith(page, apiKey);
  await expect(rowOf(page, 'Rex')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Keys' })).toHaveCount(0);
  const controls = ['Skip to the content', 'Reload', 'Sign out', 'Export', 'Print'];
  await expect(page.getByRole('button')).toHaveText(controls);
});

test('a key that may not read events shows the changes of others with a button', async ({
  page,
  shop,
}) => {
  const { apiKey } = await shop.addKey('reader', ['pets:read']);
  await page.goto(shop.address());
  await signInWith(page, apiKey);
  await expect(page.getByText('Changes by others are not shown at once')).toBeVisible();
  await shop.call('POST', '/pets', { name: 'Tom', categoryId: 1 });
  await button(page, 'Reload').click();
  await expect(rowOf(page, 'Tom')).toBeVisible();
});

test.describe('a link that is opened over a session', () => {
  test.beforeEach(async ({ page, shop }) => {
    await page.goto(shop.address());
    await signInWith(page, shop.apiKey);
    await waitUntilLive(page);
  });

  test('replaces it only after a confirmation, and loses no input until then', async ({
    page,
    shop,
  }) => {
    await page.goto(shop.address('categories'));
    await button(page, 'Add a category').click();
    await page.getByLabel('Number', { exact: true }).fill('1234');
    const link = await shop.newLink();
    await follow(page, link);
    const question = page.getByRole('dialog', { name: 'Sign in as owner?' });
    const session = `with the key “first” in the workspace “${shop.workspace}”`;
    await expect(question.getByText(session)).toBeVisible();
    expect(page.url()).toBe(shop.address('categories'));
    await button(page, 'Keep this session').click();
    await expect(page.getByLabel('Number', { exact: true })).toHaveValue('1234');
    // The link was not used.
    await follow(page, link);
    await button(page, 'Sign in as owner').click();
    await expect(page.getByRole('link', { name: 'Keys' })).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('and was used before ends no session, and says so until it is read', async ({
    page,
    shop,
  }) => {
    const link = await shop.newLink();
    await follow(page, link);
    await button(page, 'Sign in as owner').click();
    await expect(page.getByRole('link', { name: 'Keys' })).toBeVisible();
    await page.clock.install();
    await follow(page, link);
    await button(page, 'Sign in as owner').click();
    await expect(page.getByText(usedLink)).toBeVisible();
    await page.clock.runFor(10_000);
    await button(page, 'Dismiss').click();
    await expect(page.getByText(usedLink)).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'Keys' })).toBeVisible();
  });
});
