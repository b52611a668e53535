import { expect, test } from 'bun:test';
import { fireEvent, screen } from '@testing-library/dom';
import { choose, click, openPage, see, seeNoDialog, type } from '../../test/open-page.tsx';

test('a key is created with a name and a permission, is shown once, replaced and revoked', async () => {
  await openPage({ at: 'keys' });
  await click('Create a key');
  await click('see animals', 'checkbox');
  await type('Requests at most', '0');
  await click('Create');
  await see('Enter a name, such as that of the program.');
  await see('Choose at least one permission.');
  await see('Enter a whole number of requests, or nothing.');
  await type('Name', 'Website');
  await type('Requests at most', '600');
  await click('change animals', 'checkbox');
  await see(/never put it into a web page/);
  await choose('Expires', 'in a week');
  await click('Create');
  const secret = (await screen.findByLabelText<HTMLTextAreaElement>('Key')).value;
  expect(secret).toStartWith('anst_');
  // Escape would lose it.
  fireEvent(screen.getByRole('dialog'), new Event('cancel', { cancelable: true }));
  await click('Done');
  await see(/change animals, at most 600 requests per minute/);
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
