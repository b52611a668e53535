import { findBarriers } from '../support/barriers.ts';
import { press } from '../support/keyboard.ts';
import {
  button,
  choose,
  createGate,
  goTo,
  openSignedIn,
  signInWith,
  signOut,
  waitUntilLive,
} from './support/actions.ts';
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

/** Waits until the receiver got this many events. */
async function expectEvents({ events }: Receiver, ids: readonly number[]): Promise<void> {
  const expected = ids.map((id) => `pet.created ${id}`);
  // Up to five are sent at once.
  await expect.poll(() => events.toSorted()).toEqual(expected.toSorted());
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

test('the form of a webhook explains addresses that are refused', async ({ page, shop }) => {
  await page.goto(shop.address('webhooks'));
  await button(page, 'Add a webhook').click();
  const dialog = page.getByRole('dialog');
  for (const [url, reason] of [
    ['shop.example', 'Enter an address that begins with https://'],
    ['https://10.0.0.1/hook', 'have a host name that exists and has public addresses only'],
  ] as const) {
    await dialog.getByLabel('URL').fill(url);
    await page.keyboard.press('Enter');
    await expect(dialog.getByText(reason)).toBeVisible();
  }
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

test('a paused webhook sends nothing until it is resumed, and shows how far it is behind', async ({
  page,
  shop,
  receiver,
}) => {
  await openWebhook(page, shop, receiver);
  await confirm(page, 'Pause', 'Webhook 1 is paused.');
  await expect(page.getByText('Nothing is sent until you resume it.').first()).toBeVisible();
  await addAnimals(shop, 1);
  await expect(page.getByText('after event 0: 1 event behind')).toBeVisible();
  expect(receiver.events).toEqual([]);
  await confirm(page, 'Resume', 'Webhook 1 is resumed.');
  await expectEvents(receiver, [1]);
  await reloadUntil(page, 'after event 1: up to date');
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

test('events are sent again from a number', async ({ page, shop, receiver }) => {
  await openWebhook(page, shop, receiver);
  await addAnimals(shop, 2);
  await expectEvents(receiver, [1, 2]);
  await reloadUntil(page, 'after event 2: up to date');
  await choose(page, 'Replay or skip', 'Webhook 1');
  const number = page.getByLabel('Number of the event');
  await number.fill('99');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Enter a whole number from 0 to 2.')).toBeVisible();
  await number.fill('0');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The position of Webhook 1 is now after event 0.')).toBeVisible();
  await expectEvents(receiver, [1, 1, 2, 2]);
});

test('a paused webhook skips to new events', async ({ page, shop, receiver }) => {
  await openWebhook(page, shop, receiver);
  await confirm(page, 'Pause', 'Webhook 1 is paused.');
  await addAnimals(shop, 1);
  await expect(page.getByText('after event 0: 1 event behind')).toBeVisible();
  await choose(page, 'Replay or skip', 'Webhook 1');
  await page.getByLabel('with new events only').check();
  await button(page, 'Save').click();
  await expect(page.getByText('The position of Webhook 1 is now after event 1.')).toBeVisible();
  await confirm(page, 'Resume', 'Webhook 1 is resumed.');
  await addAnimals(shop, 1);
  await expectEvents(receiver, [2]);
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

test('a replaced secret is shown once, and the old one ends before it is replaced again', async ({
  page,
  shop,
  receiver,
}) => {
  await openWebhook(page, shop, receiver);
  await choose(page, 'Replace the secret', 'Webhook 1');
  await button(page, 'Replace').click();
  await expect(page.getByText('The old secret is also valid until ')).toBeVisible();
  await expect(page.getByLabel('Secret', { exact: true })).toHaveValue(/^whsec_/);
  await button(page, 'Done').click();
  await choose(page, 'Replace the secret', 'Webhook 1');
  await button(page, 'Replace').click();
  const refusal = 'The secret before the last replacement is still valid.';
  await expect(page.getByText(refusal)).toBeVisible();
});

test('a webhook is changed and deleted', async ({ page, shop, receiver }) => {
  await openWebhook(page, shop, receiver);
  await button(page, 'Edit Webhook 1').click();
  const dialog = page.getByRole('dialog');
  for (const name of ['Animals', 'Orders', 'Categories']) await dialog.getByLabel(name).uncheck();
  await dialog.getByLabel('Description').fill('The website');
  expect(await findBarriers(page)).toEqual([]);
  await button(page, 'Save').click();
  await expect(page.getByText('All events')).toBeVisible();
  await expect(page.getByText('The website').first()).toBeVisible();
  await choose(page, 'Delete…', 'Webhook 1');
  await button(page, 'Delete').click();
  await expect(page.getByText('Webhook 1 was deleted.')).toBeVisible();
  await expect(page.getByText('No webhooks yet')).toBeVisible();
});

test('a user who leaves the page before a secret is shown learns to replace it', async ({
  page,
  shop,
  receiver,
}) => {
  await openSignedIn(page, shop.address());
  await goTo(page, 'Webhooks');
  const { opened: left, open: leave } = createGate();
  await page.route('**/v1/webhooks', async (route) => {
    if (route.request().method() === 'POST') await left;
    await route.continue();
  });
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await button(page, 'Add a webhook').click();
  await page.getByLabel('URL').fill(receiver.url);
  await button(page, 'Add').click();
  await sent;
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Animals' })).toBeVisible();
  leave();
  const notice = `The secret of ${receiver.url} was not shown, because`;
  await expect(page.getByText(notice)).toBeVisible();
  await expect(page.getByText('Replace the secret. If the server refuses this, ')).toBeVisible();
});

test('a user learns that the answer with a secret was lost', async ({ page, shop, receiver }) => {
  let isLost = false;
  await page.route('**/v1/webhooks', async (route) => {
    if (isLost || route.request().method() !== 'POST') return route.continue();
    isLost = true;
    await route.fetch();
    return route.abort();
  });
  await page.goto(shop.address('webhooks'));
  await button(page, 'Add a webhook').click();
  await page.getByLabel('URL').fill(receiver.url);
  await button(page, 'Add').click();
  await expect(page.getByText('The answer with the secret of')).toBeVisible();
  await expect(page.getByRole('link', { name: receiver.url, exact: true })).toHaveCount(1);
});

test('a key without the permission for webhooks has no screen of them', async ({ page, shop }) => {
  await signOut(page);
  await signInWith(page, (await shop.addKey('desk', ['pets:read', 'events:read'])).apiKey);
  await waitUntilLive(page);
  await expect(page.getByRole('link', { name: 'Webhooks' })).toHaveCount(0);
  await page.goto(shop.address('webhooks'));
  await expect(page.getByRole('heading', { level: 1, name: 'Animals' })).toBeVisible();
});

test('a key with only the permission for webhooks has only their screen', async ({
  page,
  shop,
}) => {
  await signOut(page);
  await signInWith(page, (await shop.addKey('hooks', ['webhooks:manage'])).apiKey);
  await expect(page.getByText('No webhooks yet')).toBeVisible();
  const screens = page.getByRole('navigation').getByRole('link');
  await expect(screens).toHaveText(['Webhooks']);
});

test('the number of webhooks is limited, and the form says so', async ({
  page,
  shop,
  receiver,
}) => {
  for (let count = 1; count <= 10; count += 1) {
    const added = await shop.call('POST', '/webhooks', { url: receiver.url, types: ['order.*'] });
    expect(added.status).toBe(201);
  }
  await page.goto(shop.address('webhooks'));
  await button(page, 'Add a webhook').click();
  await page.getByLabel('URL').fill(receiver.url);
  await button(page, 'Add').click();
  const refusal = 'The workspace has 10 webhooks, which is the maximum.';
  await expect(page.getByText(refusal)).toBeVisible();
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

test('webhooks that cannot be read are read again with a button', async ({ page, shop }) => {
  const { apiKey } = await shop.addKey('desk', ['pets:read']);
  const headers = { authorization: `Bearer ${apiKey}` };
  const refused = await fetch(`${shop.server.origin}/v1/webhooks`, { headers });
  const json = await refused.json();
  // A failure without an answer would be retried for ten seconds.
  await page.route('**/v1/webhooks', (route) => route.fulfill({ json, status: 403 }));
  await page.goto(shop.address('webhooks'));
  await expect(page.getByText('The webhooks cannot be read')).toBeVisible();
  const reason = 'Your key does not have the permission to manage webhooks';
  await expect(page.getByText(reason)).toBeVisible();
  await page.unroute('**/v1/webhooks');
  await button(page, 'Try again').click();
  await expect(page.getByText('No webhooks yet')).toBeVisible();
});

test('the address of a webhook that does not exist says so', async ({ page, shop, receiver }) => {
  await openWebhook(page, shop, receiver);
  await page.goto(shop.address('webhooks/404'));
  await expect(page.getByText('No webhook has the number 404.')).toBeVisible();
});
