import { useMemo } from 'preact/hooks';
import type { Pet, PetStatus } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { undoEdit } from '../animals/undo-animal.ts';
import { type Api, newIdempotencyKey } from '../api/service.ts';
import { useApi } from '../api/session.ts';
import { showValue } from '../history/event-text.tsx';
import { showNotice } from '../parts/notices.tsx';
import { historyTexts as texts } from '../texts/animal.ts';
import { formTexts } from '../texts/animals.ts';
import { memberLabels } from '../texts/changes.ts';

/** A member that this page changes without a form, with its new value. */
export type MemberValue =
  | { readonly member: 'name'; readonly value: string }
  | { readonly member: 'categoryId'; readonly value: bigint }
  | { readonly member: 'status'; readonly value: PetStatus };

/** An animal around a change. Without a change, both are the same. */
interface Changed {
  readonly sessionApi: Api;
  readonly before: Pet;
  readonly after: Pet;
}

/** Changes one member of an animal if it is still as the page shows it. */
export function useChangeMember(pet: Pet) {
  const sessionApi = useApi();
  // A retry after a lost answer is the same request.
  const idempotencyKey = useMemo(newIdempotencyKey, [pet]);
  return async ({ member, value }: MemberValue): Promise<Changed> => {
    try {
      // An empty change returns the animal with its version.
      const now = await sessionApi.pets.update(pet.id, {});
      if (now[member] === value) return { sessionApi, before: now, after: now };
      if (now[member] !== pet[member]) {
        const label = memberLabels[member] ?? member;
        throw new Error(texts.changedSince(label, showValue(member, now[member])));
      }
      const options = { ifMatch: now, idempotencyKey };
      const after = await sessionApi.pets.update(pet.id, { [member]: value }, options);
      return { sessionApi, before: now, after };
    } catch (error) {
      if (!isAnimalStoreError(error, 'not_found')) throw error;
      throw new Error(formTexts.gone, { cause: error });
    }
  };
}

/** Shows the result of a change, with its Undo. */
export function showChange({ sessionApi, before, after }: Changed, text: string): void {
  showNotice(text, before === after ? undefined : undoEdit(sessionApi, before, after));
}
