import type { Pet } from '../../../client/src/contract.ts';
import { createChangeBack } from '../api/change-back.ts';
import { type Api, newIdempotencyKey } from '../api/service.ts';
import type { Undo } from '../parts/undo.ts';
import { go, route } from '../route.ts';
import { undoTexts as texts } from '../texts/undo.ts';
import { changeOf, draftOf, isSameDraft } from './members.ts';

/** Takes an edit back. `after` is the answer to it. Undefined if the edit changed nothing. */
export function undoEdit(sessionApi: Api, before: Pet, after: Pet): Undo | undefined {
  if (isSameDraft(draftOf(before), draftOf(after))) return undefined;
  const changeBack = createChangeBack(
    sessionApi,
    after,
    changeOf(draftOf(before), before.categoryId, after),
  );
  return {
    sessionApi,
    act: async () => texts.changedBack(await changeBack()),
  };
}

/** Adds a deleted animal again. It gets a new number. */
export function undoDeletion(sessionApi: Api, { id, ...members }: Pet): Undo {
  const idempotencyKey = newIdempotencyKey();
  return {
    sessionApi,
    async act() {
      const data = await sessionApi.pets.create(members, { idempotencyKey });
      // The page of the deleted animal would offer to add it once more.
      const { screen, recordId } = route.peek();
      if (screen === 'animals' && recordId === id) go('animals', {}, 'replaceState', data.id);
      return texts.addedAgain(data);
    },
  };
}
