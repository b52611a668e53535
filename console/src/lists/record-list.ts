import { batch, computed } from '@preact/signals';
import { deletedId, listen, type Update } from '../api/announce.ts';
import { fetchOnce, forget, pageKind, retryFailed } from '../api/cache.ts';
import { messageOf } from '../api/service.ts';
import { type PageStart, pageQuery } from './list-pages.ts';
import { type Edge, type Identified, wholePlace } from './list-place.ts';
import { rangesOf } from './list-ranges.ts';
import {
  aheadRows,
  createListState,
  firstOf,
  followSight,
  type ListState,
  lengthOf,
  lookAt,
  type OpenList,
  pageOf,
  positionAt,
  refresh,
  rowsOf,
  settle,
  showsSight,
} from './list-state.ts';

/** Rows that are farther from those that are loaded are jumped to. Rows so near to an edge of the list are read from this edge. */
const nearRows = 200;

/** A drag of the scroll bar is read where it stays for this long. */
const restMilliseconds = 80;

/** Where a list is shown: from a page, whose place may be known, or from an edge. */
interface Opening {
  readonly start: PageStart | ((signal: AbortSignal) => Promise<PageStart>);
  readonly before?: number;
  readonly at?: Edge;
}

/**
 * A list of the service. Its pages are read as they come into sight, and those in sight again after changes. While it is open, its
 * rows do not move: new records of others are counted, and deleted ones keep their rows. A list with `idAt` can be shown at any
 * place. Others grow from their start.
 */
export function createRecordList<Row extends Identified>(list: OpenList<Row>) {
  const state = createListState(list);
  const stopListening = listen((update) => note(state, update));
  const { version, opened, reading, rereadFault } = state;
  return {
    rows: rowsOf(state),
    /** Changes when the list is shown from an edge. */
    opened,
    state: computed(() => {
      void version.value;
      if (reading.value !== 'ready') return reading.value;
      if (rereadFault.value !== undefined) return 'failed';
      return state.place.reached.start && state.place.reached.end ? 'complete' : 'ready';
    }),
    message: computed(() => rereadFault.value ?? state.message.value),
    retry(): void {
      if (reading.peek() === 'failed') state.lastRead();
      else retryFailed();
    },
    see: (first: number, last: number) => see(state, first, last),
    goTo: (edge: Edge) => goTo(state, edge),
    /** Shows another list. The rows of the one before stay until its first page. */
    show(next: OpenList<Row>): void {
      stopSeeking(state);
      Object.assign(state, { wanted: next, isStale: true });
      void open(state, next, { start: {}, at: 'start' }, nameOpening());
    },
    /** The number of records, if the service counts them. */
    expect(count: number | undefined): void {
      state.expected = count;
      if (!state.isStale) settle(state);
    },
    /** Offers records that the list has now. */
    offer(ids: readonly bigint[]): void {
      for (const id of ids) if (!state.ids.has(id)) state.unseen.add(id);
      settle(state);
    },
    /** Shows the new records of others. */
    showNew(): void {
      stopSeeking(state);
      void openEdge(state, state.list.newest, nameOpening());
    },
    ...rangesOf(state),
    stop(): void {
      stopListening();
      stopSeeking(state);
      state.current?.abort();
      state.current = undefined;
      state.followed.stop();
      forget([pageKind, state.opening]);
    },
  };
}

export type RecordList<Row extends Identified> = ReturnType<typeof createRecordList<Row>>;

let openingCount = 0;

function nameOpening(): string {
  openingCount += 1;
  return String(openingCount);
}

/** Reads something and then shows it, unless another read has replaced this one. False if it is not shown. */
async function run<Row extends Identified>(
  state: ListState<Row>,
  read: (signal: AbortSignal) => Promise<() => void>,
): Promise<boolean> {
  state.current?.abort();
  const current = new AbortController();
  Object.assign(state, { current, lastRead: () => void run(state, read) });
  state.reading.value = 'loading';
  try {
    const show = await read(current.signal);
    if (current !== state.current) return false;
    batch(() => {
      state.reading.value = 'ready';
      show();
    });
    return true;
  } catch (error) {
    if (current !== state.current) return false;
    state.message.value = messageOf(error);
    state.reading.value = 'failed';
    return false;
  }
}

/** Shows a list from a page. `opening` is that of the list, unless it is opened again. */
function open<Row extends Identified>(
  state: ListState<Row>,
  list: OpenList<Row>,
  { start, before, at }: Opening,
  opening: string,
): Promise<boolean> {
  return run(state, async (signal) => {
    const known = new Set(state.unseen);
    const found = typeof start === 'function' ? await start(signal) : start;
    await fetchOnce(pageQuery(opening, list, found));
    return () => {
      const last = state.opening;
      const { moved } = state.place;
      if (opening !== last) for (const id of known) state.unseen.delete(id);
      Object.assign(state, { list, opening, starts: [found], isStale: false });
      Object.assign(state, { pages: new Map(), ids: new Set() });
      state.place = { ...wholePlace, before: before ?? 0, moved };
      refresh(state);
      // It is shown from there, so that no row in sight has moved.
      if (before === undefined) state.place = { ...state.place, moved };
      if (at !== undefined) {
        lookAt(state, at);
        state.opened.value = { at };
      }
      if (opening !== last) forget([pageKind, last]);
    };
  });
}

