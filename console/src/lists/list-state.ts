import { type Signal, signal } from '@preact/signals';
import type { Update } from '../api/announce.ts';
import { cached, followQueries } from '../api/cache.ts';
import { messageOf } from '../api/service.ts';
import {
  isAtEdge,
  type ListPage,
  type ListSource,
  type PageStart,
  pageQuery,
} from './list-pages.ts';
import {
  type Edge,
  type Identified,
  type ListPlace,
  placesMax,
  putBefore,
  settlePlace,
  wholePlace,
} from './list-place.ts';

/** The next page is read if fewer rows than this are beyond those in sight. */
export const aheadRows = 150;

/** Rows on each side of those in sight that a table gets. */
const shownRows = 1000;

/** A list, and how it is read. */
export interface OpenList<Row> extends ListSource<Row> {
  /** Whether a change adds its record to the list. */
  readonly adds: (update: Exclude<Update, 'reset'>) => boolean;
}

export interface ListState<Row extends Identified> {
  list: OpenList<Row>;
  /** The same, or the list that is shown after the read of its first page. */
  wanted: OpenList<Row>;
  /** Names the list and the time it was opened, in the keys of its pages. */
  opening: string;
  /** The pages that follow each other, in the order of the list. */
  starts: readonly PageStart[];
  /** What the list has of each page. */
  pages: Map<PageStart, ListPage<Row>>;
  /** The ids of all rows of the pages. */
  ids: Set<bigint>;
  /** The rows near those in sight, and the place of the first. */
  items: readonly Row[];
  itemsBefore: number;
  gone: ReadonlySet<bigint>;
  /** Ids of records that the list has, and that are not shown. */
  readonly unseen: Set<bigint>;
  /** The place of the pages, and their number of rows. */
  place: ListPlace;
  length: number;
  /** The number of records, if the service counts them. */
  expected: number | undefined;
  /** The rows are those of the list before, until the first page is read. */
  isStale: boolean;
  /** The places of the rows in sight. */
  sight: { readonly first: number; readonly last: number };
  /** The place to which the scroll bar was dragged, and whether its rows are being read, or were. */
  sought:
    | {
        readonly first: number;
        readonly timer: ReturnType<typeof setTimeout>;
        readonly isRead: boolean;
      }
    | undefined;
  /** The read that runs, or ran last. */
  current: AbortController | undefined;
  lastRead: () => void;
  readonly followed: ReturnType<typeof followQueries>;
  readonly version: Signal<number>;
  readonly unseenCount: Signal<number>;
  readonly opened: Signal<{ readonly at: Edge }>;
  readonly reading: Signal<'loading' | 'ready' | 'failed'>;
  readonly message: Signal<string>;
  /** Why rows in sight could not be read again. */
  readonly rereadFault: Signal<string | undefined>;
}

export function createListState<Row extends Identified>(list: OpenList<Row>): ListState<Row> {
  const rereadFault = signal<string | undefined>(undefined);
  const state: ListState<Row> = {
    list,
    wanted: list,
    opening: '',
    starts: [],
    pages: new Map(),
    ids: new Set(),
    items: [],
    itemsBefore: 0,
    gone: new Set(),
    unseen: new Set(),
    place: wholePlace,
    length: 0,
    expected: undefined,
    isStale: true,
    sight: { first: 0, last: 0 },
    sought: undefined,
    current: undefined,
    lastRead: () => {},
    followed: followQueries((results) => {
      const failed = results.find(({ isError, isFetching }) => isError && !isFetching);
      rereadFault.value = failed && messageOf(failed.error);
      const pages = new Set<unknown>(state.pages.values());
      const isNew = results.some(({ data }) => data !== undefined && !pages.has(data));
      if (isNew && !state.isStale) refresh(state);
    }),
    version: signal(0),
    unseenCount: signal(0),
    opened: signal({ at: 'start' }),
    reading: signal('loading'),
    message: signal(''),
    rereadFault,
  };
  return state;
}

/** What was read of a page. */
export function pageOf<Row extends Identified>(
  { opening, list }: ListState<Row>,
  start: PageStart,
) {
  return cached<ListPage<Row>>(pageQuery(opening, list, start).key);
}

/** What a table shows. `version` changes with it. */
export function rowsOf<Row extends Identified>(state: ListState<Row>) {
  return {
    version: state.version,
    /** How many new records are not shown, so that no row moves while it is used. */
    unseenCount: state.unseenCount,
    /** The rows that are loaded, in the order of the list. */
    get items(): readonly Row[] {
      return state.items;
    },
    get place(): ListPlace {
      const { place, items, itemsBefore } = state;
      const after = lengthOf(state) - itemsBefore - items.length;
      return { ...place, before: itemsBefore, after };
    },
    get expected(): number | undefined {
      return state.expected;
    },
    /** Whether the number of rows is known. */
    get isCounted(): boolean {
      const { reached } = state.place;
      const isWhole = reached.start && reached.end;
      return isWhole || (state.expected !== undefined && state.expected <= placesMax);
    },
    /** Ids of those that are deleted. Their rows stay where they are. */
    get gone(): ReadonlySet<bigint> {
      return state.gone;
    },
    /** The rows of each page in sight. */
    get pagesInSight(): readonly (readonly Row[])[] {
      return startsNear(state, aheadRows).map((start) => state.pages.get(start)?.rows ?? []);
    },
  };
}

