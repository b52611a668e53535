/** What a row of a list has at least. */
export interface Identified {
  readonly id: bigint;
}

export type Edge = 'start' | 'end';

/** Consecutive records of a list, which are found by their ids. */
export function createSequence<Row extends Identified>() {
  let items: Row[] = [];
  /** Keys of consecutive records are consecutive. They stay the same when records are put before them. */
  let keys = new Map<bigint, number>();
  let firstKey = 0;

  return {
    get items(): readonly Row[] {
      return items;
    },
    has: (id: bigint) => keys.has(id),
    clear(): void {
      items = [];
      keys = new Map();
    },
    /** Adds records at an edge, except those that it has already, and returns the number of new ones. */
    join(edge: Edge, records: readonly Row[]): number {
      const others = records.filter(({ id }) => !keys.has(id));
      if (edge === 'start') {
        firstKey -= others.length;
        items = [...others, ...items];
      } else items.push(...others);
      const key = edge === 'start' ? firstKey : firstKey + items.length - others.length;
      for (const [index, { id }] of others.entries()) keys.set(id, key + index);
      return others.length;
    },
    replace(record: Row): void {
      const key = keys.get(record.id);
      if (key !== undefined) items[key - firstKey] = record;
    },
    /** The records from one to another, in any order, if it has both. */
    between(one: bigint, other: bigint): readonly Row[] | undefined {
      const [first, last] = [keys.get(one), keys.get(other)].sort((a = 0, b = 0) => a - b);
      if (first === undefined || last === undefined) return undefined;
      return items.slice(first - firstKey, last - firstKey + 1);
    },
  };
}
