import type { Pet, PetPatch } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { undoTexts as texts } from '../texts/undo.ts';
import { versionOf } from './digest.ts';
import { type Api, newIdempotencyKey } from './service.ts';

/** Returns a function that changes an animal back, unless it has changed since `after`. A further call repeats the request. */
export function createChangeBack(api: Api, after: Pet, patch: PetPatch): () => Promise<Pet> {
  const { pets } = api;
  const idempotencyKey = newIdempotencyKey();
  const isOfSale = after.status === 'sold' && patch.status !== undefined;
  const isSoldAgain = isOfSale ? watchSales(api, after.id) : undefined;
  return async () => {
    if ((await isSoldAgain?.()) === true) throw new Error(texts.changedAgain(after));
    try {
      const options = { ifMatch: await versionOf(after), idempotencyKey };
      const data = await pets.update(after.id, patch, options);
      return data;
    } catch (error) {
      if (isAnimalStoreError(error, 'precondition_failed')) {
        const now = await pets.update(after.id, {});
        throw new Error(texts.changedAgain(now), { cause: error });
      }
      if (!isAnimalStoreError(error, 'not_found')) throw error;
      throw new Error(texts.gone, { cause: error });
    }
  };
}

/** Returns whether another order has sold an animal since. If it was made available before, it has the same version again. */
function watchSales({ orders }: Api, petId: bigint): () => Promise<boolean> {
  const readLast = async () => {
    const [last] = await orders.list({ petId, status: 'shipped', limit: 1 }).toArray({ max: 1 });
    return last?.id;
  };
  // A key without the permission to see orders has only the version.
  const known = readLast().catch(() => 'unread' as const);
  return async () => {
    const before = await known;
    return before !== 'unread' && (await readLast()) !== before;
  };
}
