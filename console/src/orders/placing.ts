import type { NewOrder, Order, OrderPatch, Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { announceOwnChange } from '../api/live.ts';
import type { Api } from '../api/service.ts';
import { saleTexts } from '../texts/animals.ts';

/** Refusals after which an attempt has certainly placed no order. After all others, its answer may have been lost. */
const refusals = ['pet_not_available', 'not_found', 'invalid_body', 'idempotency_key_reused'];

interface Attempt {
  readonly order: NewOrder;
  readonly idempotencyKey: string;
}

/**
 * Places an order for an animal once: a retry continues with the order of the first attempt, also if the user changed the input. After
 * a refusal, the next attempt needs another key.
 */
export function createPlacing() {
  let first: Attempt | undefined;

  async function create(sessionApi: Api, { order, idempotencyKey }: Attempt): Promise<Order> {
    try {
      const created = await sessionApi.orders.create(order, { idempotencyKey });
      announceOwnChange({ type: 'order.created', data: created });
      return created;
    } catch (error) {
      if (isAnimalStoreError(error) && refusals.includes(error.code)) first = undefined;
      throw error;
    }
  }

  return async (
    sessionApi: Api,
    order: NewOrder,
    idempotencyKey: string,
    isSale: boolean,
  ): Promise<Order> => {
    if (first?.order.petId !== order.petId) first = { order, idempotencyKey };
    const { order: sent } = first;
    const created = await create(sessionApi, first);
    const change: OrderPatch = {
      ...(order.note === sent.note ? {} : { note: order.note ?? null }),
      ...(order.shipDate === sent.shipDate ? {} : { shipDate: order.shipDate }),
      ...(isSale ? { status: 'shipped' } : {}),
    };
    if (Object.keys(change).length === 0) return created;
    try {
      const options = { idempotencyKey: `${idempotencyKey}-changed` };
      const changed = await sessionApi.orders.update(created.id, change, options);
      announceOwnChange({ type: 'order.updated', data: changed });
      return changed;
    } catch (error) {
      // Another user has closed the order, so the next attempt is another one.
      if (isRefusal(error)) first = undefined;
      throw error;
    }
  };
}

/** Whether another user was faster. */
export function isRefusal(error: unknown): boolean {
  const codes = ['pet_not_available', 'not_found', 'conflict'];
  return isAnimalStoreError(error) && codes.includes(error.code);
}

/** Why an animal could not be sold or reserved, from what it is now. */
export function describeRefusal(animal: string, now: Pet | 'deleted' | 'unread'): string {
  if (now === 'deleted') return saleTexts.deleted(animal);
  return now === 'unread' ? saleTexts.unavailable(animal) : saleTexts.isNow(animal, now.status);
}
