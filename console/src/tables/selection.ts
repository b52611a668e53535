import { computed, signal } from '@preact/signals';
import type { Identified } from '../lists/list-place.ts';
import type { RecordList } from '../lists/record-list.ts';

/** Rows from the first of a range to the last one, which are added to `base` or removed from it. */
interface Range<Row> {
  readonly base: ReadonlyMap<bigint, Row>;
  readonly isAdded: boolean;
  readonly first: Row;
  readonly last: Row;
  readonly rows: readonly Row[];
}

/** The records that the user has selected in a list. They need not be loaded. */
export function createSelection<Row extends Identified>(list: RecordList<Row>) {
  const rows = signal<ReadonlyMap<bigint, Row>>(new Map());
  /** Also while all are read. */
  const isAll = signal(false);
  const reading = createReading();
  let range: Range<Row> | undefined;

  function set(next: ReadonlyMap<bigint, Row>): void {
    reading.stop();
    rows.value = next;
    isAll.value = false;
  }

  function setRows(records: readonly Row[]): void {
    range = undefined;
    set(new Map(records.map((row) => [row.id, row])));
  }

  return {
    rows,
    isReading: reading.isRunning,
    /** How much of the list is selected. */
    extent: computed(() => (isAll.value ? 'all' : rows.value.size > 0 ? 'some' : 'none')),
    has: ({ id }: Row): boolean => rows.value.has(id),
    set: setRows,
    /** Keeps the new data of a selected record. */
    changed(row: Row): void {
      if (rows.peek().has(row.id)) rows.value = new Map(rows.peek()).set(row.id, row);
    },
    toggle(row: Row): void {
      const next = new Map(rows.peek());
      const isAdded = !next.delete(row.id);
      if (isAdded) next.set(row.id, row);
      range = startRange(next, row, isAdded);
      set(next);
    },
    /** Changes all rows from the last one that was changed, or else from another one, to this one. */
    async extendTo(row: Row, from = row): Promise<void> {
      const current = range ?? startRange(rows.peek(), from, true);
      const found = await reading.run((stopped) => readRange(list, current, row, stopped));
      if (found === undefined) return;
      range = { ...current, last: row, rows: found };
      const next = new Map(current.base);
      for (const one of found) {
        if (!current.isAdded) next.delete(one.id);
        else if (!list.rows.gone.has(one.id)) next.set(one.id, one);
      }
      set(next);
    },
    /** Selects all records of the list, also those that are not loaded. */
    async selectAll(): Promise<void> {
      isAll.value = true;
      try {
        const all = await reading.run(list.readAll);
        if (all === undefined) return;
        setRows(all);
        isAll.value = all.length > 0;
      } catch (error) {
        isAll.value = false;
        throw error;
      }
    },
  };
}

export type Selection<Row extends Identified> = ReturnType<typeof createSelection<Row>>;

function startRange<Row>(base: ReadonlyMap<bigint, Row>, row: Row, isAdded: boolean): Range<Row> {
  return { base, isAdded, first: row, last: row, rows: [row] };
}

/** The rows from the first one of a range to another one. Rows of the range are not read again. */
async function readRange<Row extends Identified>(
  list: RecordList<Row>,
  { first, last, rows }: Range<Row>,
  next: Row,
  stopped: AbortSignal,
): Promise<readonly Row[]> {
  const loaded = list.between(first.id, next.id);
  if (loaded !== undefined) return loaded;
  const more = await list.readRange(last, next, stopped);
  // Only a list that is in the order of its ids has rows that are not loaded.
  const [low, high] = first.id < next.id ? [first.id, next.id] : [next.id, first.id];
  return [...rows, ...more].filter(({ id }) => id >= low && id <= high);
}

/** A read that another one replaces. The result of a stopped one is undefined. */
function createReading() {
  const isRunning = signal(false);
  let current = new AbortController();
  return {
    isRunning,
    stop: () => current.abort(),
    async run<Result>(
      read: (stopped: AbortSignal) => Promise<Result>,
    ): Promise<Result | undefined> {
      current.abort();
      const own = new AbortController();
      current = own;
      isRunning.value = true;
      try {
        const result = await read(own.signal);
        return own.signal.aborted ? undefined : result;
      } catch (error) {
        if (own.signal.aborted) return undefined;
        throw error;
      } finally {
        if (current === own) isRunning.value = false;
      }
    },
  };
}
