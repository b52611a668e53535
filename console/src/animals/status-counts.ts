import type { Inventory } from '../../../client/src/contract.ts';
import { currentApi } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import type { Filter } from './filter.ts';

/** The number of animals of each status, once it is known. */
export function useStatusCounts(): Inventory | undefined {
  return useQuery<Inventory>({
    key: ['inventory'],
    read: (signal) => currentApi().inventory.count({ signal }),
    tags: () => ['pet'],
  }).data;
}

/** The number of all animals. */
export const countAll = ({ available, pending, sold }: Inventory): bigint =>
  available + pending + sold;

/** The number of animals that match, unless only the service could count them. */
export function countMatches(filter: Filter, counts: Inventory | undefined): number | undefined {
  const { status, name, categoryId } = filter;
  if (counts === undefined || name !== undefined || categoryId !== undefined) return undefined;
  return Number(status === undefined ? countAll(counts) : counts[status]);
}
