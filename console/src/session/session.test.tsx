import { describe, expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import {
  chooseSetting,
  click,
  goTo,
  has,
  openPage,
  readSettings,
  see,
  seeNoDialog,
  type,
} from '../../test/open-page.tsx';
import { session } from '../api/session.ts';

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
    expect(await readSettings()).toEqual(['Sessions', 'API documentation', 'Sign out']);
    await chooseSetting('Sign out');
    await see('You are signed out.');
  });

  test('takes the address of a link with the text around it', async () => {
    const page = await openPage({ at: 'animals', scopes: null });
    await type(secret, `http://localhost:8080/console#link=${await page.newLink()}.`);
    await click('Sign in');
    await see('Settings');
    expect(await readSettings()).toContain('Keys');
  });
});

const usedLink = /^The link is incomplete, was used before, or is older than five minutes/;

test('a link signs in once, and not without its end', async () => {
  const page = await openPage({ at: 'animals', scopes: null });
  const link = `#link=${await page.newLink()}`;
  const signIn = async (text: string) => {
    await type(secret, text);
    await click('Sign in');
  };
  await signIn(link.slice(0, -9));
  await see(usedLink);
  await signIn(link);
  await chooseSetting('Sign out');
  await see('You are signed out.');
  await signIn(link);
  await see(usedLink);
  expect(has('Settings')).toBe(false);
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

  test('is replaced by a link only after a question, and loses no input until then', async () => {
    const page = await openPage({ at: 'categories', scopes: ['pets:read', 'pets:write'] });
    await click('Add a category');
    await type('Number', '1234');
    const link = await page.newLink();
    location.hash = `link=${link}`;
    await see('Sign in as owner?');
    const question = screen.getByRole('dialog', { name: 'Sign in as owner?' }).textContent;
    expect(question).toContain('with the key “test” in the workspace “default”');
    await click('Keep this session');
    expect(screen.getByLabelText<HTMLInputElement>('Number').value).toBe('1234');
    expect(session.peek()?.kind).toBe('api_key');
    // The link was not used.
    location.hash = `link=${link}`;
    await click('Sign in as owner');
    await seeNoDialog();
    expect(await readSettings()).toContain('Keys');
    expect(location.hash).not.toContain('link');
  });

  test('stays if a link was used before, and the message says so until it is dismissed', async () => {
    const page = await openPage({ at: 'animals', scopes: null });
    const link = `link=${await page.newLink()}`;
    await type(secret, `#${link}`);
    await click('Sign in');
    await see('No animals yet');
    location.hash = link;
    await click('Sign in as owner');
    await see(usedLink);
    await click('Dismiss');
    await waitFor(() => expect(screen.queryByText(usedLink)).toBeNull());
    expect(await readSettings()).toContain('Keys');
  });

  test('is listed with the others, which can be ended one by one and all at once', async () => {
    const page = await openPage({ at: 'sessions' });
    await see('this session');
    expect(has(/^End the session/)).toBe(false);
    await page.signInElsewhere();
    await goTo('animals');
    await see('No animals yet');
    await goTo('sessions');
    await click(/^End the session of Owner/);
    await click('End');
    await see('The session of Owner was ended.');
    await page.signInElsewhere();
    await page.signInElsewhere(['pets:read']);
    await click('Sign out everywhere');
    await click('Stay signed in here', 'checkbox');
    await click('Sign out everywhere');
    await see('1 session ended.');
    await see('Key test');
  });

  test('that has ended since it was listed is no failure', async () => {
    const page = await openPage({ at: 'animals' });
    const signOut = await page.signInElsewhere(['pets:read']);
    await goTo('sessions');
    await click(/^End the session of Key test/);
    await signOut();
    await click('End');
    await see('The session had ended already.');
  });

  test('of a key that signs out everywhere says how an owner signs in', async () => {
    await openPage({ at: 'sessions', scopes: ['pets:read'] });
    await click('Sign out everywhere');
    await click('Sign out everywhere');
    await see('You are signed out.');
    await see('animal-store console');
  });

  test('that is older is shown with a button, and stays when one is ended', async () => {
    const page = await openPage({ at: 'animals' });
    for (let count = 1; count <= 105; count += 1) await page.signInElsewhere(['pets:read']);
    await goTo('sessions');
    const shown = () => screen.queryAllByText(/^Signed in/).length;
    await waitFor(() => expect(shown()).toBe(100));
    await click('Show more');
    await waitFor(() => expect(shown()).toBe(106));
    fireEvent.click(screen.getAllByRole('button', { name: /^End/ }).at(-1) ?? document.body);
    await click('End');
    await waitFor(() => expect(shown()).toBe(105));
  });
});
