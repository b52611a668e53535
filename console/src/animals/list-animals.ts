import type { Pet } from '../../../client/src/contract.ts';
import { changedPet } from '../api/announce.ts';
import { callConsole, currentApi } from '../api/session.ts';
import type { PagedList, Place } from '../lists/list-pages.ts';
import type { OpenList } from '../lists/list-state.ts';
import { createMatch, type Filter, filteredBefore, isCounted, type Order } from './filter.ts';

/** The animals of a filter in an order, as a screen shows them. */
export function openAnimals(filter: Filter, order: Order): OpenList<Pet> {
  const matches = createMatch(filter);
  const sort = order === 'newest' ? undefined : 'id';
  return {
    kind: 'pet',
    recordOf: changedPet,
    newest: order === 'newest' ? 'start' : 'end',
    read: (signal, place) => listAnimals(filter, order, place, signal),
    readByIds: (ids, signal) =>
      currentApi().pets.list({ ids, limit: 100 }, { signal }).toArray({ max: 100 }),
    ...(isCounted(filter)
      ? {
          idAt: async (position: number) => {
            const query = { position, status: filter.status, sort };
            return (await callConsole('findPetAtPosition', { query })).id ?? undefined;
          },
        }
      : {}),
    adds({ event, isOwn = false }) {
      if (event.type === 'pet.created') return isOwn || matches(event.data);
      if (event.type !== 'pet.updated') return false;
      // An animal that was on no page yet may match now.
      const { data, previous } = event;
      return matches(data) && !matches(filteredBefore(data, previous));
    },
  };
}

/** The animals that match, in an order. If a number was searched, its animal is the first. */
export function listAnimals(
  { id, ...filter }: Filter,
  order: Order,
  { from, isBackwards = false }: Place = {},
  signal?: AbortSignal,
): PagedList<Pet> {
  const { pets } = currentApi();
  const sort = (order === 'newest') === isBackwards ? 'id' : undefined;
  const list = pets.list({ ...filter, sort, from, limit: 100 }, { signal });
  if (id === undefined) return list;
  const record = pets.list({ ...filter, name: undefined, ids: [id] }, { signal });
  return putFirst(record, list, id);
}

/** The page after that of the searched number. */
const afterNumber = 'after-number';

/** A list after its record of an id, which may have another place in it. It is a page, because a search can take longer. */
function putFirst(record: PagedList<Pet>, list: PagedList<Pet>, id: bigint): PagedList<Pet> {
  return {
    async *pages({ from } = {}) {
      if (from === undefined) {
        for await (const { items } of record.pages()) {
          if (items.length > 0) yield { items, next: afterNumber };
        }
      }
      for await (const page of list.pages({ from: from === afterNumber ? undefined : from })) {
        yield { ...page, items: page.items.filter((pet) => pet.id !== id) };
      }
    },
  };
}
