import { tagOf } from '../api/changes.ts';
import { currentApi, hasScope } from '../api/session.ts';
import { type Lookup, useOfRows } from '../tables/of-rows.ts';

/** The current names of the animals of the orders. */
export function useAnimalNames(
  pages: readonly (readonly { readonly petId: bigint; readonly id: bigint }[])[],
): Lookup<string> {
  return useOfRows(pages, (orders) => {
    const ids = [...new Set(orders.map(({ petId }) => petId))];
    return {
      key: ['pet-names', ids.join()],
      isEnabled: hasScope('pets:read') && ids.length > 0,
      read: (signal) => readNames(ids, signal),
      tags: () => ids.map((id) => tagOf('pet', id)),
    };
  }).found;
}

/** The names of at most a hundred animals, by their numbers. Deleted animals have none. */
export async function readNames(
  ids: readonly bigint[],
  signal: AbortSignal,
): Promise<ReadonlyMap<bigint, string>> {
  const pets = await currentApi().pets.list({ ids, limit: 100 }, { signal }).toArray({ max: 100 });
  return new Map(pets.map(({ id, name }) => [id, name]));
}
