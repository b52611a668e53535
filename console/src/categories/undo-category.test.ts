import { afterAll, expect, test } from 'bun:test';
import { loadInPage, openConsoleShop } from '../../../test/support/console-shop.ts';

const { undoCategory } = await loadInPage(() => import('./undo-category.ts'));

const shop = await openConsoleShop();
afterAll(() => shop[Symbol.asyncDispose]());
const { api } = shop;
const { categories } = api;

const addDogs = () => categories.create({ name: 'Dogs', description: 'All' });

test('a category is changed back, unless it was changed again or deleted since', async () => {
  const before = await addDogs();
  const after = await categories.put(before.id, { name: 'Cats' });
  const { act } = undoCategory(api, before, after);
  await categories.put(before.id, { name: 'Birds' });
  await expect(act()).rejects.toThrow('The category was changed again since.');
  await categories.put(before.id, { name: 'Cats' });
  expect(await undoCategory(api, before, after).act()).toBe(
    `Category Dogs (${before.id}) is as it was before.`,
  );
  expect(await categories.get(before.id)).toEqual(before);
  const changed = await categories.put(before.id, { name: 'Cats' });
  await categories.delete(before.id);
  await expect(undoCategory(api, before, changed).act()).rejects.toThrow('changed again since');
  await expect(categories.get(before.id)).rejects.toThrow();
});

test('a deleted category is added again with its number, unless another one has it', async () => {
  const before = await addDogs();
  await categories.delete(before.id);
  await categories.put(before.id, { name: 'Cats' });
  await expect(undoCategory(api, before, undefined).act()).rejects.toThrow('changed again since');
  expect((await categories.get(before.id)).name).toBe('Cats');
  await categories.delete(before.id);
  expect(await undoCategory(api, before, undefined).act()).toBe(
    `Category Dogs (${before.id}) was added again, with the same number.`,
  );
  expect(await categories.get(before.id)).toEqual(before);
});
