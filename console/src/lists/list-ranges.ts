import { allRecords } from './list-pages.ts';
import type { Identified } from './list-place.ts';
import type { ListState } from './list-state.ts';

/** Rows for a selection or a print, also those that are not loaded. */
export function rangesOf<Row extends Identified>(state: ListState<Row>) {
  const { unseen } = state;
  return {
    /** The rows from one to another, in any order, if they are loaded. */
    between(one: bigint, other: bigint): readonly Row[] | undefined {
      const places = [one, other].map((id) => state.items.findIndex((row) => row.id === id));
      const [first = -1, last = -1] = places.sort((left, right) => left - right);
      return first < 0 ? undefined : state.items.slice(first, last + 1);
    },
    /** All records except new ones that are not shown, in the order of the list. */
    async readAll(signal: AbortSignal): Promise<Row[]> {
      const all: Row[] = [];
      for await (const row of allRecords(state.list.read(signal, {}))) all.push(row);
      return all.filter(({ id }) => !unseen.has(id));
    },
    /** The records from one to another, in any order. */
    async readRange(one: Row, other: Row, signal: AbortSignal): Promise<readonly Row[]> {
      const { read, newest } = state.list;
      const isAscending = newest === 'end';
      const [first, last] = one.id < other.id === isAscending ? [one, other] : [other, one];
      const found: Row[] = [];
      for await (const row of allRecords(read(signal, { from: first.id }))) {
        const isBeyond = isAscending ? row.id > last.id : row.id < last.id;
        if (isBeyond) break;
        if (!unseen.has(row.id)) found.push(row);
      }
      return found;
    },
  };
}
