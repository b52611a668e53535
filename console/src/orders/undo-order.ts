import type { NewOrder, Order, Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { createChangeBack } from '../api/change-back.ts';
import { rereadAnimal } from '../api/reread.ts';
import { type Api, newIdempotencyKey } from '../api/service.ts';
import { hasScope } from '../api/session.ts';
import type { Undo } from '../parts/undo.ts';
import { orderUndoTexts as texts } from '../texts/undo.ts';
import { describeRefusal, isRefusal } from './placing.ts';

/** A change of an order with its animal. */
export interface OrderChanged {
  /** With which it was changed. */
  readonly sessionApi: Api;
  /** The answer to the change. */
  readonly order: Order;
  /** The name and number of the animal. */
  readonly animal: string;
  /** The animal after the change, if it could be read. */
  readonly now: Awaited<ReturnType<typeof rereadAnimal>>;
}

/** Makes a sold animal available. Its order stays handed over, because this is final. */
export function undoSale(changed: OrderChanged): Undo | undefined {
  const { sessionApi, order, animal, now } = changed;
  if (!isSoldHere(now)) return undefined;
  const changeBack = createChangeBack(sessionApi, now, { status: 'available' });
  return {
    sessionApi,
    async act() {
      await changeBack();
      return texts.saleUndone(animal, order.id);
    },
  };
}

/** Reserves an animal that was handed over by a new order. The old one stays handed over. */
export function undoHandOver(before: Order, changed: OrderChanged): Undo | undefined {
  const { sessionApi, order, animal, now } = changed;
  if (!isSoldHere(now)) return undefined;
  const changeBack = createChangeBack(sessionApi, now, { status: 'available' });
  const reserve = createReservation(before, changed, changeBack);
  return {
    sessionApi,
    act: async () => texts.handOverUndone(animal, order.id, (await reserve()).id),
  };
}

/** Reserves an animal again, by a new order with the same note and date. */
export function undoCancellation(before: Order, changed: OrderChanged): Undo {
  const { sessionApi, animal } = changed;
  const reserve = createReservation(before, changed);
  return {
    sessionApi,
    act: async () => texts.cancellationUndone(animal, (await reserve()).id),
  };
}

/** Cancels an order that was placed, unless it has changed since. */
export function undoReservation(changed: OrderChanged): Undo {
  const { sessionApi, order, animal } = changed;
  const idempotencyKey = newIdempotencyKey();
  return {
    sessionApi,
    async act() {
      const options = { ifMatch: order, idempotencyKey };
      await unlessChanged(sessionApi, order, sessionApi.orders.cancel(order.id, options));
      await rereadAnimal(order.petId, sessionApi);
      return texts.reservationUndone(animal);
    },
  };
}

/** Gives an order its earlier note and day back. Undefined if it had no day, because a day cannot be removed. */
export function undoEdit(
  sessionApi: Api,
  before: Order,
  saved: Order,
  order: string,
): Undo | undefined {
  const { id } = saved;
  const { note = null, shipDate } = before;
  if (shipDate === undefined && saved.shipDate !== undefined) return undefined;
  const change = {
    ...(before.note === saved.note ? {} : { note }),
    ...(shipDate === saved.shipDate ? {} : { shipDate }),
  };
  if (Object.keys(change).length === 0) return undefined;
  const options = { ifMatch: saved, idempotencyKey: newIdempotencyKey() };
  return {
    sessionApi,
    async act() {
      const changing = sessionApi.orders.update(id, change, options);
      await unlessChanged(sessionApi, saved, changing);
      return texts.editUndone(order);
    },
  };
}

/** The result of a change of an order. If the order has changed since, it throws what the order is now. */
async function unlessChanged<Result>(
  sessionApi: Api,
  { id }: Order,
  changing: Promise<Result>,
): Promise<Result> {
  try {
    return await changing;
  } catch (error) {
    if (!isAnimalStoreError(error, 'precondition_failed')) throw error;
    const data = await sessionApi.orders.update(id, {});
    throw new Error(texts.orderChanged(data.status), { cause: error });
  }
}

/** Only those that may change animals can make one available. */
function isSoldHere(now: OrderChanged['now']): now is Pet {
  return typeof now === 'object' && now.status === 'sold' && hasScope('pets:write');
}

/**
 * Returns a function that places an order like one that was closed. `makeAvailable` runs before it, if the animal is not available.
 * A further call repeats the requests.
 */
function createReservation(
  before: Order,
  { sessionApi, order: closed, animal }: OrderChanged,
  makeAvailable?: () => Promise<unknown>,
): () => Promise<Order> {
  const { petId } = closed;
  const idempotencyKey = newIdempotencyKey();
  let sent: NewOrder | undefined;
  return async () => {
    // If the closed order cannot be read, nothing has changed yet.
    const like = sent ?? (await readLike(sessionApi, before, closed));
    await makeAvailable?.();
    sent = like;
    try {
      const data = await sessionApi.orders.create(sent, { idempotencyKey });
      return data;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const now = await rereadAnimal(petId, sessionApi);
      throw new Error(describeRefusal(animal, now), { cause: error });
    } finally {
      void rereadAnimal(petId, sessionApi);
    }
  };
}

/** A new order with the note and the date of an order that was closed. Other users can change both after it was closed. */
async function readLike(sessionApi: Api, before: Order, closed: Order): Promise<NewOrder> {
  // An empty change returns the current order.
  const { petId, note, shipDate } = await sessionApi.orders.update(closed.id, {});
  // A hand-over writes its own time over the last day of the reservation.
  return { petId, note, shipDate: shipDate === closed.shipDate ? before.shipDate : shipDate };
}
