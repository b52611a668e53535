import { useRef } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { changedPet } from '../api/announce.ts';
import type { Query } from '../api/cache.ts';
import { tagOf } from '../api/changes.ts';
import { messageOf } from '../api/service.ts';
import { currentApi } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';

type AnimalState =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'found'; readonly pet: Pet }
  /** `last` is the animal before this page saw its deletion. */
  | { readonly is: 'absent'; readonly last?: Pet };

/** An animal, or null if there is none. */
const queryOf = (id: bigint): Query<Pet | null> => ({
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

/** One animal, kept up to date. */
export function useAnimal(id: bigint) {
  const { data: pet, isFetching, isFetchedAfterMount, error, refetch } = useQuery(queryOf(id));
  const last = useRef<Pet | undefined>(undefined);
  if (pet && isFetchedAfterMount) last.current = pet;
  function state(): AnimalState {
    if (pet) return { is: 'found', pet };
    if (pet === null) return last.current ? { is: 'absent', last: last.current } : { is: 'absent' };
    return error !== null && !isFetching
      ? { is: 'failed', message: messageOf(error) }
      : { is: 'loading' };
  }
  return { state: state(), load: () => void refetch() };
}
