import { expect, test } from 'bun:test';
import { screen, waitFor } from '@testing-library/dom';
import {
  act,
  choose,
  click,
  goTo,
  openPage,
  see,
  seeNoDialog,
  type,
} from '../../test/open-page.tsx';

const url = 'https://shop.example/events';
const fill = (call: (method: string, path: string, body: object) => Promise<unknown>) =>
  call('POST', '/webhooks', { url, types: ['pet.*'] });

test('a webhook is added once, with its secret, which is shown once', async () => {
  const page = await openPage({ at: 'webhooks' });
  await click('Add a webhook');
  await type('URL', 'shop.example');
  await click('Add');
  await see('Enter an address that begins with https://');
  await type('URL', 'https://10.0.0.1/hook');
  await click('Add');
  await see(/Its host name must exist and have public addresses only/);
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
  await click('Animals', 'checkbox');
  await click('Save');
  await see('Webhook 1 was saved.');
  await see('All events');
  expect(await current()).toMatchObject([{ description: 'Website' }]);
  await click('Pause Webhook 1');
  await click('Pause');
  await see('Webhook 1 is paused.');
  await page.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await see('after event 0: 1 event behind');
  await act('Replay or skip', 'Webhook 1');
  await click('with new events only', 'radio');
  await click('Save');
  await see('The position of Webhook 1 is now after event 1.');
  await click('Resume Webhook 1');
  await click('Resume');
  await see('Webhook 1 is resumed.');
  await act('Replay or skip', 'Webhook 1');
  await click('after an event', 'radio');
  await type('Number of the event', '-1');
  await click('Save');
  await see('Enter a whole number from 0 to 1.');
  await type('Number of the event', '0');
  await click('Save');
  await see('The position of Webhook 1 is now after event 0.');
});

test('a secret is replaced, after the old one has ended, and a webhook deleted', async () => {
  const page = await openPage({ at: 'webhooks/1', fill });
  await act('Replace the secret', 'Webhook 1');
  await click('Replace');
  await see(/^The old secret is also valid until/);
  await click('Done');
  await act('Replace the secret', 'Webhook 1');
  await click('Replace');
  await see(/^The secret before the last replacement is still valid/);
  await click('Cancel');
  await act('Replace the secret', 'Webhook 1');
  await choose('The old secret expires', 'at once');
  await click('Replace');
  await click('Done');
  await act('Delete…', 'Webhook 1');
  await click('Delete');
  await see('Webhook 1 was deleted.');
  await see('No webhooks yet');
  expect(await page.call('GET', '/webhooks')).toEqual([]);
});

test.each(['lost', 'replaced'] as const)(
  'a webhook whose answer was %s is added once, and the user learns to replace its secret',
  async (how) => {
    const page = await openPage({ at: 'webhooks' });
    await click('Add a webhook');
    await type('URL', url);
    page[how] = /POST .webhooks/;
    await click('Add');
    if (how === 'replaced') {
      await see(/^A proxy or another program answered in place of the server/);
      expect(screen.getByLabelText('URL').closest('fieldset')?.disabled).toBe(true);
      await click('Add');
    }
    await see(/^The answer with the secret of .* was lost/);
    expect(await page.call('GET', '/webhooks')).toHaveLength(1);
  },
);

test('a user who leaves the page before a secret is shown learns to replace it', async () => {
  const page = await openPage({ at: 'webhooks' });
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  page.held = { line: /POST .webhooks/, until };
  await click('Add a webhook');
  await type('URL', url);
  await click('Add');
  await waitFor(() => expect(page.requests).toContain('POST /webhooks'));
  await goTo('animals');
  // The form is gone.
  await see('No animals yet');
  release();
  await see(/^The secret of .* was not shown, because/);
});

test('the number of webhooks is limited, and the form says so', async () => {
  await openPage({
    at: 'webhooks',
    async fill(call) {
      for (let count = 1; count <= 10; count += 1) await fill(call);
    },
  });
  await click('Add a webhook');
  await type('URL', url);
  await click('Add');
  await see(/The workspace has 10 webhooks, which is the maximum/);
});

test('the address of a webhook that does not exist says so', async () => {
  await openPage({ at: 'webhooks/404', fill });
  await see(/^No webhook has the number 404/);
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
