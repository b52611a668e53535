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

/** A list, and how it is read. */
export interface OpenList<Row> extends ListSource<Row> {
  /** Whether a change adds its record to the list. */
  readonly adds: (update: Exclude<Update, 'reset'>) => boolean;
}

export interface ListState<Row extends Identified> {
  list: OpenList<Row>;
  /** Names the list and the time it was opened, in the keys of its pages. */
  opening: string;
  /** The pages, in the order of the list. */
  starts: readonly PageStart[];
  items: readonly Row[];
  indexes: ReadonlyMap<bigint, number>;
  gone: ReadonlySet<bigint>;
  /** Ids of records that the list has, and that are not shown. */
  readonly unseen: Set<bigint>;
  place: ListPlace;
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
    opening: '',
    starts: [],
    items: [],
    indexes: new Map(),
    gone: new Set(),
    unseen: new Set(),
    place: wholePlace,
    expected: undefined,
    isStale: true,
    sight: { first: 0, last: 0 },
    sought: undefined,
    current: undefined,
    lastRead: () => {},
    followed: followQueries((results) => {
      const failed = results.find(({ isError, isFetching }) => isError && !isFetching);
      rereadFault.value = failed && messageOf(failed.error);
      if (!state.isStale) refresh(state);
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
      return state.place;
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
      return startsInSight(state).map((start) => pageOf(state, start)?.rows ?? []);
    },
  };
}

/** Takes the rows from the pages that were read. If rows were put before the first one, the others keep their places. */
export function refresh<Row extends Identified>(state: ListState<Row>): void {
  const pages = state.starts.map((start) => pageOf(state, start));
  const first = state.items[0]?.id;
  const items = pages.flatMap((page) => page?.rows ?? []);
  const shift = first === undefined ? 0 : items.findIndex(({ id }) => id === first);
  state.items = items;
  state.indexes = new Map(items.map(({ id }, index) => [id, index]));
  state.gone = new Set(pages.flatMap((page) => [...(page?.gone ?? [])]));
  if (shift > 0) state.place = putBefore(state.place, shift);
  const { starts } = state;
  const reaches = (edge: Edge) => {
    const start = starts.at(edge === 'start' ? 0 : -1);
    const page = pages.at(edge === 'start' ? 0 : -1);
    return start !== undefined && page !== undefined && isAtEdge(start, page, edge);
  };
  state.place = { ...state.place, reached: { start: reaches('start'), end: reaches('end') } };
  settle(state);
  followSight(state);
}

/** Corrects the place of the rows by the number of records. */
export function settle<Row extends Identified>(state: ListState<Row>): void {
  const { expected, unseen, gone, indexes, items } = state;
  for (const id of unseen) if (indexes.has(id)) unseen.delete(id);
  // Deleted records keep their rows, and new ones have none yet.
  const length = expected === undefined ? 0 : expected - unseen.size + gone.size;
  state.place = settlePlace(state.place, items.length, length);
  state.unseenCount.value = unseen.size;
  state.version.value += 1;
}

/** The pages with rows in sight or near it. */
export function startsInSight<Row extends Identified>(state: ListState<Row>): PageStart[] {
  const { sight, place } = state;
  let end = place.before;
  return state.starts.filter((start) => {
    const first = end;
    end += pageOf(state, start)?.rows.length ?? 0;
    return end >= sight.first - aheadRows && first <= sight.last + aheadRows;
  });
}

/** Reads the pages in sight again when they are old. */
export function followSight<Row extends Identified>(state: ListState<Row>): void {
  const { opening, list } = state;
  state.followed.set(startsInSight(state).map((start) => pageQuery(opening, list, start)));
}

/** The length of the list as it is drawn. */
export function lengthOf({ place, items }: Pick<ListState<Identified>, 'place' | 'items'>): number {
  return place.before + items.length + place.after;
}

/** The position in the list of a place, which are the same unless the list is longer than what is drawn. */
export function positionAt<Row extends Identified>(state: ListState<Row>, place: number): number {
  const { expected = 0, list, unseen } = state;
  const position =
    expected <= placesMax ? place : Math.round((place / (placesMax - 1)) * (expected - 1));
  return list.newest === 'start' ? position + unseen.size : position;
}
