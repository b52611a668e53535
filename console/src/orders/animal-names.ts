import { tagOf } from '../api/changes.ts';
import { splitIds } from '../api/ids.ts';
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

/** The names of animals by their numbers. Deleted animals have none. */
export async function readNames(
  ids: readonly bigint[],
  signal: AbortSignal,
): Promise<ReadonlyMap<bigint, string>> {
  const names = new Map<bigint, string>();
  for (const some of splitIds(ids)) {
    const list = currentApi().pets.list({ ids: some, limit: 100 }, { signal });
    for (const { id, name } of await list.toArray({ max: 100 })) names.set(id, name);
  }
  return names;
}