/** Takes what was read of the pages. If rows were put before the first one, the others keep their places. */
export function refresh<Row extends Identified>(state: ListState<Row>): void {
  const { starts, pages } = state;
  const first = firstOf(state);
  const edges = new Set([starts[0], starts.at(-1), ...startsNear(state, shownRows)]);
  for (const start of starts) {
    // A page far from the sight is not shown, and has its rows already.
    if (pages.has(start) && !edges.has(start)) continue;
    const page = pageOf(state, start);
    if (page === undefined || page === pages.get(start)) continue;
    pages.set(start, page);
    for (const { id } of page.rows) {
      state.ids.add(id);
      state.unseen.delete(id);
    }
  }
  state.length = starts.reduce((sum, start) => sum + (pages.get(start)?.rows.length ?? 0), 0);
  const shift = first === undefined ? 0 : rowsBefore(state, first);
  if (shift > 0) state.place = putBefore(state.place, shift);
  const reaches = (start: PageStart | undefined, edge: Edge) => {
    const page = start && pages.get(start);
    return start !== undefined && page !== undefined && isAtEdge(start, page, edge);
  };
  const reached = { start: reaches(starts[0], 'start'), end: reaches(starts.at(-1), 'end') };
  state.place = { ...state.place, reached };
  state.gone = new Set([...pages.values()].flatMap(({ gone }) => [...gone]));
  settle(state);
  followSight(state);
}

/** The id of the first row of the pages. */
export function firstOf<Row extends Identified>({
  starts,
  pages,
}: ListState<Row>): bigint | undefined {
  return starts.map((start) => pages.get(start)?.rows[0]).find((row) => row !== undefined)?.id;
}

/** How many rows are before one; 0 if it is not there. */
function rowsBefore<Row extends Identified>({ starts, pages }: ListState<Row>, id: bigint): number {
  let count = 0;
  for (const start of starts) {
    const { rows = [] } = pages.get(start) ?? {};
    const index = rows.findIndex((row) => row.id === id);
    if (index >= 0) return count + index;
    count += rows.length;
  }
  return 0;
}

/** Corrects the place of the rows by the number of records. */
export function settle<Row extends Identified>(state: ListState<Row>): void {
  const { expected, unseen, gone, length } = state;
  // Deleted records keep their rows, and new ones have none yet.
  const total = expected === undefined ? 0 : expected - unseen.size + gone.size;
  state.place = settlePlace(state.place, length, total);
  const shown = startsNear(state, shownRows);
  state.items = shown.flatMap((start) => state.pages.get(start)?.rows ?? []);
  state.itemsBefore = placeOf(state, shown[0]);
  state.unseenCount.value = unseen.size;
  state.version.value += 1;
}

/** The place of the first row of a page. */
function placeOf<Row extends Identified>(
  { starts, pages, place }: ListState<Row>,
  wanted: PageStart | undefined,
): number {
  const before = starts.slice(0, Math.max(0, wanted === undefined ? 0 : starts.indexOf(wanted)));
  return before.reduce((end, start) => end + (pages.get(start)?.rows.length ?? 0), place.before);
}

/** The pages with rows in sight, or so many rows away from it. */
function startsNear<Row extends Identified>(state: ListState<Row>, rows: number): PageStart[] {
  const { sight, place, starts, pages } = state;
  let end = place.before;
  return starts.filter((start) => {
    const first = end;
    end += pages.get(start)?.rows.length ?? 0;
    return end >= sight.first - rows && first <= sight.last + rows;
  });
}

/** Reads the pages in sight again when they are old. */
export function followSight<Row extends Identified>(state: ListState<Row>): void {
  const { opening, list } = state;
  state.followed.set(startsNear(state, aheadRows).map((start) => pageQuery(opening, list, start)));
}

/** Whether a table has the rows that are in sight now, as far as they are read. */
export function showsSight<Row extends Identified>(state: ListState<Row>): boolean {
  const { sight, place, length, items, itemsBefore } = state;
  const first = Math.max(place.before, sight.first - aheadRows);
  const last = Math.min(place.before + length, sight.last + aheadRows);
  return itemsBefore <= first && last <= itemsBefore + items.length;
}

/** Takes the rows at an edge of the pages as those in sight. */
export function lookAt<Row extends Identified>(state: ListState<Row>, edge: Edge): void {
  const { place, length } = state;
  const first = edge === 'start' ? place.before : place.before + length;
  state.sight = { first, last: first };
  refresh(state);
}

/** The length of the list as it is drawn. */
export function lengthOf<Row extends Identified>({ place, length }: ListState<Row>): number {
  return place.before + length + place.after;
}

/** The position in the list of a place, which are the same unless the list is longer than what is drawn. */
export function positionAt<Row extends Identified>(state: ListState<Row>, place: number): number {
  const { expected = 0, list, unseen } = state;
  const position =
    expected <= placesMax ? place : Math.round((place / (placesMax - 1)) * (expected - 1));
  return list.newest === 'start' ? position + unseen.size : position;
}
