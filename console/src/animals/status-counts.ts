import type { Inventory } from '../../../client/src/contract.ts';
import { currentApi } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { type Filter, isCounted } from './filter.ts';

/** The number of animals of each status, once it is known. */
export function useStatusCounts(): Inventory | undefined {
  return useQuery<Inventory>({
    key: ['inventory'],
    read: (signal) => currentApi().inventory.count({ signal }),
    tags: () => ['pet'],
  }).data;
}

/** The number of animals that match, unless only the service could count them. */
export function countMatches(filter: Filter, counts: Inventory | undefined): number | undefined {
  if (counts === undefined || !isCounted(filter)) return undefined;
  const { available, pending, sold } = counts;
  return Number(filter.status === undefined ? available + pending + sold : counts[filter.status]);
}
