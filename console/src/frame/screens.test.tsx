import { expect, test } from 'bun:test';
import { screen, waitFor } from '@testing-library/dom';
import {
  chooseSetting,
  click,
  has,
  openPage,
  type Page,
  readSettings,
  see,
} from '../../test/open-page.tsx';

const fill = async (call: Page['call']) => {
  await call('POST', '/categories', { name: 'Dogs' });
  await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await call('POST', '/store/orders', { petId: 1, note: 'Ms Lee' });
  await call('POST', '/webhooks', { url: 'https://shop.example/events' });
};

test.each([
  ['animals', /GET .pets/, 'Rex'],
  ['animals', /GET .categories/, 'Dogs'],
  ['animals/1', /GET .pets|PATCH/, 'Ms Lee'],
  ['orders', /GET .store.orders/, 'Ms Lee'],
  ['categories', /GET .categories/, 'Dogs'],
  ['history', /GET .events$/, /Order 1/],
  ['webhooks', /GET .webhooks/, 'https://shop.example/events'],
  ['keys', /GET .keys/, 'test'],
  ['sessions', /GET .sessions/, 'this session'],
])('the screen %s that cannot be read says so, and is read again', async (at, refused, text) => {
  const page = await openPage({ at, fill, refused });
  await see(/This page and the server do not have the same version/);
  page.refused = undefined;
  await click('Try again');
  await see(text);
});

test('a list that cannot be read again keeps its rows, and says so until it is read', async () => {
  const page = await openPage({ at: 'keys', fill });
  await see('test');
  page.refused = /GET .keys/;
  // The list is read again when a dialog is closed.
  await click('Create a key');
  await click('Cancel');
  await see(/^This may not be up to date/);
  await see('test');
  page.refused = undefined;
  await click('Try again');
  await waitFor(() => expect(screen.queryByText(/^This may not be up to date/)).toBeNull());
  await see('test');
});

test.each([
  ['orders?status=pending', /Rex/],
  ['history?kind=pet', /Rex/],
])(
  'Back from an animal to %s shows the same list, with the focus on the same link',
  async (at, name) => {
    await openPage({ at, fill });
    const links = await screen.findAllByRole('link', { name });
    const link = links.at(-1);
    link?.focus();
    location.hash = '#animals/1';
    await screen.findByRole('heading', { name: 'History' });
    location.hash = `#${at}`;
    await waitFor(() => expect(document.activeElement === link).toBe(true));
  },
);

test.each([
  ['orders:read', 'Ms Lee', 'Orders'],
  ['webhooks:manage', 'https://shop.example/events', 'Webhooks'],
] as const)(
  'a key sees only the screens of its permissions, and the first one if the address names another: %s',
  async (scope, text, only) => {
    await openPage({ at: 'keys', scopes: [scope], fill });
    await see(text);
    const screens = ['Animals', 'Orders', 'Categories', 'History'];
    const settings = (await readSettings()).filter((name) => /Webhooks|Keys/.test(name));
    expect([...screens.filter((name) => has(name, 'link')), ...settings]).toEqual([only]);
  },
);

test('the former address of the history opens it', async () => {
  await openPage({ at: 'animals', fill });
  location.hash = '#events?kind=order';
  await screen.findByRole('heading', { level: 1, name: 'History' });
  await see(/Order 1/);
});

test('the header shows where the user is, also on a screen of the settings and in an import', async () => {
  await openPage({ at: 'keys' });
  const litNow = () =>
    [...document.querySelectorAll('header [aria-current]')].map(({ textContent }) => textContent);
  await waitFor(() => expect(litNow()).toEqual(['Settings']));
  location.hash = '#import';
  await waitFor(() => expect(litNow()).toEqual(['Animals']));
});

test('the menu of settings names the user, and keeps the height of rows', async () => {
  await openPage({ at: 'animals', fill });
  await click('Settings');
  await see('Signed in as owner');
  await click('Compact rows', 'menuitemcheckbox');
  await click('Settings');
  const compact = screen.getByRole('menuitemcheckbox', { name: 'Compact rows' });
  expect(compact.getAttribute('aria-checked')).toBe('true');
  await click('Compact rows', 'menuitemcheckbox');
  await chooseSetting('Webhooks');
  await see('https://shop.example/events');
  expect(location.hash).toBe('#webhooks');
});

test.each([
  ['categories', 'Add a category'],
  ['webhooks', 'Add a webhook'],
])(
  '%s without records say what they are for, and have one button for the first',
  async (at, add) => {
    await openPage({ at });
    const empty = (await see(/^No .* yet$/)).closest('.empty');
    expect(empty?.querySelectorAll('p')).toHaveLength(1);
    await waitFor(() => expect(screen.getAllByRole('button', { name: add })).toHaveLength(1));
    await click(add);
    await screen.findByRole('dialog', { name: add });
  },
);
