import { findBarriers } from '../support/barriers.ts';
import { press } from '../support/keyboard.ts';
import { button } from './support/actions.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';
import { test as base, expect, type Page, type Shop } from './support/shop.ts';

const test = base.extend<{ receiver: Receiver }>({
  receiver: async ({ browserName: _ }, use) => {
    using receiver = await startReceiver();
    await use(receiver);
  },
});

const webhookEvents = ['pet.*', 'order.*', 'category.*'];

/** Adds a webhook as a program does, and opens its page. */
async function openWebhook(page: Page, shop: Shop, { url }: Receiver): Promise<void> {
  const added = await shop.call('POST', '/webhooks', { url, types: webhookEvents });
  expect(added.status).toBe(201);
  await page.goto(shop.address('webhooks/1'));
  await button(page, 'Test Webhook 1').waitFor();
}

async function addAnimals({ call }: Shop, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    await call('POST', '/pets', { name: `Pet ${index}`, categoryId: 1 });
  }
}

/** The page of a webhook does not show the state of deliveries at once. */
async function reloadUntil(page: Page, text: string): Promise<void> {
  await expect(async () => {
    await button(page, 'Reload').click();
    await expect(page.getByText(text)).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 20_000 });
}

/** Presses a button that asks, and confirms. */
async function confirm(page: Page, action: string, result: string): Promise<void> {
  await button(page, `${action} Webhook 1`).click();
  await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
  await expect(page.getByText(result)).toBeVisible();
}

/** Counts the answers to a page that contain a secret of a webhook. */
function countSecrets(page: Page): () => Promise<number> {
  const texts: Promise<string>[] = [];
  page.on('response', (response) => {
    if (!/console\/v1\/webhooks/.test(response.url())) return;
    // The body of an answer that the page no longer needs cannot be read.
    texts.push(response.text().catch(() => ''));
  });
  return async () => (await Promise.all(texts)).filter((text) => text.includes('whsec_')).length;
}

test.describe('adding a webhook', () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });

  test('shows its secret once, by keyboard on a phone', async ({ page, shop, receiver }) => {
    const secretCount = countSecrets(page);
    await page.goto(shop.address('webhooks'));
    await press(page, 'Add a webhook');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByLabel('Animals').check();
    await press(page, 'Add');
    await expect(dialog.getByLabel('Secret', { exact: true })).toHaveValue(/^whsec_/);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await press(page, 'Done');
    await expect(page.getByText('up to date')).toBeVisible();
    expect(await findBarriers(page)).toEqual([]);
    await page.reload();
    await press(page, receiver.url);
    await expect(page.getByText('Nothing was sent in the last 30 days.')).toBeVisible();
    expect(await page.locator('body').innerText()).not.toContain('whsec_');
    expect(await secretCount()).toBe(1);
    expect(await findBarriers(page)).toEqual([]);
  });
});

test('a test of a webhook shows what its program answered', async ({ page, shop, receiver }) => {
  await openWebhook(page, shop, receiver);
  const dialog = page.getByRole('dialog');
  await button(page, 'Test Webhook 1').click();
  await expect(dialog.getByText('Answer 200, ')).toBeVisible();
  Object.assign(receiver.answer, { httpStatus: 503, text: 'out of order' });
  await button(page, 'Test again').click();
  await expect(dialog.getByText('Answer 503, ')).toBeVisible();
  await dialog.getByText('Text of the answer').click();
  await expect(dialog.getByText('out of order')).toBeVisible();
  expect(receiver.events).toEqual(['webhook.test', 'webhook.test']);
});

test('a webhook lists its deliveries with their answers, older ones with a button', async ({
  page,
  shop,
  receiver,
}) => {
  await openWebhook(page, shop, receiver);
  await addAnimals(shop, 25);
  // A delivery is stored after its answer.
  const readCount = async () =>
    ((await shop.read('/webhooks/1/deliveries?limit=100')) as unknown[]).length;
  await expect.poll(readCount).toBe(25);
  await button(page, 'Reload').click();
  const items = page.getByRole('region', { name: 'Deliveries' }).getByRole('listitem');
  await expect(items).toHaveCount(20);
  await expect(items.first()).toHaveText(/Attempt 1\s*evt_\d+_\w{8}\s*Answer 200, [\d,]+ ms/);
  await button(page, 'Show more').click();
  await expect(items).toHaveCount(25);
  await expect(button(page, 'Show more')).toHaveCount(0);
});

test('a position before the oldest event names the numbers that are left', async ({
  page,
  shop,
  receiver,
}) => {
  await openWebhook(page, shop, receiver);
  await confirm(page, 'Pause', 'Webhook 1 is paused.');
  await addAnimals(shop, 12);
  const ofShop = `(SELECT id FROM workspaces WHERE name = '${shop.workspace}')`;
  await shop.query(`DELETE FROM events WHERE sequence <= 10 AND workspace_id = ${ofShop}`);
  await button(page, 'Resume Webhook 1').click();
  await button(page, 'Resume').click();
  await expect(page.getByText('choose a number from 10 to that of the newest event')).toBeVisible();
});

test('a program that accepts no events is shown, and again after a test that it accepted', async ({
  page,
  shop,
  receiver,
}) => {
  await openWebhook(page, shop, receiver);
  receiver.answer.httpStatus = 500;
  await addAnimals(shop, 5);
  await reloadUntil(page, 'The program does not accept events.');
  receiver.answer.httpStatus = 200;
  await button(page, 'Test Webhook 1').click();
  await expect(page.getByText('Answer 200, ').last()).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await reloadUntil(page, 'Events are sent as they happen.');
});
