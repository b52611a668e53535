import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Order } from '../../../client/src/contract.ts';
import { createBatch } from '../api/read-batch.ts';
import type { RecordList } from '../api/record-list.ts';
import { currentApi, hasScope } from '../api/session.ts';
import { useRecordList } from '../parts/list-screen.tsx';
import { readNames } from './animal-names.ts';
import { createSearchMatch, type OrderFilter } from './order-filter.ts';
import { createOrderSearch } from './order-search.ts';

/** The orders of a filter. Events have no notes, so an order whose event comes is read again. */
export function useOrderList({ status, search }: OrderFilter) {
  const key = JSON.stringify([status, search]);
  /** The list in which not all animals of a name were compared. */
  const incompleteKey = useSignal<string | undefined>(undefined);
  const lists = useMemo(() => {
    if (search === undefined) {
      return (signal: AbortSignal) => currentApi().orders.list({ status, limit: 100 }, { signal });
    }
    return createOrderSearch({
      text: search,
      status,
      mayReadAnimals: hasScope('pets:read'),
      onManyAnimals: () => {
        incompleteKey.value = key;
      },
    });
  }, [key]);
  const current = useRef<RecordList<Order> | undefined>(undefined);
  const rereading = useMemo(() => {
    const matches = search === undefined ? undefined : createSearchMatch(search);
    return createRereading(() => current.current, matches);
  }, [key]);
  useEffect(() => rereading.stop, [rereading]);
  const list = useRecordList<Order>(key, lists, (rows, { type, data, previous }, isOwn) => {
    if (type !== 'order.created' && type !== 'order.updated') return;
    const before = type === 'order.created' ? undefined : (previous?.status ?? data.status);
    const isNew = status === undefined ? before === undefined : before !== data.status;
    const isAdded = isNew && (status === undefined || data.status === status);
    // A change of this page has the note.
    if (isOwn) {
      rows.changed(data);
      if (isAdded) rows.added(data);
      return;
    }
    const shown = rows.items.find(({ id }) => id === data.id);
    if (shown !== undefined) rows.changed({ ...data, note: shown.note });
    if (isAdded && search === undefined) rows.addedByOthers(data.id);
    else if (isAdded || shown !== undefined) rereading.want(data.id, isAdded);
  });
  current.current = list;
  return { list, hasManyAnimals: incompleteKey.value === key };
}

/** Reads orders whose events came again, with their notes. `matches` is the search of the list. */
function createRereading(
  listOf: () => RecordList<Order> | undefined,
  matches: ReturnType<typeof createSearchMatch> | undefined,
) {
  /** Orders that the list has not shown yet. */
  const unseen = new Set<bigint>();
  const batch = createBatch(async (ids, signal) => {
    const orders = await currentApi()
      .orders.list({ ids, limit: 100 }, { signal })
      .toArray({ max: 100 });
    const isSearched = matches !== undefined && hasScope('pets:read');
    const petIds = orders.map(({ petId }) => petId);
    const names = isSearched ? await readNames(petIds, signal) : undefined;
    const list = listOf();
    list?.apply(() => {
      for (const order of orders) {
        list.rows.changed(order);
        const isFound = matches?.(order, names?.get(order.petId)) ?? true;
        if (unseen.has(order.id) && isFound) list.rows.addedByOthers(order.id);
      }
    });
    for (const id of ids) unseen.delete(id);
  });
  return {
    want(id: bigint, isUnseen: boolean): void {
      if (isUnseen) unseen.add(id);
      batch.want(id);
    },
    stop: batch.stop,
  };
}
