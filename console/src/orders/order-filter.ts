import type { Order } from '../../../client/src/contract.ts';
import { hasSeenCharacter } from '../../../src/domain/name.ts';
import { noteLengthMax, orderStatuses } from '../../../src/domain/order.ts';
import { createSearch } from '../../../src/domain/search.ts';
import { parseInteger } from '../api/integer.ts';

export type OrderFilter = ReturnType<typeof readFilter>;

export function readFilter(query: URLSearchParams) {
  const search = query.get('search')?.slice(0, noteLengthMax).trim() ?? '';
  return {
    status: orderStatuses.find((status) => status === query.get('status')),
    search: hasSeenCharacter(search) ? search : undefined,
  };
}

/** Whether a search finds an order: by its note, the name of its animal, or the number of one of them. */
export function createSearchMatch(search: string): (order: Order, animal?: string) => boolean {
  const isFound = createSearch(search);
  const number = parseInteger(search);
  return ({ id, petId, note }, animal) =>
    id === number ||
    petId === number ||
    (note !== undefined && isFound(note)) ||
    (animal !== undefined && isFound(animal));
}
