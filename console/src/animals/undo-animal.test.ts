import { afterAll, expect, test } from 'bun:test';
import type { Pet, PetPatch } from '../../../client/src/contract.ts';
import { loadInPage, openConsoleShop } from '../../../test/support/console-shop.ts';

const page = await loadInPage(async () => ({
  ...(await import('../api/session.ts')),
  ...(await import('./undo-animal.ts')),
}));
const { undoDeletion, undoEdit } = page;

const shop = await openConsoleShop(page.sessionState);
afterAll(() => shop[Symbol.asyncDispose]());
const { api } = shop;
const { pets, orders } = api;

const newKey = () => crypto.randomUUID();

const addRex = () => pets.create({ name: 'Rex', categoryId: 1n });

/** Changes an animal, and returns what takes it back. */
async function edit(before: Pet, patch: PetPatch) {
  const after = await pets.update(before.id, patch);
  const undo = undoEdit(before, after);
  return { after, act: async () => await undo?.(newKey()) };
}

const read = async ({ id }: Pet) => await pets.update(id, {});

test('edits of an animal are taken back one after the other, the newest first', async () => {
  const rex = await addRex();
  const first = await edit(rex, { name: 'Max' });
  const second = await edit(first.after, { name: 'Tom', categoryId: 2n });
  expect(await second.act()).toBe(`Max (animal ${rex.id}) is as it was before.`);
  expect(await first.act()).toBe(`Rex (animal ${rex.id}) is as it was before.`);
  expect(await read(rex)).toEqual(rex);
});

test('an edit stays if the animal was changed, reserved or deleted since, and the reason says what it is now', async () => {
  const changes = {
    'it is sold now': ({ id }: Pet) => pets.update(id, { status: 'sold' }),
    'it is reserved now': ({ id }: Pet) => orders.create({ petId: id }),
    'The animal was deleted since.': ({ id }: Pet) => pets.delete(id),
  };
  for (const [reason, change] of Object.entries(changes)) {
    const { act, after } = await edit(await addRex(), { name: 'Max' });
    await change(after);
    await expect(act()).rejects.toThrow(reason);
  }
});

test('an edit of the status stays if an order has sold or reserved the animal since, so that it is as it was', async () => {
  for (const status of ['sold', 'pending'] as const) {
    const rex = await addRex();
    const { act } = await edit(rex, { status });
    await pets.update(rex.id, { status: 'available' });
    const { id } = await orders.create({ petId: rex.id });
    if (status === 'sold') await orders.update(id, { status: 'shipped' });
    await expect(act()).rejects.toThrow(
      status === 'sold' ? 'it is sold now' : `Order ${id} for animal ${rex.id} is open`,
    );
    expect((await read(rex)).status).toBe(status);
  }
});

test('an edit of the status is taken back if it was changed and changed back since', async () => {
  const rex = await addRex();
  const { act } = await edit(rex, { status: 'sold' });
  await pets.update(rex.id, { name: 'Max' });
  await pets.update(rex.id, { name: 'Rex' });
  expect(await act()).toBe(`Rex (animal ${rex.id}) is as it was before.`);
  expect(await read(rex)).toEqual(rex);
});

test('an edit without a change has no Undo', async () => {
  const rex = await addRex();
  expect(undoEdit(rex, rex)).toBeUndefined();
});

test('a deleted animal is added again once, with a new number', async () => {
  const rex = await addRex();
  await pets.delete(rex.id);
  const undo = undoDeletion(rex);
  expect(await undo('a')).toBe(`Rex (animal ${rex.id + 1n}) was added again, with a new number.`);
  // After a lost answer, the same request is sent again.
  await undo('a');
  const [newest] = await pets.list().toArray({ max: 1 });
  expect(newest).toEqual({ ...rex, id: rex.id + 1n });
});
