import type { List } from '../../../client/src/list.ts';
import { type Change, deletedId } from '../api/announce.ts';
import { pageKind, type Query } from '../api/cache.ts';
import { tagOf } from '../api/changes.ts';
import { splitIds } from '../api/ids.ts';
import type { Edge, Identified } from './list-place.ts';

/** Where the reading of a list starts, and in which direction it continues. */
export interface Place {
  /** The first id. Without it, the reading starts at the first record of its direction. */
  readonly from?: bigint;
  readonly isBackwards?: boolean;
}

/** A list of the service. */
export type PagedList<Row> = Pick<List<Row>, 'pages'>;

/** How a list is read. */
export interface ListSource<Row> {
  /** The kind of its records, as in the types of events. */
  readonly kind: 'pet' | 'order';
  /** The record that a change added or changed, if it is one of this kind. */
  readonly recordOf: (change: Change) => Row | undefined;
  /** A list without `idAt` is read from its start only, so it needs no place. */
  readonly read: (signal: AbortSignal, place: Place) => PagedList<Row>;
  /** Records by their ids, at most a hundred. Those that are deleted are missing. */
  readonly readByIds: (ids: readonly bigint[], signal: AbortSignal) => Promise<readonly Row[]>;
  /** The id at a position of the whole list, counted from 0. Undefined if nothing is there. */
  readonly idAt?: (position: number, signal: AbortSignal) => Promise<bigint | undefined>;
  /** The edge at which new records are. */
  readonly newest: Edge;
}

/** A page begins at a place, or continues another page. */
export type PageStart = Place & { readonly cursor?: string };

/** A page of a list that is open. */
export interface ListPage<Row> {
  /** In the order of the list. Rows are only added, so that none moves. */
  readonly rows: readonly Row[];
  /** Ids of those that are deleted. */
  readonly gone: ReadonlySet<bigint>;
  /** Continues the reading in its direction. Undefined at the edge of the list. */
  readonly next: string | undefined;
}

/** A page of an open list. It is read once, and then its records by their ids. `opening` names the list and the time it was opened. */
export function pageQuery<Row extends Identified>(
  opening: string,
  source: ListSource<Row>,
  start: PageStart,
): Query<ListPage<Row>> {
  const { from, cursor, isBackwards = false } = start;
  return {
    key: [pageKind, opening, `${from ?? ''}${isBackwards ? '<' : '>'}${cursor ?? ''}`],
    isKept: true,
    read: (signal, before) =>
      before === undefined ? readPage(source, start, signal) : readAgain(source, before, signal),
    tags: (page) => page?.rows.map(({ id }) => tagOf(source.kind, id)) ?? [],
    patch: (page, change) => patchPage(source, start, page, change),
  };
}

async function readPage<Row>(
  { read }: ListSource<Row>,
  { cursor, ...place }: PageStart,
  signal: AbortSignal,
): Promise<ListPage<Row>> {
  for await (const { items, next } of read(signal, place).pages({ from: cursor })) {
    signal.throwIfAborted();
    return { rows: place.isBackwards ? [...items].reverse() : items, gone: new Set(), next };
  }
  return { rows: [], gone: new Set(), next: undefined };
}

async function readAgain<Row extends Identified>(
  { readByIds }: ListSource<Row>,
  page: ListPage<Row>,
  signal: AbortSignal,
): Promise<ListPage<Row>> {
  const now = new Map<bigint, Row>();
  for (const ids of splitIds(page.rows.map(({ id }) => id))) {
    for (const row of await readByIds(ids, signal)) now.set(row.id, row);
  }
  return {
    ...page,
    rows: page.rows.map((row) => now.get(row.id) ?? row),
    gone: new Set(page.rows.map(({ id }) => id).filter((id) => !now.has(id))),
  };
}

/** A page after a change by this page of the browser. What it added is shown at once, if its place is in the page. */
function patchPage<Row extends Identified>(
  { kind, recordOf, newest }: ListSource<Row>,
  start: PageStart,
  page: ListPage<Row>,
  change: Change,
): ListPage<Row> {
  const has = (wanted: bigint) => page.rows.some(({ id }) => id === wanted);
  const gone = deletedId(kind, change);
  if (gone !== undefined) {
    return has(gone) ? { ...page, gone: new Set([...page.gone, gone]) } : page;
  }
  const record = recordOf(change);
  if (record === undefined) return page;
  if (has(record.id)) {
    return { ...page, rows: page.rows.map((row) => (row.id === record.id ? record : row)) };
  }
  if (change.type !== `${kind}.created` || !isAtEdge(start, page, newest)) return page;
  return { ...page, rows: newest === 'start' ? [record, ...page.rows] : [...page.rows, record] };
}

/** Whether a page reaches an edge of its list. */
export function isAtEdge(
  { from, cursor, isBackwards = false }: PageStart,
  { next }: Pick<ListPage<unknown>, 'next'>,
  edge: Edge,
): boolean {
  const isFirst = from === undefined && cursor === undefined;
  const isTowards = isBackwards === (edge === 'start');
  return isTowards ? next === undefined : isFirst;
}

export async function* allRecords<Row>(list: PagedList<Row>): AsyncGenerator<Row> {
  for await (const { items } of list.pages()) yield* items;
}
