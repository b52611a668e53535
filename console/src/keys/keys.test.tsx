import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { choose, click, has, openPage, see, seeNoDialog, type } from '../../test/open-page.tsx';

test('a key is created with a name and a permission, is shown once, replaced and revoked', async () => {
  await openPage({ at: 'keys' });
  await click('Create a key');
  await click('see animals', 'checkbox');
  await type('Requests at most', '1.5');
  await click('Create');
  await see('Enter a name, such as that of the program.');
  await see('Choose at least one permission.');
  await see('Enter a whole number of requests, or nothing.');
  await type('Name', 'Website');
  await type('Requests at most', '50000');
  await choose('Per', 'hour');
  await click('change animals', 'checkbox');
  await see(/never put it into a web page/);
  await choose('Expires', 'in a week');
  await click('Create');
  const secret = (await screen.findByLabelText<HTMLTextAreaElement>('Key')).value;
  expect(secret).toStartWith('anst_');
  // Escape would lose it.
  fireEvent(screen.getByRole('dialog'), new Event('cancel', { cancelable: true }));
  await click('Done');
  await see(/change animals, at most 50,000 requests per hour/);
  expect(document.body.textContent).not.toContain(secret);

  await click('Replace Website');
  await choose('The old key expires', 'at once');
  await click('Replace');
  expect((await screen.findByLabelText<HTMLTextAreaElement>('Key')).value).not.toBe(secret);
  await click('Done');
  await click('Revoke Website');
  await click('Revoke');
  await see('The key Website is revoked.');
  await seeNoDialog();
});

test('a key whose answer was lost is not created again, and the user learns what to do', async () => {
  const page = await openPage({ at: 'keys' });
  await click('Create a key');
  await type('Name', 'Website');
  page.lost = /POST/;
  await click('Create');
  await see(/the key may exist without its secret. Close this dialog/);
  expect(page.requests.filter((line) => line === 'POST /keys').length).toBe(1);
});

test('older keys are shown with a button, and stay when one is revoked', async () => {
  const page = await openPage({ at: 'keys', scopes: null });
  for (let count = 1; count <= 105; count += 1) await page.newKey(['pets:read']);
  await type('API key or link', `#link=${await page.newLink()}`);
  await click('Sign in');
  const shown = () => screen.queryAllByText(/^Last 4 characters/).length;
  await waitFor(() => expect(shown()).toBe(100));
  await click('Show more');
  await waitFor(() => expect(shown()).toBeGreaterThan(104));
  const count = shown();
  expect(has('Show more')).toBe(false);
  fireEvent.click(screen.getAllByRole('button', { name: 'Revoke test' }).at(-1) ?? document.body);
  await click('Revoke');
  await see('revoked');
  expect(shown()).toBe(count);
});
