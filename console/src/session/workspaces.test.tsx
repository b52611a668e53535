import { expect, test } from 'bun:test';
import { fireEvent, screen, waitFor } from '@testing-library/dom';
import { click, has, openPage, see, type } from '../../test/open-page.tsx';

test('an owner opens the list of workspaces, moves in it by keyboard, and closes it where it was', async () => {
  const page = await openPage({ at: 'animals', scopes: null });
  await page.addWorkspace('cats');
  await type('API key or link', `#link=${await page.newLink()}`);
  await click('Sign in');
  await click('Workspace default');
  const cats = await screen.findByRole<HTMLAnchorElement>('link', { name: 'cats' });
  expect(cats.getAttribute('href')).toBe('/console/w/cats/');
  const current = screen.getByRole('link', { name: 'default' });
  expect(document.activeElement === current).toBe(true);
  for (const [key, link] of [
    ['c', cats],
    ['ArrowDown', current],
    ['ArrowUp', cats],
    ['End', current],
    ['Home', cats],
  ] as const) {
    fireEvent.keyDown(document.activeElement ?? document.body, { key });
    expect(document.activeElement === link).toBe(true);
  }
  fireEvent.keyDown(cats, { key: 'Escape' });
  await waitFor(() => expect(has('cats', 'link')).toBe(false));
  await click('Workspace default');
  await click('default', 'link');
  await waitFor(() => expect(has('cats', 'link')).toBe(false));
});

test('an owner finds one of many workspaces by the beginning of its name', async () => {
  const page = await openPage({ at: 'animals', scopes: null });
  for (let count = 1; count <= 120; count += 1) await page.addWorkspace(`many-${count}`);
  await type('API key or link', `#link=${await page.newLink()}`);
  await click('Sign in');
  await click('Workspace default');
  const search = await screen.findByLabelText('Beginning of the name');
  expect(document.activeElement === search).toBe(true);
  await type('Beginning of the name', 'none');
  await see('No workspace begins with this.');
  await type('Beginning of the name', 'many-98');
  const found = await screen.findByRole<HTMLAnchorElement>('link', { name: 'many-98' });
  expect(found.getAttribute('href')).toBe('/console/w/many-98/');
  fireEvent.keyDown(search, { key: 'ArrowDown' });
  expect(document.activeElement === found).toBe(true);
});

test('a key of another workspace than the address shows no animal, and leads to its own', async () => {
  const page = await openPage({ at: 'animals', scopes: null });
  await page.addWorkspace('cats');
  await type('API key or link', await page.newKey(['pets:read'], 'cats'));
  await click('Sign in');
  await see(/of the workspace “cats”. It has no access to “default”/);
  const link = screen.getByRole('link', { name: 'Open cats' });
  expect(link.getAttribute('href')).toBe('/console/w/cats/');
  await click('Sign out');
  await see('You are signed out.');
});
