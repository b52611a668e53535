import { Database as Connection } from 'bun:sqlite';
import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { findBarriers } from './support/barriers.ts';
import { openConsolePage } from './support/console-page.ts';
import { press } from './support/keyboard.ts';
import { type Receiver, startReceiver } from './support/webhook-receiver.ts';

setDefaultTimeout(120_000);

type Viewport = NonNullable<Parameters<typeof openConsolePage>[0]>['browser'];

/** The console of a server that may call the receiver. */
function openShop(receiver: Receiver, browser: Viewport = {}) {
  const serve = ['--webhook-allow', new URL(receiver.url).host];
  return openConsolePage({ browser, serve });
}

/** A receiver whose answer the test sets, and which waits for requests. */
function startWaitingReceiver() {
  let waiting = { count: 0, resolve() {} };
  const state = { httpStatus: 200, text: 'thank you' };
  const receiver = startReceiver({
    answer(_request, count) {
      if (count >= waiting.count) waiting.resolve();
      return new Response(state.text, { status: state.httpStatus });
    },
  });
  return {
    receiver,
    state,
    /** Types and records of the events, in the order in which they arrived. */
    events: () =>
      receiver.received.map(({ body }) => {
        const { type, data } = JSON.parse(body);
        return `${type} ${data.id ?? ''}`.trim();
      }),
    async receives(count: number): Promise<void> {
      if (receiver.received.length >= count) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = { count, resolve };
      await promise;
    },
  };
}

/** Counts the answers to a page that contain a secret of a webhook. */
function countSecrets(page: Page): () => Promise<number> {
  const texts: Promise<string>[] = [];
  page.on('response', (response) => {
    // A stream does not end.
    if (!/console\/v1\/webhooks/.test(response.url())) return;
    texts.push(response.text().catch(() => ''));
  });
  return async () => (await Promise.all(texts)).filter((text) => text.includes('whsec_')).length;
}

async function refusalOf(answer: Promise<Response>) {
  const response = await answer;
  expect(response.status).toBe(403);
  return { json: await response.json(), status: response.status };
}

