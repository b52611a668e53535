import { useRef } from 'preact/hooks';
import type { Order } from '../../../client/src/contract.ts';
import { changedOrder } from '../api/announce.ts';
import { tagOf } from '../api/changes.ts';
import { messageOf } from '../api/service.ts';
import { currentApi, hasScope } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { showError } from '../parts/notices.tsx';

interface OrdersRead {
  readonly orders: readonly Order[];
  readonly hasMore: boolean;
}

/** `none` if the session may not read orders. */
export type OrdersState =
  | { readonly is: 'none' | 'loading' }
  | { readonly is: 'failed'; readonly message: string }
  | (OrdersRead & {
      readonly is: 'read';
      /** False while the orders are read again. */
      readonly isCurrent: boolean;
    });

/** Orders that are read at once. The page reads the events of each. */
const pageCount = 20;

/** The orders of an animal, newest first. They are read again after each event, because events have no note. */
export function useOrders(petId: bigint) {
  const isAllowed = hasScope('orders:read');
  const wantedCount = useRef(pageCount);
  const { data, error, isFetching, refetch } = useQuery<OrdersRead>({
    key: ['orders-of', String(petId)],
    isEnabled: isAllowed,
    read: (signal) => readOrders(petId, wantedCount.current, signal),
    tags: () => [tagOf('orders-of', petId)],
    patch(before, change) {
      const order = changedOrder(change);
      if (order?.petId !== petId) return before;
      const others = before.orders.filter(({ id }) => id !== order.id);
      if (change.type === 'order.created') return { ...before, orders: [order, ...others] };
      return {
        ...before,
        orders: before.orders.map((one) => (one.id === order.id ? order : one)),
      };
    },
  });
  function state(): OrdersState {
    if (!isAllowed) return { is: 'none' };
    if (data !== undefined) return { is: 'read', ...data, isCurrent: !isFetching };
    if (error === null || isFetching) return { is: 'loading' };
    return { is: 'failed', message: messageOf(error) };
  }
  return {
    state: state(),
    read: () => void refetch(),
    async readOlder(): Promise<void> {
      wantedCount.current += pageCount;
      const read = await refetch();
      if (read.isError) showError(read.error);
    },
  };
}

async function readOrders(
  petId: bigint,
  wantedCount: number,
  signal: AbortSignal,
): Promise<OrdersRead> {
  const orders: Order[] = [];
  for await (const page of currentApi()
    .orders.list({ petId, limit: pageCount }, { signal })
    .pages()) {
    orders.push(...page.items);
    if (page.next === undefined) return { orders, hasMore: false };
    if (orders.length >= wantedCount) break;
  }
  return { orders, hasMore: true };
}

/** The order that reserves the animal. */
export function openOrderOf(state: OrdersState): Order | undefined {
  return state.is === 'read' ? state.orders.find(({ status }) => status === 'pending') : undefined;
}

/** Whether it is certain that no order reserves the animal. */
export function hasNoOpenOrder(state: OrdersState): boolean {
  return state.is === 'read' && state.isCurrent && openOrderOf(state) === undefined;
}
