import { type Browser, expect, type Page } from '@playwright/test';
import { button, chooseSetting, signInWith, waitUntilLive } from './support/actions.ts';
import { type Shop, test } from './support/shop.ts';

// Only the sessions of one test are on its server.
test.use({ ownServer: { args: [] } });

const items = (page: Page) => page.getByRole('listitem').filter({ hasText: 'Signed in' });

/** Signs in in another browser. */
async function openElsewhere(browser: Browser, { address }: Shop, secret: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(address());
  await signInWith(page, secret);
  await waitUntilLive(page);
  return page;
}

async function openSessions(page: Page): Promise<void> {
  await chooseSetting(page, 'Sessions');
  await items(page).first().waitFor();
}

const hasEnded = (page: Page) => page.getByRole('heading', { name: 'Your session has ended' });

test('an owner ends the session of a key, whose page is locked at once', async ({
  page,
  shop,
  browser,
}) => {
  await using desk = await openElsewhere(browser, shop, shop.apiKey);
  await openSessions(page);
  await page.getByRole('button', { name: /^End the session of Key first/ }).click();
  await page.getByRole('dialog', { name: /^End the session of Key first from/ }).waitFor();
  await button(page, 'End').click();
  await expect(hasEnded(desk)).toBeVisible();
  await expect(page.getByText('The session of Key first was ended.')).toBeVisible();
  await expect(items(page)).toHaveCount(1);
});
