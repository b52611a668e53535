import { describe, expect, test } from 'bun:test';
import { screen, waitFor } from '@testing-library/dom';
import { act, click, has, openPage, pick, see, seeNoDialog, type } from '../../test/open-page.tsx';

const fill = async (call: (method: string, path: string, body: object) => Promise<unknown>) => {
  await call('POST', '/categories', { name: 'Dogs', description: 'of any size' });
  await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
};
const dogs = { id: 1, name: 'Dogs', description: 'of any size' };

describe('a category', () => {
  test('is added under the number of a deleted one, and its name is taken from then on', async () => {
    const { call } = await openPage({ at: 'categories', fill });
    await see('Dogs');
    await click('Add a category');
    await type('Name', 'dogs ');
    await click('Save');
    await see('Category Dogs (1) has this name already. Choose another name.');
    await type('Name', 'Cats');
    await type('Description', 'indoors');
    await type('Number', 'x');
    await click('Save');
    await see('Enter the number of the category, such as 7.');
    await type('Number', '1');
    await click('Save');
    await see('Another category has the number 1 already. Choose another number.');
    await type('Number', '7');
    await click('Save');
    await see('Category Cats (7) was saved.');
    expect(await call('GET', '/categories/7')).toEqual({
      id: 7,
      name: 'Cats',
      description: 'indoors',
    });
  });

  test('whose answer was lost is sent again, and added once', async () => {
    const page = await openPage({ at: 'categories', fill });
    await click('Add a category');
    await type('Name', 'Cats');
    page.lost = /POST/;
    await click('Save');
    await see('Category Cats (2) was saved.');
    expect(page.requests.filter((line) => line === 'POST /categories').length).toBe(2);
    expect(await page.call('GET', '/categories')).toEqual([{ id: 2, name: 'Cats' }, dogs]);
  });

  test.each([
    ['', 2],
    ['7', 7],
  ])('whose answer another program replaced is added once: number %j', async (number, id) => {
    const page = await openPage({ at: 'categories', fill, refused: /stream/ });
    await click('Add a category');
    await type('Name', 'Cats');
    await type('Number', number);
    page.replaced = /POST|PUT/;
    await click('Save');
    await see(/^A proxy or another program answered in place of the server/);
    await click('Save');
    await see(`Category Cats (${id}) was saved.`);
    expect(await page.call('GET', '/categories')).toEqual([{ id, name: 'Cats' }, dogs]);
  });

  test('is not written without a change', async () => {
    const { requests } = await openPage({ at: 'categories', fill });
    await click('Edit Dogs');
    await click('Save');
    await seeNoDialog();
    expect(requests.filter((line) => line.startsWith('PUT'))).toEqual([]);
  });

  test('that is deleted leaves its number to animals, which can be chosen in their list', async () => {
    await openPage({ at: 'categories', fill });
    await act('Delete', 'Dogs');
    await click('Delete');
    await click('without a name', 'link');
    await see('Rex');
    await pick('Category', 'all cat');
    await waitFor(() => expect(location.hash).toBe('#animals'));
    await pick('Category', '1 (without');
    await waitFor(() => expect(location.hash).toBe('#animals?category=1'));
  });

  test('that another user has changed is replaced only at the second attempt, and can be set back', async () => {
    const { call } = await openPage({ at: 'categories', fill });
    await click('Edit Dogs');
    await type('Name', 'Hounds');
    await call('PUT', '/categories/1', { name: 'Big dogs' });
    await click('Save');
    await see(/Another user has changed this category to: Big dogs. Save again to replace it./);
    await click('Save');
    await see('Category Hounds (1) was saved.');
    await click(/^Undo/);
    await see(/Big dogs/);
    expect(await call('GET', '/categories/1')).toEqual({ id: 1, name: 'Big dogs' });
  });

  test('that another user has changed is deleted only at the second attempt', async () => {
    const { call } = await openPage({ at: 'categories', fill });
    await act('Delete', 'Dogs');
    await see(/One animal stays, and show/);
    await call('PUT', '/categories/1', { name: 'Big dogs' });
    await click('Delete');
    await see(/changed this category to: Big dogs. Press the button again to delete it./);
    await click('Delete');
    await see('Category Big dogs (1) was deleted.');
    await click('Give a name to number 1');
    expect(screen.getByLabelText<HTMLInputElement>('Number').value).toBe('1');
  });

  test('that another user has deleted already is gone, without a message of an error', async () => {
    const { call } = await openPage({ at: 'categories', fill });
    await act('Delete', 'Dogs');
    await call('DELETE', '/categories/1');
    await click('Delete');
    await see('Category Dogs (1) was deleted.');
    await seeNoDialog();
  });
});

test('numbers without a category are listed up to a limit', async () => {
  await openPage({
    at: 'categories',
    async fill(call) {
      for (let categoryId = 1001; categoryId <= 1105; categoryId += 1) {
        await call('POST', '/pets', { name: 'Rex', categoryId });
      }
      await call('PUT', '/categories/8', { name: 'Cats' });
    },
  });
  const count = () => screen.queryByRole('grid')?.getAttribute('aria-rowcount');
  await waitFor(() => expect(count()).toBe('102'));
});

test.each(['Cancel', 'Close'])(
  'a dialog with typed text is closed at the second %s, and typing asks again',
  async (name) => {
    await openPage({ at: 'categories', fill });
    await click('Edit Dogs');
    await type('Name', 'Hounds');
    await click(name);
    await see(/Your changes are not saved. Cancel again/);
    await type('Name', 'Hunds');
    expect(screen.queryAllByText(/Cancel again/).length).toBe(0);
    await click(name);
    await click(name);
    await seeNoDialog();
  },
);

test('a key that may only read animals has no control that changes a category', async () => {
  await openPage({ at: 'categories', scopes: ['pets:read'], fill });
  await see('Dogs');
  expect(has(/Edit|Delete|Add/)).toBe(false);
});