function openEdge<Row extends Identified>(state: ListState<Row>, at: Edge, opening: string) {
  const start = at === 'start' ? {} : { isBackwards: true };
  return open(state, state.list, { start, at }, opening);
}

/** Shows the rows at a place. */
function jump<Row extends Identified>(state: ListState<Row>, first: number): void {
  const { list, opening } = state;
  const length = lengthOf(state);
  const start = async (signal: AbortSignal): Promise<PageStart> => {
    if (first < nearRows) return {};
    const id = await list.idAt?.(positionAt(state, first), signal);
    return id === undefined ? { isBackwards: true } : { from: id };
  };
  const isNearEnd = first > length - nearRows;
  void open(
    state,
    list,
    isNearEnd ? { start: { isBackwards: true } } : { start, before: first < nearRows ? 0 : first },
    opening,
  );
}

/** Reads the list again. If that is possible, the rows in sight stay in sight. */
function reload<Row extends Identified>(state: ListState<Row>): void {
  const { wanted: list, sight, items, itemsBefore, expected } = state;
  const row = items[sight.first - itemsBefore];
  const canStay = list.idAt !== undefined && expected !== undefined;
  const opening: Opening =
    !state.isStale && sight.first < nearRows
      ? { start: {} }
      : !state.isStale && canStay && row !== undefined
        ? { start: { from: row.id }, before: sight.first }
        : { start: {}, at: 'start' };
  stopSeeking(state);
  void open(state, list, opening, nameOpening());
}

/** Reads one page more at an edge of the rows. */
function extend<Row extends Identified>(state: ListState<Row>, edge: Edge): Promise<boolean> {
  const { list, opening, starts } = state;
  const start = edge === 'start' ? startBefore(state) : startAfter(state);
  return run(state, async () => {
    await fetchOnce(pageQuery(opening, list, start));
    return () => {
      state.starts = edge === 'start' ? [start, ...starts] : [...starts, start];
      refresh(state);
    };
  });
}

/** The page that continues the last one. */
function startAfter<Row extends Identified>(state: ListState<Row>): PageStart {
  const last = state.starts.at(-1);
  const cursor = last && pageOf(state, last)?.next;
  return cursor === undefined ? {} : { cursor };
}

/** The page of the records before the rows. */
function startBefore<Row extends Identified>(state: ListState<Row>): PageStart {
  const { list } = state;
  const isBackwards = true;
  const first = firstOf(state);
  if (first === undefined) return { isBackwards };
  return { isBackwards, from: list.newest === 'start' ? first + 1n : first - 1n };
}

/** Reads what is in sight, or will be soon. */
function see<Row extends Identified>(state: ListState<Row>, first: number, last: number): void {
  if (state.isStale) return;
  const { place, length, list, expected, sought } = state;
  state.sight = { first, last };
  const isFar = last < place.before - nearRows || first > place.before + length + nearRows;
  if (isFar && list.idAt !== undefined && expected !== undefined) {
    if (sought?.first === first) return;
    stopSeeking(state);
    const timer = setTimeout(() => {
      state.sought = { first, timer, isRead: true };
      jump(state, first);
    }, restMilliseconds);
    state.sought = { first, timer, isRead: false };
    return;
  }
  stopSeeking(state);
  const edge = edgeToExtend(state);
  if (edge !== undefined && state.reading.peek() === 'ready') void extend(state, edge);
  if (showsSight(state)) followSight(state);
  else refresh(state);
}

/** The rows in sight are loaded, or are read in another way. */
function stopSeeking<Row extends Identified>(state: ListState<Row>): void {
  const { sought } = state;
  if (sought === undefined) return;
  clearTimeout(sought.timer);
  state.sought = undefined;
  if (!sought.isRead || state.reading.peek() === 'ready') return;
  state.current?.abort();
  state.current = undefined;
  state.reading.value = 'ready';
}

/** The edge at which more rows are needed. Those in sight come first. */
function edgeToExtend<Row extends Identified>({
  place: { before, reached },
  length,
  sight: { first, last },
}: ListState<Row>): Edge | undefined {
  const needsStart = !reached.start && first - aheadRows < before;
  const needsEnd = !reached.end && last + aheadRows >= before + length;
  if (needsStart && (first < before || !needsEnd)) return 'start';
  return needsEnd ? 'end' : undefined;
}

/** Goes to an edge of the list, or reads up to it; false if that failed. */
async function goTo<Row extends Identified>(state: ListState<Row>, edge: Edge): Promise<boolean> {
  const isReached = () => state.place.reached[edge];
  if (state.isStale) return false;
  stopSeeking(state);
  if (state.list.idAt !== undefined && !isReached()) await openEdge(state, edge, state.opening);
  else while (!isReached()) if (!(await extend(state, edge))) break;
  if (isReached()) lookAt(state, edge);
  return isReached();
}

/** What a change means for the list, beside the rows that the cache reads again. */
function note<Row extends Identified>(state: ListState<Row>, update: Update): void {
  if (update === 'reset') reload(state);
  if (update === 'reset') return;
  const { wanted, unseen, ids, isStale } = state;
  const { event, isOwn } = update;
  if (isOwn && !isStale) refresh(state); // It is shown already, if its place is among the rows.
  const record = wanted.recordOf(event);
  const gone = deletedId(wanted.kind, event);
  if (gone !== undefined) unseen.delete(gone);
  else if (record !== undefined && wanted.adds(update) && (isStale || !ids.has(record.id))) {
    unseen.add(record.id);
  } else return;
  if (!isStale) settle(state);
}
