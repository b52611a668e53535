import type { Order } from '../../../client/src/contract.ts';
import { changedOrder } from '../api/announce.ts';
import { tagOf } from '../api/changes.ts';
import { currentApi, hasScope } from '../api/session.ts';
import type { Reserved } from '../orders/reservations.tsx';
import { usePages } from '../parts/page-list.tsx';

/** Orders that are read at once. The page reads the events of each. */
const pageCount = 20;

export type Orders = ReturnType<typeof useOrders>;

/** The orders of an animal, newest first. They are read again after each event, because events have no note. */
export function useOrders(petId: bigint) {
  return usePages<Order, string>(
    ['orders-of', String(petId)],
    async (from, signal) => {
      const list = currentApi().orders.list({ petId, limit: pageCount }, { signal });
      for await (const { items, next = null } of list.pages({ from })) return { rows: items, next };
      return { rows: [], next: null };
    },
    {
      isEnabled: hasScope('orders:read'),
      tags: () => [tagOf('orders-of', petId)],
      patch(before, change) {
        const order = changedOrder(change);
        if (order?.petId !== petId) return before;
        const isNew = !before.rows.some(({ id }) => id === order.id);
        const rows = before.rows.map((one) => (one.id === order.id ? order : one));
        return { ...before, rows: isNew ? [order, ...rows] : rows };
      },
    },
  );
}

/** The order that reserves the animal. */
export const openOrderOf = ({ page }: Orders): Order | undefined =>
  page?.rows.find(({ status }) => status === 'pending');

/** The order that reserves the animal, or that there is none. Undefined until the orders are read. */
export function reservedBy(orders: Orders): Reserved | undefined {
  return openOrderOf(orders) ?? (orders.isCurrent ? 'none' : undefined);
}
