import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSignedIn, signInWith, signOut, waitUntilLive } from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

test.use({ isSignedIn: false });

test('the secret of a link is stored nowhere in the browser', async ({ page, shop }) => {
  const link = await shop.newLink();
  await openSignedIn(page, link);
  const stored = await page.evaluate<string>(
    'JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }])',
  );
  expect(stored).not.toContain(new URL(link).hash.slice('#link='.length));
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
