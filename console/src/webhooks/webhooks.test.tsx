import { expect, test } from 'bun:test';
import { screen } from '@testing-library/dom';
import { act, choose, click, openPage, see, seeNoDialog, type } from '../../test/open-page.tsx';

const url = 'https://shop.example/events';
const fill = (call: (method: string, path: string, body: object) => Promise<unknown>) =>
  call('POST', '/webhooks', { url, types: ['pet.*'] });

test('a webhook is added once, with its secret, which is shown once', async () => {
  const page = await openPage({ at: 'webhooks' });
  await click('Add a webhook');
  await type('URL', 'shop.example');
  await click('Add');
  await see('Enter an address that begins with https://');
  await type('URL', url);
  await click(/animals/i, 'checkbox');
  await type('Description', 'Shop');
  await click('Add');
  const secret = (await screen.findByLabelText<HTMLTextAreaElement>('Secret')).value;
  expect(secret).toStartWith('whsec_');
  await click('Done');
  await seeNoDialog();
  expect(await page.call('GET', '/webhooks')).toMatchObject([
    { url, types: ['pet.*'], description: 'Shop' },
  ]);
});

test('a webhook is edited, paused, resumed, and continues at an event', async () => {
  const page = await openPage({ at: 'webhooks/1', fill });
  const current = async () => (await page.call('GET', '/webhooks')) as object[];
  await click('Edit Webhook 1');
  await type('Description', 'Website');
  await click('Save');
  await see('Webhook 1 was saved.');
  expect(await current()).toMatchObject([{ description: 'Website', types: ['pet.*'] }]);
  await click('Pause Webhook 1');
  await click('Pause');
  await see('Webhook 1 is paused.');
  await click('Resume Webhook 1');
  await click('Resume');
  await see('Webhook 1 is resumed.');
  await act('Replay or skip', 'Webhook 1');
  await click('after an event', 'radio');
  await type('Number of the event', '-1');
  await click('Save');
  await see(/Enter a whole number/);
  await type('Number of the event', '0');
  await click('Save');
  await see('The position of Webhook 1 is now after event 0.');
});

test('a secret is replaced, and a webhook deleted', async () => {
  const page = await openPage({ at: 'webhooks/1', fill });
  await act('Replace the secret', 'Webhook 1');
  await choose('The old secret expires', 'at once');
  await click('Replace');
  await click('Done');
  await act('Delete…', 'Webhook 1');
  await click('Delete');
  await see('Webhook 1 was deleted.');
  expect(await page.call('GET', '/webhooks')).toEqual([]);
});

test('a test of a webhook shows that no program answers at its address', async () => {
  await openPage({
    at: 'webhooks/1',
    fill: (call) => call('POST', '/webhooks', { url: 'http://127.0.0.1:9/' }),
  });
  await click('Test Webhook 1');
  await see(/No connection/);
  await click('Test again');
  await see(/No connection/);
});
