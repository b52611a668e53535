import { describe, expect, test } from 'bun:test';
import { click, has, openPage, see, type } from '../../test/open-page.tsx';

const secret = 'API key or link';

describe('sign-in', () => {
  test('takes a key, and says why it takes no other text', async () => {
    const page = await openPage({ at: 'animals', scopes: null });
    await type(secret, ' ');
    await click('Sign in');
    await see('Paste an API key or a link.');
    await type(secret, 'anst_nothing');
    await click('Sign in');
    await see(/key is not valid|no key|unknown|wrong/i);
    const { apiKey } = Object.assign({ apiKey: '' }, await page.newSecret(['pets:read']));
    await type(secret, ` ${apiKey}\n`);
    await click('Sign in');
    await see('No animals yet');
    expect(has('Keys', 'link')).toBe(false);
    await click('Sign out');
    await see('You are signed out.');
  });

  test('takes the address of a link with the text around it', async () => {
    const page = await openPage({ at: 'animals', scopes: null });
    const { link } = Object.assign({ link: '' }, await page.newSecret());
    await type(secret, `http://localhost:8080/console#link=${link}.`);
    await click('Sign in');
    await see('Keys');
  });
});