test('an owner adds a webhook, tests, pauses, replays and deletes it, and sees its deliveries, by keyboard on a phone', async () => {
  const { receiver, state, events, receives } = startWaitingReceiver();
  using _receiver = receiver;
  await using shop = await openShop(receiver, {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
  });
  const { page, call } = shop;
  const dialog = page.getByRole('dialog');
  const secretCount = countSecrets(page);
  const activate = (name: string) => press(page, name);
  const barriers: string[] = [];
  const check = async () => {
    barriers.push(...(await findBarriers(page)));
  };
  const addAnimal = (name: string) => call('POST', '/pets', { name, categoryId: 1 });

  // A failure without an answer would be retried for ten seconds.
  const { json, status } = await refusalOf(call('GET', '/webhooks'));
  await page.route('**/v1/webhooks', (route) => route.fulfill({ json, status }));
  await activate('Webhooks');
  await page.getByText('The webhooks cannot be read').waitFor();
  await page.getByText('Your key does not have the permission to manage webhooks').waitFor();
  await page.unroute('**/v1/webhooks');
  await activate('Try again');
  await page.getByText('No webhooks yet').waitFor();
  await activate('Add a webhook');
  await dialog.getByLabel('URL').fill('shop.example');
  await page.keyboard.press('Enter');
  await dialog.getByText('Enter an address that begins with https://').waitFor();
  await dialog.getByLabel('URL').fill('https://10.0.0.1/hook');
  await page.keyboard.press('Enter');
  const refused =
    'The URL must begin with https:// and have a host name that exists and has public addresses only, and port 443 or';
  await dialog.getByText(refused).waitFor();
  await check();
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByLabel('Animals').check();
  await activate('Add');

  // The secret is shown until the user has it, and never again.
  const secret = await dialog.getByLabel('Secret').inputValue();
  expect(secret).toStartWith('whsec_');
  await check();
  await page.keyboard.press('Escape');
  await activate('Done');
  receiver.setSecret(secret);
  await page.getByText('up to date').waitFor();
  await check();
  await page.reload();
  await activate(receiver.url);
  await page.getByText('Nothing was sent in the last 30 days.').waitFor();
  expect(await page.locator('body').innerText()).not.toContain('whsec_');
  expect(await secretCount()).toBe(1);

  await activate('Test Webhook 1');
  await dialog.getByText('Answer 200, ').waitFor();
  Object.assign(state, { httpStatus: 503, text: 'out of order' });
  await activate('Test again');
  await dialog.getByText('Answer 503, ').waitFor();
  await dialog.getByText('Text of the answer').click();
  await dialog.getByText('out of order').waitFor();
  await check();
  await activate('Close');
  expect(events()).toEqual(['webhook.test', 'webhook.test']);

  Object.assign(state, { httpStatus: 200, text: 'thank you' });
  await activate('Pause Webhook 1');
  await activate('Pause');
  await page.getByText('Webhook 1 is paused.').waitFor();
  await page.getByText('Nothing is sent until you resume it.', { exact: true }).waitFor();
  await addAnimal('Rex');
  await page.getByText('after event 0: 1 event behind').waitFor();
  await activate('Resume Webhook 1');
  await activate('Resume');
  await receives(3);
  await page.getByText('Webhook 1 is resumed.').waitFor();
  await addAnimal('Tom');
  await receives(4);
  const deliveries = page.getByRole('region', { name: 'Deliveries' }).getByRole('listitem');
  while ((await deliveries.count()) < 2) await activate('Reload');
  while ((await page.getByText('after event 2: up to date').count()) === 0) {
    await activate('Reload');
  }
  expect(await deliveries.first().innerText()).toMatch(
    /Attempt 1\s+evt_2_\w{8}\s+Answer 200, [\d,]+ ms\s+Text of the answer/,
  );
  await check();

  // Events are sent again, and one is skipped.
  await activate('Replay or skip Webhook 1');
  await dialog.getByLabel('Number of the event').fill('99');
  await page.keyboard.press('Enter');
  await dialog.getByText('Enter a whole number from 0 to 2.').waitFor();
  await dialog.getByLabel('Number of the event').fill('0');
  await page.keyboard.press('Enter');
  await page.getByText('The position of Webhook 1 is now after event 0.').waitFor();
  await receives(6);
  while ((await deliveries.count()) < 4) await activate('Reload');
  await activate('Pause Webhook 1');
  await activate('Pause');
  await page.getByText('Webhook 1 is paused.').waitFor();
  await addAnimal('Skipped');
  await page.getByText('after event 2: 1 event behind').waitFor();
  await activate('Replay or skip Webhook 1');
  await dialog.getByLabel('with new events only').check();
  await activate('Save');
  await page.getByText('The position of Webhook 1 is now after event 3.').waitFor();
  await activate('Resume Webhook 1');
  await activate('Resume');
  await page.getByText('Webhook 1 is resumed.').waitFor();

  await activate('Replace the secret Webhook 1');
  await check();
  await activate('Replace');
  await dialog.getByText('The old secret is also valid until ').waitFor();
  const newSecret = await dialog.getByLabel('Secret').inputValue();
  expect([newSecret.startsWith('whsec_'), newSecret === secret]).toEqual([true, false]);
  await activate('Done');
  await addAnimal('Mia');
  await receives(7);
  receiver.setSecret(newSecret);
  await addAnimal('Zoe');
  await receives(8);
  // Up to five are sent at once.
  const sent = [...events().slice(2, 4), ...events().slice(4, 6).toSorted(), ...events().slice(6)];
  expect(sent).toEqual([1, 2, 1, 2, 4, 5].map((id) => `pet.created ${id}`));
  expect(receiver.received.map(({ isSigned }) => isSigned)).not.toContain(false);
  await activate('Replace the secret Webhook 1');
  await activate('Replace');
  await dialog.getByText('The secret before the last replacement is still valid.').waitFor();
  await activate('Cancel');

  await activate('Edit Webhook 1');
  await dialog.getByLabel('Animals').uncheck();
  await dialog.getByLabel('Description').fill('The website');
  await check();
  await activate('Save');
  await page.getByText('All events').waitFor();
  await activate('Delete… Webhook 1');
  await check();
  await activate('Delete');
  await page.getByText('Webhook 1 was deleted.').waitFor();
  await page.getByText('No webhooks yet').waitFor();
  expect(await secretCount()).toBe(2);
  expect(barriers).toEqual([]);
  expect(shop.complaints.filter((text) => !text.startsWith('Failed to load'))).toEqual([]);
});

test('an owner who leaves the page before a secret is shown learns what to do, and tests and deletes the webhook by pointer', async () => {
  const { receiver } = startWaitingReceiver();
  using _receiver = receiver;
  await using shop = await openShop(receiver);
  const { page } = shop;
  const dialog = page.getByRole('dialog');
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const sent = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  await page.route('**/v1/webhooks', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    sent.resolve();
    await left.promise;
    return route.continue();
  });
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await click('Add a webhook');
  await dialog.getByLabel('URL').fill(receiver.url);
  await click('Add');
  await sent.promise;
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Animals' }).waitFor();
  left.resolve();
  await page.getByText(`The secret of ${receiver.url} was not shown, because`).waitFor();
  await page.getByText('Replace the secret. If the server refuses this, ').waitFor();
  await click('Dismiss');

  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('link', { name: receiver.url }).click();
  await click('Test Webhook 1');
  await dialog.getByText('Answer 200, ').waitFor();
  await dialog.getByText('Close', { exact: true }).click();
  await click('Delete… Webhook 1');
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Webhook 1 was deleted.').waitFor();
  expect(shop.complaints).toEqual([]);
});

