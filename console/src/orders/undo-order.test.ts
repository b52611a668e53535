import { afterAll, describe, expect, test } from 'bun:test';
import type { Order } from '../../../client/src/contract.ts';
import { loadInPage, openConsoleShop } from '../../../test/support/console-shop.ts';
import type { Undo } from '../parts/undo.ts';

const page = await loadInPage(async () => ({
  ...(await import('../api/session.ts')),
  ...(await import('../api/reread.ts')),
  ...(await import('./undo-order.ts')),
}));
const { undoCancellation, undoEdit, undoHandOver, undoReservation, undoSale } = page;

const shop = await openConsoleShop(page.sessionState);
afterAll(() => shop[Symbol.asyncDispose]());
const { api } = shop;

/** Runs an Undo. */
const run = async (undo: Undo | undefined) => await undo?.(crypto.randomUUID());

/** Another animal, with an order. */
async function placeOrder(note = 'Ms Gray') {
  const pet = await api.pets.create({ name: 'Rex', categoryId: 1n });
  return api.orders.create({ petId: pet.id, note });
}

const handOver = ({ id }: Order) => api.orders.update(id, { status: 'shipped' });

/** What a dialog knows after a change of an order. */
async function changed(order: Order) {
  const now = await page.rereadAnimal(order.petId);
  return { order, animal: 'Rex', now };
}

async function readStatus({ petId }: Order) {
  return (await api.pets.update(petId, {})).status;
}

async function sell() {
  const order = await handOver(await placeOrder());
  return { order, undo: undoSale(await changed(order)) };
}

describe('a sale', () => {
  test('that is undone makes the animal available', async () => {
    const { order, undo } = await sell();
    expect(await run(undo)).toBe(`Rex is available again. Order ${order.id} stays handed over.`);
    expect(await readStatus(order)).toBe('available');
  });

  test('stays if the animal was changed or deleted since, and can be undone if that was undone', async () => {
    const { order, undo } = await sell();
    await api.pets.update(order.petId, { name: 'Max' });
    await expect(run(undo)).rejects.toThrow('changed again since, and it is sold now');
    const later = undoSale(await changed(order));
    await api.pets.update(order.petId, { name: 'Tom' });
    await api.pets.update(order.petId, { name: 'Max' });
    expect(await run(later)).toMatch(/available again/);
    const deleted = await sell();
    await api.pets.delete(deleted.order.petId);
    await expect(run(deleted.undo)).rejects.toThrow('The animal was deleted since.');
  });

  test('stays if another user has taken it back and sold the animal again, so that it is as it was', async () => {
    const { order, undo } = await sell();
    await api.pets.update(order.petId, { status: 'available' });
    await handOver(await api.orders.create({ petId: order.petId, note: 'Mr Brown' }));
    await expect(run(undo)).rejects.toThrow('changed again since, and it is sold now');
    expect(await readStatus(order)).toBe('sold');
  });
});

describe('a hand-over', () => {
  test('that is undone reserves the animal by a new order with the note that it has now', async () => {
    const placed = await placeOrder();
    const order = await handOver(placed);
    const undo = undoHandOver(placed, await changed(order));
    // The event of this has no note.
    await api.orders.update(order.id, { note: 'Ms Gray, Monday' });
    expect(await run(undo)).toMatch(/^Rex is reserved again: order \d+\. Order \d+ stays handed/);
    const [open] = await api.orders.list({ petId: order.petId }).toArray({ max: 1 });
    expect(open).toMatchObject({ status: 'pending', note: 'Ms Gray, Monday' });
  });

  test('stays if another user has sold the animal again', async () => {
    const placed = await placeOrder();
    const order = await handOver(placed);
    const undo = undoHandOver(placed, await changed(order));
    await api.pets.update(order.petId, { status: 'available' });
    const { id } = await handOver(await api.orders.create({ petId: order.petId }));
    await expect(run(undo)).rejects.toThrow('it is sold now');
    const [last] = await api.orders.list({ petId: order.petId }).toArray({ max: 1 });
    expect(last).toMatchObject({ id, status: 'shipped' });
  });
});

describe('a reservation', () => {
  test('that is undone is cancelled, unless its note was changed or it was handed over since', async () => {
    const undone = await placeOrder();
    expect(await run(undoReservation(await changed(undone)))).toBe('Rex is no longer reserved.');
    expect(await readStatus(undone)).toBe('available');
    const noted = await placeOrder();
    const undo = undoReservation(await changed(noted));
    await api.orders.update(noted.id, { note: 'Mr Brown' });
    await expect(run(undo)).rejects.toThrow('The order was changed again since');
    const sold = await placeOrder();
    const undoSold = undoReservation(await changed(sold));
    await handOver(sold);
    await expect(run(undoSold)).rejects.toThrow('it is handed over now');
  });
});

describe('a cancellation', () => {
  async function cancel() {
    const placed = await placeOrder();
    await api.orders.cancel(placed.id);
    const order: Order = { ...placed, status: 'cancelled' };
    return { order, undo: undoCancellation(placed, await changed(order)) };
  }

  test('that is undone reserves the animal by a new order', async () => {
    const { order, undo } = await cancel();
    expect(await run(undo)).toMatch(/^Rex is reserved again: order \d+\.$/);
    const [open] = await api.orders.list({ petId: order.petId }).toArray({ max: 1 });
    expect(open).toMatchObject({ status: 'pending', note: 'Ms Gray' });
  });

  test('stays if the animal was sold or reserved since', async () => {
    for (const status of ['sold', 'pending'] as const) {
      const { order, undo } = await cancel();
      await api.pets.update(order.petId, { status });
      await expect(run(undo)).rejects.toThrow('Rex is');
      expect(await readStatus(order)).toBe(status);
    }
  });
});

test('the note of an order is changed back, unless it was changed again since', async () => {
  const before = await placeOrder();
  const saved = await api.orders.update(before.id, { note: 'Mr Brown' });
  const undo = undoEdit(before, saved, 'order 1');
  await api.orders.update(before.id, { note: 'Mr Black' });
  await expect(run(undo)).rejects.toThrow('The order was changed again since');
  await api.orders.update(before.id, { note: 'Mr Brown' });
  expect(await run(undoEdit(before, saved, 'order 1'))).toBe('Changed back: order 1.');
  expect((await api.orders.update(before.id, {})).note).toBe('Ms Gray');
  expect(undoEdit(before, before, 'order 1')).toBeUndefined();
});
