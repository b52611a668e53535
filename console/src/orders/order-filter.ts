import { hasSeenCharacter } from '../../../src/domain/name.ts';
import { noteLengthMax, orderStatuses } from '../../../src/domain/order.ts';

export type OrderFilter = ReturnType<typeof readFilter>;

export function readFilter(query: URLSearchParams) {
  const search = query.get('search')?.slice(0, noteLengthMax).trim() ?? '';
  return {
    status: orderStatuses.find((status) => status === query.get('status')),
    search: hasSeenCharacter(search) ? search : undefined,
  };
}
