import type { Order, Pet } from '../../../client/src/contract.ts';
import { changeAsShown } from '../api/as-shown.ts';
import { createChangeBack } from '../api/change-pet.ts';
import { rereadAnimal } from '../api/reread.ts';
import { currentApi, hasScope } from '../api/session.ts';
import type { Undo } from '../parts/undo.ts';
import { orderUndoTexts as texts } from '../texts/undo.ts';
import { placeOrder } from './placing.ts';

/** A change of an order with its animal. */
export interface OrderChanged {
  /** The answer to the change. */
  readonly order: Order;
  /** The name and number of the animal. */
  readonly animal: string;
  /** The animal after the change, if it could be read. */
  readonly now: Pet | undefined;
}

/** Makes a sold animal available. Its order stays handed over, because this is final. */
export function undoSale({ order, animal, now }: OrderChanged): Undo | undefined {
  const makeAvailable = createMakeAvailable(now);
  return (
    makeAvailable &&
    (async (idempotencyKey) => {
      await makeAvailable(idempotencyKey);
      return texts.saleUndone(animal, order.id);
    })
  );
}

/** Reserves an animal that was handed over by a new order. The old one stays handed over. */
export function undoHandOver(before: Order, changed: OrderChanged): Undo | undefined {
  const { order, animal, now } = changed;
  const makeAvailable = createMakeAvailable(now);
  const reserve = createReservation(before, changed, makeAvailable);
  return (
    makeAvailable &&
    (async (idempotencyKey) =>
      texts.handOverUndone(animal, order.id, await reserve(idempotencyKey)))
  );
}

/** Reserves an animal again, by a new order with the same note and date. */
export function undoCancellation(before: Order, changed: OrderChanged): Undo {
  const { animal } = changed;
  const reserve = createReservation(before, changed);
  return async (idempotencyKey) => texts.cancellationUndone(animal, await reserve(idempotencyKey));
}

/** Cancels an order that was placed, unless it has changed since. */
export function undoReservation({ order, animal }: OrderChanged): Undo {
  return async (idempotencyKey) => {
    await unlessChanged(order, (ifMatch) =>
      currentApi().orders.cancel(order.id, { ifMatch, idempotencyKey }),
    );
    await rereadAnimal(order.petId);
    return texts.reservationUndone(animal);
  };
}

/** Gives an order its earlier note and day back. Undefined if it had no day, because a day cannot be removed. */
export function undoEdit(before: Order, saved: Order, order: string): Undo | undefined {
  const { note = null, shipDate } = before;
  if (shipDate === undefined && saved.shipDate !== undefined) return undefined;
  const change = {
    ...(before.note === saved.note ? {} : { note }),
    ...(shipDate === saved.shipDate ? {} : { shipDate }),
  };
  if (Object.keys(change).length === 0) return undefined;
  return async (idempotencyKey) => {
    await unlessChanged(saved, (ifMatch) =>
      currentApi().orders.update(saved.id, change, { ifMatch, idempotencyKey }),
    );
    return texts.editUndone(order);
  };
}

/** Changes an order. If it has changed since, it throws what the order is now. */
function unlessChanged(
  order: Order,
  send: (ifMatch: string) => Promise<unknown>,
): Promise<unknown> {
  return changeAsShown(order, {
    send,
    read: () => currentApi().orders.update(order.id, {}),
    changed(now) {
      throw new Error(texts.orderChanged(now?.status ?? order.status));
    },
  });
}

/** Makes an animal available that was sold, which only those can that may change animals. */
function createMakeAvailable(now: Pet | undefined) {
  const isSoldHere = now?.status === 'sold' && hasScope('pets:write');
  return isSoldHere ? createChangeBack(now, { status: 'available' }) : undefined;
}

/** Returns a function that places an order like one that was closed, and returns its number. A further call repeats the requests. */
function createReservation(
  before: Order,
  { order: closed, animal }: OrderChanged,
  makeAvailable?: (idempotencyKey: string) => Promise<unknown>,
): (idempotencyKey: string) => Promise<bigint> {
  let like: Awaited<ReturnType<typeof readLike>> | undefined;
  return async (idempotencyKey) => {
    // If the closed order cannot be read, nothing has changed yet.
    like ??= await readLike(before, closed);
    await makeAvailable?.(idempotencyKey);
    return (await placeOrder(like, animal, idempotencyKey)).order.id;
  };
}

/** A new order with the note and the date of an order that was closed. Other users can change both after it was closed. */
async function readLike(before: Order, closed: Order) {
  // An empty change returns the current order.
  const { petId, note, shipDate } = await currentApi().orders.update(closed.id, {});
  // A hand-over writes its own time over the last day of the reservation.
  return { petId, note, shipDate: shipDate === closed.shipDate ? before.shipDate : shipDate };
}
