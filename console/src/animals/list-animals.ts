import type { Pet } from '../../../client/src/contract.ts';
import type { PagedList, Place } from '../api/list-loader.ts';
import { currentApi } from '../api/session.ts';
import type { Filter, Order } from './filter.ts';

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
  const { status, categoryId } = filter;
  return putFirst(pets.list({ status, categoryId, ids: [id] }, { signal }), list, id);
}

/** A list after its record of an id, which may have another place in it. */
function putFirst(record: PagedList<Pet>, list: PagedList<Pet>, id: bigint): PagedList<Pet> {
  const readRecord = async () => {
    for await (const { items } of record.pages()) return items;
    return [];
  };
  return {
    async *pages({ from } = {}) {
      // Both are read at the same time.
      const [first, pages] = [from === undefined ? readRecord() : [], list.pages({ from })];
      const others = pages[Symbol.asyncIterator]();
      let [found, page] = await Promise.all([first, others.next()]);
      while (page.done !== true) {
        const { items, next } = page.value;
        yield { items: [...found, ...items.filter((pet) => pet.id !== id)], next };
        [found, page] = [[], await others.next()];
      }
    },
  };
}
