import type { Category } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { currentApi } from '../api/session.ts';
import type { Undo } from '../parts/undo.ts';
import { texts } from '../texts/categories.ts';
import { categoryUndoTexts as undoTexts } from '../texts/undo.ts';
import { findCategory } from './categories-state.ts';

/** Gives a category its former name and description, or adds it again after it was deleted. */
export function undoCategory(before: Category, after: Category | undefined): Undo {
  const { id, ...members } = before;
  const precondition = after === undefined ? { ifNoneMatch: '*' as const } : { ifMatch: after };
  return async (idempotencyKey) => {
    const other = findCategory(before.name, id);
    if (other !== undefined) throw new Error(undoTexts.nameTaken(other.name, other.id));
    try {
      await currentApi().categories.put(id, members, { ...precondition, idempotencyKey });
    } catch (error) {
      if (!isAnimalStoreError(error, 'precondition_failed')) throw error;
      throw new Error(undoTexts.changedAgain, { cause: error });
    }
    const name = texts.named(before.name, id);
    return after === undefined ? undoTexts.addedAgain(name) : undoTexts.changedBack(name);
  };
}
