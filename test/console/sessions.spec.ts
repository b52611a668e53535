import { type Browser, expect, type Page } from '@playwright/test';
import { press, tabTo } from '../support/keyboard.ts';
import { button, openSignedIn, signInWith, signOut, waitUntilLive } from './support/actions.ts';
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
  await page.getByRole('link', { name: 'Sessions' }).click();
  await items(page).first().waitFor();
}

const hasEnded = (page: Page) => page.getByRole('heading', { name: 'Your session has ended' });

test('an owner sees each session with its user and address, and cannot end the own one there', async ({
  page,
  shop,
  browser,
}) => {
  await using owner = await openElsewhere(browser, shop, await shop.newLink());
  await using desk = await openElsewhere(browser, shop, shop.apiKey);
  await openSessions(page);
  await expect(items(page).getByRole('strong')).toHaveText(['Key first', 'Owner', 'Owner']);
  await expect(items(page).first()).toContainText('from 127.0.0.1');
  const own = items(page).filter({ hasText: 'this session' });
  await expect(own).toHaveCount(1);
  await expect(own.getByRole('button')).toHaveCount(0);
  expect([owner, desk].map((other) => other.isClosed())).toEqual([false, false]);
});

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

test('a session that has ended since it was listed is no failure', async ({
  page,
  shop,
  browser,
}) => {
  await using desk = await openElsewhere(browser, shop, shop.apiKey);
  await openSessions(page);
  const end = page.getByRole('button', { name: /^End the session of Key first/ });
  await end.waitFor();
  await signOut(desk);
  await end.click();
  await button(page, 'End').click();
  await expect(page.getByText('The session had ended already.')).toBeVisible();
});

test('an owner signs out everywhere else by keyboard, and keys stay signed in', async ({
  page,
  shop,
  browser,
}) => {
  await using owner = await openElsewhere(browser, shop, await shop.newLink());
  await using desk = await openElsewhere(browser, shop, shop.apiKey);
  await press(page, 'Sessions');
  await press(page, 'Sign out everywhere');
  await tabTo(page, 'Stay signed in here');
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 session ended.')).toBeVisible();
  await expect(hasEnded(owner)).toBeVisible();
  await expect(button(desk, 'Sign out')).toBeVisible();
});

test('a key that signs out everywhere learns how an owner signs in', async ({
  page,
  shop,
  browser,
}) => {
  await using desk = await openElsewhere(browser, shop, shop.apiKey);
  await openSessions(desk);
  await expect(items(desk)).toHaveCount(1);
  await button(desk, 'Sign out everywhere').click();
  await desk.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(desk.getByText('You are signed out.')).toBeVisible();
  await expect(desk.locator('pre')).toHaveText('animal-store console');
  await expect(button(page, 'Sign out')).toBeVisible();
});

test('sessions that cannot be read are read again with a button', async ({ page, shop }) => {
  await page.route('**/v1/sessions', (route) => route.abort());
  await page.goto(shop.address('sessions'));
  await expect(page.getByText('The sessions cannot be read')).toBeVisible();
  await page.unroute('**/v1/sessions');
  await button(page, 'Try again').click();
  await expect(items(page)).toHaveCount(1);
});

test('older sessions are shown with a button, and stay when one is ended', async ({
  page,
  shop,
  bun,
}) => {
  await bun.addSessions(shop.server.databaseUrl, 120);
  await openSignedIn(page, shop.address());
  await openSessions(page);
  await expect(items(page)).toHaveCount(100);
  await button(page, 'Show more').click();
  await expect(items(page)).toHaveCount(121);
  const ended = items(page).filter({ hasText: '192.0.2.119' });
  await ended.getByRole('button').click();
  await button(page, 'End').click();
  await expect(ended).toHaveCount(0);
  await expect(items(page)).toHaveCount(120);
});
