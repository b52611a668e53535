import type { Pet, PetPatch } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { undoTexts as texts } from '../texts/undo.ts';
import { versionOf } from './digest.ts';
import { announceOwnChange } from './live.ts';
import { type Api, newIdempotencyKey } from './service.ts';

/** Returns a function that changes an animal back, unless it has changed since `after`. A further call repeats the request. */
export function createChangeBack({ pets }: Api, after: Pet, patch: PetPatch): () => Promise<Pet> {
  const idempotencyKey = newIdempotencyKey();
  return async () => {
    try {
      const options = { ifMatch: await versionOf(after), idempotencyKey };
      const data = await pets.update(after.id, patch, options);
      announceOwnChange({ type: 'pet.updated', data });
      return data;
    } catch (error) {
      if (isAnimalStoreError(error, 'precondition_failed')) {
        const now = await pets.update(after.id, {});
        announceOwnChange({ type: 'pet.updated', data: now });
        throw new Error(texts.changedAgain(now), { cause: error });
      }
      if (!isAnimalStoreError(error, 'not_found')) throw error;
      announceOwnChange({ type: 'pet.deleted', data: after });
      throw new Error(texts.gone, { cause: error });
    }
  };
}
