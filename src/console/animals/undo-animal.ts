import type { Pet } from '../../../client/src/contract.ts';
import { createChangeBack, newUndoKey } from '../api/change-back.ts';
import { announceOwnChange } from '../api/live.ts';
import { currentApi } from '../api/session.ts';
import type { Undo } from '../parts/undo.ts';
import { undoTexts as texts } from '../texts/undo.ts';
import { changeOf, draftOf, isSameDraft } from './members.ts';

/** Takes an edit back. `after` is the answer to it. Undefined if the edit changed nothing. */
export function undoEdit(before: Pet, after: Pet): Undo | undefined {
  if (isSameDraft(draftOf(before), draftOf(after))) return undefined;
  const changeBack = createChangeBack(after, changeOf(draftOf(before), before.categoryId, after));
  return {
    records: [{ kind: 'pet', id: after.id, data: after }],
    act: async () => texts.changedBack(await changeBack()),
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
