import type { NewOrder, Order, Pet } from '../../../client/src/contract.ts';
import { rereadAnimal } from '../api/reread.ts';
import { currentApi } from '../api/session.ts';

/** Places an order, and shows its animal as it is then, also after a refusal. A sale also hands it over. */
export async function placeOrder(
  order: NewOrder & { readonly petId: bigint },
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
    await rereadAnimal(order.petId);
    throw error;
  }
}
