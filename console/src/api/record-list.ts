import { type Signal, signal } from '@preact/signals';
import { allRecords, createListLoader, type ListLoader, type ListSource } from './list-loader.ts';
import { createReads, createSeeking } from './list-reads.ts';
import { createListWindow, type ListWindow } from './list-window.ts';
import { createReplay } from './replay.ts';
import type { Edge, Identified } from './sequence.ts';

/** The window is extended if fewer rows than this are beyond those in sight. */
const aheadRows = 150;

/** Rows of a page. */
const pageRows = 100;

/** If those in sight are farther from the window, it is opened at their place. */
const nearRows = 200;

interface ListState<Row extends Identified> {
  readonly rows: ListWindow<Row>;
  readonly reads: ReturnType<typeof createReads>;
  readonly seeking: ReturnType<typeof createSeeking>;
  readonly opened: Signal<{ readonly at: Edge }>;
  source: ListSource<Row>;
  loader: ListLoader;
  /** The number of records, if the service counts them. */
  expected: number | undefined;
  /** The rows are those of the list before, until the first page is read. */
  isStale: boolean;
  /** The place of the first row in sight. */
  firstSeen: number;
}

/**
 * A list of the service, of which a window is loaded and kept up to date by events. If the number of records is known, the window
 * can be opened at any place. Otherwise it grows from the start of the list.
 */
export function createRecordList<Row extends Identified>(source: ListSource<Row>) {
  const rows = createListWindow<Row>();
  const replay = createReplay();
  const isComplete = () => rows.place.reached.start && rows.place.reached.end;
  const reads = createReads(replay.record, isComplete);
  const state: ListState<Row> = {
    rows,
    reads,
    seeking: createSeeking(reads, (...place) => state.loader.openPlace(...place)),
    opened: signal({ at: 'start' }),
    source,
    loader: createListLoader(rows, source),
    expected: undefined,
    isStale: true,
    firstSeen: 0,
  };
  return {
    rows,
    /** Changes when the list is shown from an edge. */
    opened: state.opened,
    state: reads.state,
    message: reads.message,
    retry: reads.retry,
    see: (first: number, last: number) => see(state, first, last),
    goTo: (edge: Edge) => goTo(state, edge),
    /** Applies an event to the rows. */
    apply: replay.apply,
    /** Reads another list. The rows of the one before stay until its first page. */
    show(next: ListSource<Row>): void {
      Object.assign(state, { source: next, loader: createListLoader(rows, next), isStale: true });
      void open(state, 'start');
    },
    /** The number of records, if the service counts them. */
    expect(count: number | undefined): void {
      state.expected = count;
      if (!state.isStale) rows.describe({ newest: state.source.newest, expected: count });
    },
    reload: () => reload(state),
    /** Shows the new records of others. */
    showNew: (): Promise<void> => open(state, state.source.newest),
    ...createRanges(state),
    stop(): void {
      state.seeking.forget();
      state.isStale = true;
      reads.stop();
    },
  };
}

export type RecordList<Row extends Identified> = ReturnType<typeof createRecordList<Row>>;

/** Shows the list from an edge. */
async function open<Row extends Identified>(state: ListState<Row>, edge: Edge): Promise<void> {
  state.seeking.forget();
  await state.reads.run(async (stopped) => {
    await readEdge(state, edge, stopped);
    state.opened.value = { at: edge };
  });
}

/** Reads the window at an edge, also the new records. */
function readEdge<Row extends Identified>(
  state: ListState<Row>,
  edge: Edge,
  stopped: AbortSignal,
): Promise<void> {
  const { rows, source, loader } = state;
  return loader.openEdge(edge, stopped, () => {
    if (state.isStale || edge === source.newest) rows.forgetUnseen();
    rows.describe({ newest: source.newest, expected: state.expected });
    state.isStale = false;
  });
}

/** Reads the list again. If that is possible, the rows in sight stay in sight. */
function reload<Row extends Identified>(state: ListState<Row>): Promise<void> {
  const { rows, reads, loader, firstSeen } = state;
  const row = rows.items[firstSeen - rows.place.before];
  const isNearStart = firstSeen < pageRows;
  const canOpen = state.expected !== undefined && row !== undefined;
  if (state.isStale || !(isNearStart || canOpen)) return open(state, 'start');
  state.seeking.forget();
  return reads.run((stopped) =>
    isNearStart || row === undefined
      ? readEdge(state, 'start', stopped)
      : loader.openFrom(row.id, firstSeen, stopped),
  );
}

function extend<Row extends Identified>(state: ListState<Row>, edge: Edge): Promise<void> {
  return state.reads.run((stopped) => state.loader.extend(edge, stopped));
}

/** Reads what is in sight, or will be soon. */
function see<Row extends Identified>(state: ListState<Row>, first: number, last: number): void {
  if (state.isStale) return;
  const { rows, expected, seeking, reads } = state;
  state.firstSeen = first;
  if (expected !== undefined && isFar(rows, first, last)) seeking.to(first, last);
  else {
    seeking.forget();
    const edge = edgeToExtend(rows, first, last);
    if (edge !== undefined && reads.isIdle()) void extend(state, edge);
  }
}

/** Opens the window at an edge, or reads up to it; false if that failed. */
async function goTo<Row extends Identified>(state: ListState<Row>, edge: Edge): Promise<boolean> {
  const { rows, reads } = state;
  if (state.isStale) return false;
  const canOpen = state.expected !== undefined;
  if (canOpen && !rows.place.reached[edge]) await open(state, edge);
  while (!canOpen && !rows.place.reached[edge]) {
    await (reads.done() ?? extend(state, edge));
    if (reads.state.peek() === 'failed' || state.isStale) break;
  }
  return rows.place.reached[edge];
}

/** Whether rows are so far from the window that it is opened at their place. */
function isFar<Row extends Identified>(rows: ListWindow<Row>, first: number, last: number) {
  const { before } = rows.place;
  return last < before - nearRows || first > before + rows.items.length + nearRows;
}

/** The edge at which the window needs more rows. Those in sight come first. */
function edgeToExtend<Row extends Identified>(
  { place, items }: ListWindow<Row>,
  first: number,
  last: number,
): Edge | undefined {
  const { before, reached } = place;
  const needsStart = !reached.start && first - aheadRows < before;
  const needsEnd = !reached.end && last + aheadRows >= before + items.length;
  if (needsStart && (first < before || !needsEnd)) return 'start';
  return needsEnd ? 'end' : undefined;
}

/** Rows for a selection or a print, also those that are not loaded. */
function createRanges<Row extends Identified>(state: ListState<Row>) {
  const { rows } = state;
  return {
    /** All records except new ones that are not shown, in the order of the list. */
    async readAll(signal: AbortSignal): Promise<Row[]> {
      const all: Row[] = [];
      for await (const row of allRecords(state.source.read(signal, {}))) all.push(row);
      return all.filter(({ id }) => !rows.isUnseen(id));
    },
    /** The records from one to another, in any order. */
    async readRange(one: Row, other: Row, signal: AbortSignal): Promise<readonly Row[]> {
      const loaded = rows.between(one.id, other.id);
      if (loaded !== undefined) return loaded;
      const { read, newest } = state.source;
      const isAscending = newest === 'end';
      const [first, last] = one.id < other.id === isAscending ? [one, other] : [other, one];
      const found: Row[] = [];
      for await (const row of allRecords(read(signal, { from: first.id }))) {
        const isBeyond = isAscending ? row.id > last.id : row.id < last.id;
        if (isBeyond) break;
        if (!rows.isUnseen(row.id)) found.push(row);
      }
      return found;
    },
  };
}
