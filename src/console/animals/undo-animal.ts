import type { Pet, PetPatch } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { randomHex } from '../../../client/src/json.ts';
import { announceOwnChange } from '../api/live.ts';
import { currentApi } from '../api/session.ts';
import type { Undo } from '../parts/undo.ts';
import { undoTexts as texts } from '../texts/undo.ts';
import { changeOf, draftOf, isSameDraft } from './members.ts';

/** Takes an edit back. `after` is the answer to it. Undefined if the edit changed nothing. */
export function undoEdit(before: Pet, after: Pet): Undo | undefined {
  if (isSameDraft(draftOf(before), draftOf(after))) return undefined;
  const change = changeBack(after, changeOf(draftOf(before), before.categoryId, after));
  return {
    records: [{ kind: 'pet', id: after.id, data: after }],
    act: async () => texts.changedBack(await change()),
  };
}

/** Changes an animal back, unless it has changed since `after`. A further call has the same key. */
export function changeBack(after: Pet, patch: PetPatch): () => Promise<Pet> {
  const { pets } = currentApi();
  const idempotencyKey = newUndoKey();
  return async () => {
    try {
      const data = await pets.update(after.id, patch, { ifMatch: after, idempotencyKey });
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

/** Adds a deleted animal again. It gets a new number. */
export function undoDeletion({ id, ...members }: Pet): Undo {
  const { pets } = currentApi();
  const idempotencyKey = newUndoKey();
  return {
    records: [{ kind: 'pet', id, data: undefined }],
    async act() {
      const data = await pets.create(members, { idempotencyKey });
      announceOwnChange({ type: 'pet.created', data });
      return texts.addedAgain(data);
    },
  };
}

export const newUndoKey = () => `undo-${randomHex()}`;