test('a key manages webhooks only with this permission, and learns why something is not possible', async () => {
  const { receiver, state, receives } = startWaitingReceiver();
  using _receiver = receiver;
  await using shop = await openShop(receiver);
  const { page, databaseUrl, call, server } = shop;
  const dialog = page.getByRole('dialog');
  const signIn = async (apiKey: string) => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key or link').fill(apiKey);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  };
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('button', { name: 'Create a key' }).click();
  const scope = dialog.getByLabel('manage webhooks, and read events of all kinds with them');
  expect(await scope.isChecked()).toBe(false);
  await dialog.getByLabel('Name', { exact: true }).fill('hooks');
  await dialog.getByLabel('see animals').uncheck();
  await scope.check();
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  const apiKey = await dialog.getByLabel('Key', { exact: true }).inputValue();
  await dialog.getByRole('button', { name: 'Done' }).click();

  await signIn(server.firstKey ?? '');
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
  await page.goto(`${server.origin}/console/w/default/#webhooks`);
  await page.getByRole('heading', { level: 1, name: 'Animals' }).waitFor();

  // Another user's page: nothing of the first one is left.
  await signIn(apiKey);
  await page.getByText('No webhooks yet').waitFor();
  expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
    'Webhooks',
  ]);
  // The answer with the secret is lost on its way.
  let isLost = false;
  await page.route('**/v1/webhooks', async (route) => {
    if (isLost || route.request().method() !== 'POST') return route.continue();
    isLost = true;
    await route.fetch();
    return route.abort();
  });
  const add = async () => {
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  };
  await add();
  await page.getByText('The answer with the secret of').waitFor();
  await page.getByRole('listitem').getByText('after event 0').waitFor();
  for (let count = 2; count <= 10; count += 1) {
    const body = JSON.stringify({ url: receiver.url, types: ['order.*'] });
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const added = await fetch(`${server.origin}/v1/webhooks`, { method: 'POST', headers, body });
    expect(added.status).toBe(201);
  }
  await add();
  await dialog.getByText('The workspace has 10 webhooks, which is the maximum.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  for (let count = 1; count <= 25; count += 1) {
    await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  }
  await receives(25);
  // The page does not follow events. A delivery is stored after its answer.
  const readDeliveries = async () => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${server.origin}/v1/webhooks/1/deliveries?limit=100`, {
      headers,
    });
    return (await response.json()) as unknown[];
  };
  while ((await readDeliveries()).length < 25);
  await page.goto(`${server.origin}/console/w/default/#webhooks/1`);
  const items = page.getByRole('region', { name: 'Deliveries' }).getByRole('listitem');
  await items.nth(19).waitFor();
  expect(await items.count()).toBe(20);
  await page.getByRole('button', { name: 'Show more' }).click();
  await items.nth(24).waitFor();
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);

  // Without events, the page is loaded again by hand.
  const reloadUntil = async (text: string) => {
    while ((await page.getByText(text).count()) === 0) {
      await page.getByRole('button', { name: 'Reload' }).click();
    }
  };
  state.httpStatus = 500;
  for (let count = 1; count <= 5; count += 1) {
    await call('POST', '/pets', { name: 'Tom', categoryId: 1 });
  }
  await receives(30);
  await reloadUntil('The program does not accept events.');
  state.httpStatus = 200;
  await page.getByRole('button', { name: 'Test Webhook 1' }).click();
  await dialog.getByText('Answer 200, ').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await reloadUntil('Events are sent as they happen.');

  const confirm = async (action: string, result: string) => {
    await page.getByRole('button', { name: `${action} Webhook 1` }).click();
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await page.getByText(result).waitFor();
  };
  await confirm('Pause', 'Webhook 1 is paused.');
  await page.getByRole('button', { name: 'Replay or skip Webhook 1' }).click();
  await dialog.getByLabel('Number of the event').fill('5');
  await page.keyboard.press('Enter');
  await page.getByText('The position of Webhook 1 is now after event 5.').waitFor();
  using connection = new Connection(databaseUrl.replace('sqlite:', ''));
  connection.run('PRAGMA busy_timeout = 5000');
  connection.run('DELETE FROM events WHERE sequence <= 10');
  await confirm('Resume', 'choose a number from 10 to that of the newest event');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.goto(`${server.origin}/console/w/default/#webhooks/404`);
  await page.getByText('No webhook has the number 404.').waitFor();
});
