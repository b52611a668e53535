import type { NewOrder, Order, Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { rereadAnimal } from '../api/reread.ts';
import { currentApi } from '../api/session.ts';
import { saleTexts } from '../texts/animals.ts';

/** Places an order, and shows its animal as it is then, also after a refusal, which says it too. A sale also hands it over. */
export async function placeOrder(
  order: NewOrder & { readonly petId: bigint },
  animal: string,
  idempotencyKey: string,
  isSale = false,
): Promise<{ readonly order: Order; readonly now: Pet | undefined }> {
  const { orders } = currentApi();
  try {
    const placed = await orders.create(order, { idempotencyKey });
    const change = { status: 'shipped' } as const;
    const done = isSale ? await orders.update(placed.id, change, { idempotencyKey }) : placed;
    return { order: done, now: await rereadAnimal(order.petId) };
  } catch (error) {
    const now = await rereadAnimal(order.petId);
    throw refusalOf(error, animal, now);
  }
}

/** Why an animal could not be sold or reserved, from what it is now, if another user was faster. */
function refusalOf(error: unknown, animal: string, now: Pet | undefined): unknown {
  if (isAnimalStoreError(error, 'not_found')) {
    return new Error(saleTexts.deleted(animal), { cause: error });
  }
  const codes = ['pet_not_available', 'conflict'];
  if (!isAnimalStoreError(error) || !codes.includes(error.code)) return error;
  const text = now ? saleTexts.isNow(animal, now.status) : saleTexts.unavailable(animal);
  return new Error(text, { cause: error });
}
