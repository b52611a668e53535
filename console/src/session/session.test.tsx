import { describe, expect, test } from 'bun:test';
import { fireEvent } from '@testing-library/dom';
import { click, goTo, has, openPage, see, type } from '../../test/open-page.tsx';

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
    await type(secret, ` ${await page.newKey(['pets:read'])}\n`);
    await click('Sign in');
    await see('No animals yet');
    expect(has('Keys', 'link')).toBe(false);
    await click('Sign out');
    await see('You are signed out.');
  });

  test('takes the address of a link with the text around it', async () => {
    const page = await openPage({ at: 'animals', scopes: null });
    await type(secret, `http://localhost:8080/console#link=${await page.newLink()}.`);
    await click('Sign in');
    await see('Keys');
  });
});

describe('a session', () => {
  test('that ends elsewhere covers the page, which continues with its input after sign-in', async () => {
    const page = await openPage({ at: 'categories' });
    await click('Add a category');
    await type('Name', 'Cats');
    await page.signOutElsewhere();
    fireEvent.click(await see('Save'));
    await see('Your session has ended');
    await type(secret, `#link=${await page.newLink()}`);
    await click('Sign in');
    await click('Save');
    await see('Category Cats (1) was saved.');
  });

  test('that has ended covers a page that Back shows as it was left', async () => {
    const page = await openPage({ at: 'animals', scopes: ['pets:read'] });
    await see('No animals yet');
    await page.signOutElsewhere();
    dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    await see('Your session has ended');
  });

  test('goes on while a proxy asks for its own sign-in', async () => {
    await openPage({ at: 'categories' });
    await click('Add a category');
    await type('Name', 'Cats');
    const { fetch } = globalThis;
    const refuse = async () => new Response('<h1>Who are you?</h1>', { status: 401 });
    globalThis.fetch = Object.assign(refuse, fetch);
    await click('Save');
    await see(/^A proxy or another program answered in place of the server \(HTTP 401\)/);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(document.body.textContent).not.toContain('Your session has ended');
    globalThis.fetch = fetch;
    await click('Save');
    await see('Category Cats (1) was saved.');
  });

  test('of another user does not show the input of the one before', async () => {
    const page = await openPage({ at: 'categories' });
    await click('Add a category');
    await type('Name', 'Cats');
    await page.signOutElsewhere();
    fireEvent.click(await see('Save'));
    await see('Your session has ended');
    await type(secret, await page.newKey(['pets:read']));
    await click('Sign in');
    await see('No animals yet');
    expect(document.querySelectorAll('input[value=Cats]').length).toBe(0);
  });

  test('is replaced by a link only after a question', async () => {
    const page = await openPage({ at: 'animals', scopes: ['pets:read'] });
    await see('No animals yet');
    location.hash = `link=${await page.newLink()}`;
    await see('Sign in as owner?');
    await click('Keep this session');
    expect(has('Keys', 'link')).toBe(false);
    location.hash = `link=${await page.newLink()}`;
    await click('Sign in as owner');
    await see('Keys');
    expect(location.hash).not.toContain('link');
  });

  test('is listed with the others, which can be ended one by one and all at once', async () => {
    const page = await openPage({ at: 'sessions' });
    await see('this session');
    await page.signInElsewhere();
    await goTo('animals');
    await see('No animals yet');
    await goTo('sessions');
    await click(/^End the session of Owner/);
    await click('End');
    await see('The session of Owner was ended.');
    await page.signInElsewhere();
    await click('Sign out everywhere');
    await click('Stay signed in here', 'checkbox');
    await click('Sign out everywhere');
    await see('1 session ended.');
  });
});
