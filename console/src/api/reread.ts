import type { Pet } from '../../../client/src/contract.ts';
import { announceOwnChange, type Change, listen } from './live.ts';
import { type Api, isOfLeftPage } from './service.ts';

/**
 * Reads an animal and shows it in all lists, unless a change of it arrives during the read, which may be newer. `unread` if the
 * animal could not be read.
 */
export async function rereadAnimal(
  id: bigint,
  sessionApi: Api,
): Promise<Pet | 'deleted' | 'unread'> {
  let isNewer = false;
  const stopListening = listen((update) => {
    if (update !== 'reset' && isOfAnimal(update.event, id)) isNewer = true;
  });
  try {
    // A dialog waits for this, so it is tried once.
    const options = { retryMillisecondsMax: 0 };
    const [pet] = await sessionApi.pets.list({ ids: [id] }, options).toArray({ max: 1 });
    if (!isNewer && pet !== undefined) announceOwnChange({ type: 'pet.updated', data: pet });
    return pet ?? 'deleted';
  } catch (error) {
    // The caller would show its result in a page that is not its own.
    if (isOfLeftPage(error)) return new Promise(() => {});
    return 'unread';
  } finally {
    stopListening();
  }
}

function isOfAnimal({ type, data }: Pick<Change, 'type' | 'data'>, id: bigint): boolean {
  return type.startsWith('pet.') && 'id' in data && data.id === id;
}
