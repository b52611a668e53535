import { expect, setDefaultTimeout, test } from 'bun:test';
import { findBarriers } from './support/barriers.ts';
import { openBrowserPage } from './support/browser.ts';
import { openConsolePage } from './support/console-page.ts';
import { press, tabTo } from './support/keyboard.ts';

setDefaultTimeout(120_000);

const ended = { name: 'Your session has ended' };

test.each([
  ['by pointer on a desk, in the light scheme', 1280, 800, 'light', false],
  ['by keyboard on a phone, in the dark scheme', 390, 844, 'dark', true],
] as const)(
  'an owner gives a key a limit, sees all sessions, and ends one or all of them, %s',
  async (_how, width, height, colorScheme, byKeyboard) => {
    await using shop = await openConsolePage({
      browser: { viewport: { width, height }, colorScheme },
    });
    const { page, server, newLink } = shop;
    const dialog = page.getByRole('dialog');
    const activate = async (name: string | RegExp) => {
      if (byKeyboard) await press(page, name);
      else await page.getByRole('button', { name }).or(page.getByRole('link', { name })).click();
    };
    await activate('Keys');
    await activate('Create a key');
    await dialog.getByLabel('Name', { exact: true }).fill('front desk');
    await dialog.getByLabel('Requests at most').fill('1.5');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a whole number of requests, or nothing.').waitFor();
    await dialog.getByLabel('Requests at most').fill('50000');
    await dialog.getByLabel('Per').selectOption('hour');
    await dialog.getByLabel('see events').check();
    if (byKeyboard) await press(page, 'Create');
    else await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const key = await dialog.getByLabel('Key', { exact: true }).inputValue();
    await activate('Done');
    await page.getByText('see animals, see events, at most 50,000 requests per hour').waitFor();

    await using other = await openBrowserPage();
    await other.page.goto(await newLink());
    await other.page.getByText('Live', { exact: true }).waitFor();
    await using desk = await openBrowserPage();
    const signInAtDesk = async () => {
      await desk.page.getByLabel('API key or link').fill(key);
      await desk.page.keyboard.press('Enter');
      await desk.page.getByText('Live', { exact: true }).waitFor();
    };
    await desk.page.goto(`${server.origin}/console`);
    await signInAtDesk();

    await page.route('**/v1/sessions', (route) => route.abort());
    await activate('Sessions');
    await page.getByText('The sessions cannot be read').waitFor();
    await page.unroute('**/v1/sessions');
    await activate('Try again');
    const items = page.getByRole('listitem').filter({ hasText: 'Signed in' });
    await page.getByText('this session').waitFor();
    expect(await items.getByRole('strong').allInnerTexts()).toEqual([
      'Key front desk',
      'Owner',
      'Owner',
    ]);
    expect(await items.filter({ hasText: 'this session' }).getByRole('button').count()).toBe(0);
    expect(await items.first().innerText()).toContain('from 127.0.0.1');
    if (!byKeyboard) expect(await findBarriers(page)).toEqual([]);
    await activate(/^End the session of Key front desk/);
    await page.getByRole('heading', { name: /^End the session of Key front desk from/ }).waitFor();
    if (!byKeyboard) expect(await findBarriers(page)).toEqual([]);
    if (byKeyboard) await press(page, 'End');
    else await dialog.getByRole('button', { name: 'End', exact: true }).click();
    await desk.page.getByRole('heading', ended).waitFor();
    await page.getByText('The session of Key front desk was ended.').waitFor();
    await items.first().getByText('Owner').waitFor();
    expect(await items.count()).toBe(2);

    // A session that has ended since it was listed is no failure.
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.page.getByText('You are signed out.').waitFor();
    await activate(/^End the session of Owner/);
    if (byKeyboard) await press(page, 'End');
    else await dialog.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('The session had ended already.').waitFor();
    await other.page.goto(await newLink());
    await other.page.getByText('Live', { exact: true }).waitFor();

    // A key lists its own sessions only, and ending those of owners leaves it signed in.
    await signInAtDesk();
    await desk.page.getByRole('link', { name: 'Sessions' }).click();
    await desk.page.getByText('this session').waitFor();
    expect(await desk.page.getByText('Last action').count()).toBe(1);
    await other.page.getByRole('link', { name: 'Webhooks' }).click();
    await other.page.getByRole('button', { name: 'Add a webhook' }).click();
    await other.page.getByLabel('URL').fill('https://10.0.0.1/hook');
    await activate('Sign out everywhere');
    await tabTo(page, 'Stay signed in here');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByText('1 session ended.').waitFor();
    await other.page.getByRole('heading', ended).waitFor();

    // A dialog that was open at the end works after the next sign-in.
    await other.page.getByLabel('API key or link').fill(await newLink());
    await other.page.keyboard.press('Enter');
    await other.page.getByRole('button', { name: 'Add', exact: true }).click();
    await other.page
      .getByText('The URL must begin with https:// and have a host name that exists')
      .waitFor();
    await desk.page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await desk.page
      .getByRole('dialog')
      .getByRole('button', { name: 'Sign out everywhere' })
      .click();
    await desk.page.getByText('You are signed out.').waitFor();
    expect(await desk.page.locator('pre').innerText()).toBe('animal-store console');
    await page.getByText('this session').waitFor();
    expect(shop.complaints.filter((text) => !text.startsWith('Failed to load'))).toEqual([]);
  },
);
