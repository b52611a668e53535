import type { NewOrder, Order, OrderPatch, Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { createAdding } from '../api/adding.ts';
import type { Api } from '../api/service.ts';
import { saleTexts } from '../texts/animals.ts';

/** Returns what places an order for an animal once, also if the user changed the input after an answer was lost. */
export function createPlacing() {
  let add = createAdding<NewOrder, Order>();
  let petId: NewOrder['petId'] | undefined;

  return (
    { orders }: Api,
    order: NewOrder,
    idempotencyKey: string,
    isSale: boolean,
  ): Promise<Order> => {
    // The order of another animal is another one.
    if (petId !== order.petId) add = createAdding();
    petId = order.petId;
    return add(order, idempotencyKey, {
      async create(sent, key) {
        const created = await orders.create(sent, { idempotencyKey: key });
        return created;
      },
      async change(created, sent) {
        const change: OrderPatch = {
          ...(order.note === sent.note ? {} : { note: order.note ?? null }),
          ...(order.shipDate === sent.shipDate ? {} : { shipDate: order.shipDate }),
          ...(isSale ? { status: 'shipped' } : {}),
        };
        if (Object.keys(change).length === 0) return created;
        const options = { idempotencyKey: `${idempotencyKey}-changed` };
        const changed = await orders.update(created.id, change, options);
        return changed;
      },
    });
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
