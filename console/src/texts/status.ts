import type { OrderStatus, PetStatus } from '../../../client/src/contract.ts';
import type { Key } from '../contract.ts';

/** The words for each status. An animal and the order that reserves it have the same one, although both are `pending` in the API. */
const names: Readonly<Record<PetStatus | OrderStatus | Key['state'], string>> = {
  available: 'available',
  pending: 'reserved',
  sold: 'sold',
  shipped: 'handed over',
  cancelled: 'cancelled',
  active: 'active',
  expired: 'expired',
  revoked: 'revoked',
};

/** The word for a status of an animal, an order or a key. Later statuses have the word of the API. */
export function statusName(status: string): string {
  const known: Readonly<Record<string, string>> = names;
  return known[status] ?? status;
}

/** The same for a choice or a heading. */
export function statusTitle(status: string): string {
  const word = statusName(status);
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
