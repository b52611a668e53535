import type { Pet } from '../../../client/src/contract.ts';
import { changedPet } from '../api/announce.ts';
import { tagOf } from '../api/changes.ts';
import { currentApi } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';

/** An animal, kept up to date. Null if there is none. */
export const useAnimal = (id: bigint) =>
  useQuery<Pet | null>({
    key: ['pet', String(id)],
    async read(signal) {
      const list = currentApi().pets.list({ ids: [id] }, { signal });
      const [pet = null] = await list.toArray({ max: 1 });
      return pet;
    },
    tags: () => [tagOf('pet', id)],
    patch(pet, change) {
      if (change.type === 'pet.deleted') return change.data.id === id ? null : pet;
      const changed = changedPet(change);
      return changed?.id === id ? changed : pet;
    },
  });
