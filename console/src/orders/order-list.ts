import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Order } from '../../../client/src/contract.ts';
import { changedOrder, listen } from '../api/announce.ts';
import { currentApi, hasScope } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import type { OpenList } from '../lists/list-state.ts';
import type { RecordList } from '../lists/record-list.ts';
import { useRecordList } from '../tables/list-screen.tsx';
import type { OrderFilter } from './order-filter.ts';
import { createOrderSearch } from './order-search.ts';

/** The orders of a filter. */
export function useOrderList(filter: OrderFilter) {
  const key = JSON.stringify([filter.status, filter.search]);
  /** The list in which not all animals of a name were compared. */
  const incompleteKey = useSignal<string | undefined>(undefined);
  const open = () =>
    openOrders(filter, () => {
      incompleteKey.value = key;
    });
  const list = useRecordList<Order>(key, open);
  useNewlyFound(key, filter, list, open);
  return { list, hasManyAnimals: incompleteKey.value === key };
}

/** Offers orders that a search finds since others added or changed some. Events have no notes, so the service searches again. */
function useNewlyFound(
  key: string,
  { search }: OrderFilter,
  list: RecordList<Order>,
  open: () => OpenList<Order>,
): void {
  const changedKey = useSignal<string | undefined>(undefined);
  const { data: found } = useQuery<readonly bigint[]>({
    key: ['found-orders', key],
    isEnabled: search !== undefined && changedKey.value === key,
    async read(signal) {
      for await (const { items } of open().read(signal, {}).pages()) {
        return items.map(({ id }) => id);
      }
      return [];
    },
    tags: () => ['order'],
  });
  useEffect(
    () =>
      listen((update) => {
        const isOther = update !== 'reset' && !update.isOwn;
        if (isOther && changedOrder(update.event) !== undefined) changedKey.value = key;
      }),
    [key],
  );
  useEffect(() => {
    if (found !== undefined) list.offer(found);
  }, [found]);
}

function openOrders({ status, search }: OrderFilter, onManyAnimals: () => void): OpenList<Order> {
  const mayReadAnimals = hasScope('pets:read');
  return {
    kind: 'order',
    recordOf: changedOrder,
    newest: 'start',
    read:
      search === undefined
        ? (signal) => currentApi().orders.list({ status, limit: 100 }, { signal })
        : createOrderSearch({ text: search, status, mayReadAnimals, onManyAnimals }),
    readByIds: (ids, signal) =>
      currentApi().orders.list({ ids, limit: 100 }, { signal }).toArray({ max: 100 }),
    adds({ event, isOwn = false }) {
      const order = changedOrder(event);
      // Events have no notes, so that only the service can search in them.
      if (order === undefined || (search !== undefined && !isOwn)) return false;
      if (event.type === 'order.created') return status === undefined || order.status === status;
      const { previous = {} } = event;
      return status === order.status && 'status' in previous;
    },
  };
}
