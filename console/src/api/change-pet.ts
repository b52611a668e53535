import type { Pet, PetPatch } from '../../../client/src/contract.ts';
import { undoTexts as texts } from '../texts/undo.ts';
import { changeAsShown } from './as-shown.ts';
import { currentApi } from './session.ts';

/** Changes an animal if it is as its user saw it. If not, it throws the text about what the animal is now. */
export function changePet(
  shown: Pet,
  patch: PetPatch,
  idempotencyKey: string,
  textOf: (now: Pet | undefined) => string,
): Promise<Pet> {
  const { pets } = currentApi();
  return changeAsShown(shown, {
    send: (ifMatch) => pets.update(shown.id, patch, { ifMatch, idempotencyKey }),
    // An empty change returns the animal with its version.
    read: () => pets.update(shown.id, {}),
    changed(now) {
      throw new Error(textOf(now));
    },
  });
}

/** Returns a function that changes an animal back, unless it has changed since `after`. */
export function createChangeBack(
  after: Pet,
  patch: PetPatch,
): (idempotencyKey: string) => Promise<Pet> {
  const textOf = (now: Pet | undefined) => (now ? texts.changedAgain(now) : texts.gone);
  const isOfSale = after.status === 'sold' && patch.status !== undefined;
  const lastSale = isOfSale ? readLastSale(after.id) : undefined;
  // A key without the permission to see orders has only the version.
  const known = lastSale?.catch(() => 'unread' as const);
  return async (idempotencyKey) => {
    const before = await known;
    // An animal that was made available and sold again has the same version again.
    const isSoldAgain =
      isOfSale && before !== 'unread' && (await readLastSale(after.id)) !== before;
    if (isSoldAgain) throw new Error(textOf(after));
    return changePet(after, patch, idempotencyKey, textOf);
  };
}

/** The order that sold an animal last. */
async function readLastSale(petId: bigint): Promise<bigint | undefined> {
  const list = currentApi().orders.list({ petId, status: 'shipped', limit: 1 });
  const [last] = await list.toArray({ max: 1 });
  return last?.id;
}
