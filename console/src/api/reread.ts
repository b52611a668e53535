import type { Pet } from '../../../client/src/contract.ts';
import { announceOwnChange } from './announce.ts';
import { isOfLeftPage } from './service.ts';
import { currentApi } from './session.ts';

/** Reads an animal and shows it in all lists. Undefined if it is deleted or could not be read. */
export async function rereadAnimal(id: bigint): Promise<Pet | undefined> {
  try {
    // A dialog waits for this, so it is tried once.
    const options = { retryMillisecondsMax: 0 };
    const [pet] = await currentApi()
      .pets.list({ ids: [id] }, options)
      .toArray({ max: 1 });
    announceOwnChange(
      pet === undefined
        ? { type: 'pet.deleted', data: { id } }
        : { type: 'pet.updated', data: pet },
    );
    return pet;
  } catch (error) {
    // The caller would show its result in a page that is not its own.
    if (isOfLeftPage(error)) return new Promise(() => {});
    return undefined;
  }
}
