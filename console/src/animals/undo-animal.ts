import type { Pet } from '../../../client/src/contract.ts';
import { createChangeBack } from '../api/change-pet.ts';
import { currentApi } from '../api/session.ts';
import type { Undo } from '../parts/undo.ts';
import { go, route } from '../route.ts';
import { undoTexts as texts } from '../texts/undo.ts';
import { changeOf, draftOf, isSameDraft } from './members.ts';

/** Takes an edit back. `after` is the answer to it. Undefined if the edit changed nothing. */
export function undoEdit(before: Pet, after: Pet): Undo | undefined {
  if (isSameDraft(draftOf(before), draftOf(after))) return undefined;
  const changeBack = createChangeBack(after, changeOf(draftOf(before), before.categoryId, after));
  return async (idempotencyKey) => texts.changedBack(await changeBack(idempotencyKey));
}

/** Adds a deleted animal again. It gets a new number. */
export function undoDeletion({ id, ...members }: Pet): (idempotencyKey: string) => Promise<string> {
  return async (idempotencyKey) => {
    const added = await currentApi().pets.create(members, { idempotencyKey });
    // The page of the deleted animal would offer to add it once more.
    const { screen, recordId } = route.peek();
    if (screen === 'animals' && recordId === id) go('animals', {}, 'replaceState', added.id);
    return texts.addedAgain(added);
  };
}
