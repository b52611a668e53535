import type { NewOrder, Order, Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import type { Api } from '../api/service.ts';
import { saleTexts } from '../texts/animals.ts';

/** Places an order for an animal. A sale also hands it over. */
export async function place(
  { orders }: Api,
  order: NewOrder,
  idempotencyKey: string,
  isSale: boolean,
): Promise<Order> {
  const placed = await orders.create(order, { idempotencyKey });
  return isSale ? orders.update(placed.id, { status: 'shipped' }, { idempotencyKey }) : placed;
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
