import type { Pet } from '../../../client/src/contract.ts';
import { Confirm } from '../parts/dialog.tsx';
import { releaseTexts } from '../texts/animal.ts';
import { animalName } from '../texts/animals.ts';
import { changeAtOnce } from './change-at-once.ts';

/** Sells an animal that is reserved without an order, or makes it available again. */
export function Release(props: { readonly pet: Pet; readonly isSale: boolean }) {
  const { pet, isSale } = props;
  const { question, hint, yes, no, done } = isSale ? releaseTexts.sell : releaseTexts.cancel;
  return (
    <Confirm
      title={question(animalName(pet))}
      hint={hint}
      yes={yes}
      no={no}
      kind="main"
      act={(idempotencyKey) => {
        const status = isSale ? 'sold' : 'available';
        return changeAtOnce(pet, { status }, idempotencyKey, (now) => done(animalName(now)));
      }}
    />
  );
}
