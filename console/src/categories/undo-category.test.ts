import { afterAll, expect, test } from 'bun:test';
import { loadInPage, openConsoleShop } from '../../../test/support/console-shop.ts';

const page = await loadInPage(async () => ({
  ...(await import('../api/session.ts')),
  ...(await import('./undo-category.ts')),
}));

const shop = await openConsoleShop(page.sessionState);
afterAll(() => shop[Symbol.asyncDispose]());
const { api } = shop;
const { categories } = api;

/** Takes a change back, with a new key each time. */
const undo = (...change: Parameters<typeof page.undoCategory>) =>
  page.undoCategory(...change)(crypto.randomUUID());

const addDogs = () => categories.create({ name: 'Dogs', description: 'All' });

test('a category is changed back, unless it was changed again or deleted since', async () => {
  const before = await addDogs();
  const after = await categories.put(before.id, { name: 'Cats' });
  await categories.put(before.id, { name: 'Birds' });
  await expect(undo(before, after)).rejects.toThrow('The category was changed again since.');
  await categories.put(before.id, { name: 'Cats' });
  expect(await undo(before, after)).toBe(`Category Dogs (${before.id}) is as it was before.`);
  expect(await categories.get(before.id)).toEqual(before);
  const changed = await categories.put(before.id, { name: 'Cats' });
  await categories.delete(before.id);
  await expect(undo(before, changed)).rejects.toThrow('changed again since');
  await expect(categories.get(before.id)).rejects.toThrow();
});

test('a deleted category is added again with its number, unless another one has it', async () => {
  const before = await addDogs();
  await categories.delete(before.id);
  await categories.put(before.id, { name: 'Cats' });
  await expect(undo(before, undefined)).rejects.toThrow('changed again since');
  expect((await categories.get(before.id)).name).toBe('Cats');
  await categories.delete(before.id);
  expect(await undo(before, undefined)).toBe(
    `Category Dogs (${before.id}) was added again, with the same number.`,
  );
  expect(await categories.get(before.id)).toEqual(before);
});
