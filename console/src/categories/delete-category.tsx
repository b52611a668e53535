import { useSignal } from '@preact/signals';
import type { Category } from '../../../client/src/contract.ts';
import { changeAsShown } from '../api/as-shown.ts';
import type { Api } from '../api/service.ts';
import { useApi } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { Confirm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { texts } from '../texts/categories.ts';
import { common } from '../texts/common.ts';
import { undoCategory } from './undo-category.ts';

/** Asks before a category is deleted, and says how many animals keep its number. */
export function DeleteCategory({ category }: { readonly category: Category }) {
  const sessionApi = useApi();
  const shown = useSignal(category);
  const animals = useAnimalCount(category.id, sessionApi);
  const { id, name } = shown.value;

  async function remove(idempotencyKey: string): Promise<void> {
    const before = shown.peek();
    const undo = await changeAsShown(before, {
      send: async (ifMatch) => {
        await sessionApi.categories.delete(id, { ifMatch, idempotencyKey });
        return undoCategory(before, undefined);
      },
      read: () => sessionApi.categories.get(id),
      changed(now) {
        // Another user has deleted it already.
        if (now === undefined) return undefined;
        shown.value = now;
        throw new Error(texts.changedBeforeDelete(now.name, now.description ?? ''));
      },
    });
    showNotice(common.deleted(texts.named(name, id)), undo);
  }

  return (
    <Confirm
      title={texts.deleteQuestion(name, id)}
      hint={texts.deleteHint(id, animals)}
      yes={common.delete}
      act={remove}
    />
  );
}

/** Of more animals, the dialog says only that there are more. Each page of the list is a request. */
const countMax = 1000;

/** How many animals a category has, or that there are more than the maximum. Undefined until they are counted. */
function useAnimalCount(categoryId: bigint, sessionApi: Api) {
  const { data: count } = useQuery<number>({
    key: ['animals-of', String(categoryId)],
    async read(signal) {
      const list = sessionApi.pets.list({ categoryId, limit: 100 }, { signal });
      return (await list.toArray({ max: countMax + 1 })).length;
    },
  });
  return count === undefined
    ? undefined
    : { count: Math.min(count, countMax), isMore: count > countMax };
}
