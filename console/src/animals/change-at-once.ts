import type { Pet, PetPatch } from '../../../client/src/contract.ts';
import { changePet } from '../api/change-pet.ts';
import { showNotice } from '../parts/notices.tsx';
import { refusalOf } from '../texts/animals.ts';
import { undoEdit } from './undo-animal.ts';

/** Changes an animal without a form, and shows the message about it, with its Undo. */
export async function changeAtOnce(
  shown: Pet,
  patch: PetPatch,
  idempotencyKey: string,
  messageOf: (changed: Pet) => string,
): Promise<void> {
  const changed = await changePet(shown, patch, idempotencyKey, (now) => refusalOf(shown, now));
  showNotice(messageOf(changed), undoEdit(shown, changed));
}
