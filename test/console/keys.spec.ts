import { button, goTo } from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

const itemOf = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

test('an owner creates a key with a limit, which is listed with its permissions', async ({
  page,
  shop,
}) => {
  await goTo(page, 'Keys');
  await button(page, 'Create a key').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('front desk');
  await dialog.getByLabel('Requests at most').fill('50000');
  await dialog.getByLabel('Per').selectOption('hour');
  await dialog.getByLabel('see events').check();
  await button(page, 'Create').click();
  const apiKey = await dialog.getByLabel('Key', { exact: true }).inputValue();
  await button(page, 'Done').click();
  const facts = 'see animals, see events, at most 50,000 requests per hour';
  await expect(itemOf(page, 'front desk')).toContainText(facts);
  const authorization = `Bearer ${apiKey}`;
  const answer = await fetch(`${shop.server.origin}/v1/pets`, { headers: { authorization } });
  expect(answer.status).toBe(200);
});

test('a limit that is no whole number is refused before it is sent', async ({ page, shop }) => {
  await page.goto(shop.address('keys'));
  await button(page, 'Create a key').click();
  await page.getByLabel('Name', { exact: true }).fill('front desk');
  await page.getByLabel('Requests at most').fill('1.5');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Enter a whole number of requests, or nothing.')).toBeVisible();
});

test('older keys are shown with a button, and stay when one is revoked', async ({
  page,
  shop,
  bun,
}) => {
  await bun.addKeys(shop.server.databaseUrl, shop.workspace, 150);
  await page.goto(shop.address('keys'));
  await expect(itemOf(page, 'Key 150')).toBeVisible();
  await expect(itemOf(page, 'Key ')).toHaveCount(100);
  await button(page, 'Show more').click();
  await expect(itemOf(page, 'first')).toBeVisible();
  await expect(button(page, 'Show more')).toHaveCount(0);
  await button(page, 'Revoke Key 7').click();
  await button(page, 'Revoke').click();
  await expect(itemOf(page, 'Key 7revoked')).toHaveCount(1);
  await expect(itemOf(page, 'Last 4 characters')).toHaveCount(151);
});
