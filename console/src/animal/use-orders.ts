import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Order } from '../../../client/src/contract.ts';
import { listen } from '../api/live.ts';
import { messageOf } from '../api/service.ts';
import { currentApi, hasScope } from '../api/session.ts';
import { showError } from '../parts/notices.tsx';

/** `none` if the session may not read orders. */
export type OrdersState =
  | { readonly is: 'none' | 'loading' }
  | { readonly is: 'failed'; readonly message: string }
  | {
      readonly is: 'read';
      readonly orders: readonly Order[];
      readonly hasMore: boolean;
      /** False after an event, until the orders are read again. */
      readonly isCurrent: boolean;
    };

/** Orders that are read at once. The page reads the events of each. */
const pageCount = 20;

const rereadMilliseconds = 200;

/** The orders of an animal, newest first. They are read again after each event, because events have no note. */
export function useOrders(petId: bigint) {
  const isAllowed = hasScope('orders:read');
  const state = useSignal<OrdersState>({ is: isAllowed ? 'loading' : 'none' });
  const reads = useMemo(() => ({ count: 0, pageCount, isAsked: false }), []);

  async function read(): Promise<void> {
    reads.count += 1;
    const { count } = reads;
    try {
      const orders: Order[] = [];
      let hasMore = false;
      for await (const page of currentApi().orders.list({ petId, limit: pageCount }).pages()) {
        orders.push(...page.items);
        hasMore = page.next !== undefined;
        if (orders.length >= reads.pageCount) break;
      }
      // An event during this time has started another read.
      if (count !== reads.count) return;
      reads.isAsked = false;
      state.value = { is: 'read', orders, hasMore, isCurrent: true };
    } catch (error) {
      if (count !== reads.count) return;
      if (state.peek().is !== 'read') state.value = { is: 'failed', message: messageOf(error) };
      else if (reads.isAsked) showError(error);
      reads.isAsked = false;
    }
  }

  useEffect(() => {
    if (!isAllowed) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    void read();
    const stopListening = listen((update) => {
      const isOfAnimal = update === 'reset' || isAbout(petId, update.event);
      if (!isOfAnimal) return;
      reads.count += 1;
      const before = state.peek();
      if (before.is === 'read') state.value = { ...before, isCurrent: false };
      clearTimeout(timer);
      timer = setTimeout(() => void read(), rereadMilliseconds);
    });
    return () => {
      stopListening();
      clearTimeout(timer);
      reads.count += 1;
    };
  }, []);

  return {
    state: state.value,
    read: () => void read(),
    readOlder(): void {
      reads.pageCount += pageCount;
      // Also for the read that an event starts in place of this one.
      reads.isAsked = true;
      void read();
    },
  };
}

/** The event of the animal can come before that of the order that changed it. */
function isAbout(
  petId: bigint,
  { type, data }: { readonly type: string; readonly data: object },
): boolean {
  if (type.startsWith('order.')) return 'petId' in data && data.petId === petId;
  return type.startsWith('pet.') && 'id' in data && data.id === petId;
}

/** The order that reserves the animal. */
export function openOrderOf(state: OrdersState): Order | undefined {
  return state.is === 'read' ? state.orders.find(({ status }) => status === 'pending') : undefined;
}

/** Whether it is certain that no order reserves the animal. */
export function hasNoOpenOrder(state: OrdersState): boolean {
  return state.is === 'read' && state.isCurrent && openOrderOf(state) === undefined;
}
