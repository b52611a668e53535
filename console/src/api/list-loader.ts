import type { List, Page } from '../../../client/src/list.ts';
import { createIdScale } from './id-scale.ts';
import type { ListWindow } from './list-window.ts';
import type { Edge, Identified } from './sequence.ts';

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
  /** A list without a count is read from its start only, so it needs no place. */
  readonly read: (signal: AbortSignal, place: Place) => PagedList<Row>;
  /** The edge at which new records are. */
  readonly newest: Edge;
}

/** Places so near to an edge are read from this edge. */
const edgeRows = 200;

/** Reads pages of a list into its window. */
export function createListLoader<Row extends Identified>(
  rows: ListWindow<Row>,
  source: ListSource<Row>,
) {
  const scale = createIdScale();
  /** Where the next pages start. */
  let cursors: Partial<Record<Edge, string | undefined>> = {};

  /** Opens the window at an edge of the list. `prepare` runs before its rows are replaced. */
  async function openEdge(edge: Edge, stopped: AbortSignal, prepare = () => {}): Promise<void> {
    const isBackwards = edge === 'end';
    const { items, next } = await readPage(source, { isBackwards }, stopped);
    const isLast = next === undefined;
    const reached = { start: !isBackwards || isLast, end: isBackwards || isLast };
    cursors = isBackwards ? { start: next } : { end: next };
    scale.learn(items, reached);
    prepare();
    rows.open(items, { reached });
  }

  /** Opens the window at about this place of the list. */
  async function openPlace(first: number, last: number, stopped: AbortSignal): Promise<void> {
    const { before, after } = rows.place;
    const length = before + rows.items.length + after;
    if (first < edgeRows) return openEdge('start', stopped);
    if (last > length - edgeRows) return openEdge('end', stopped);
    for (const edge of ['start', 'end'] as const) await learnEdge(edge, stopped);
    return openFrom(scale.idAt(first / (length - 1)), first, stopped);
  }

  /** Opens the window at an id, with this many rows before it. */
  async function openFrom(from: bigint, before: number, stopped: AbortSignal): Promise<void> {
    const { items, next } = await readPage(source, { from }, stopped);
    const reached = { start: false, end: next === undefined };
    cursors = { end: next };
    scale.learn(items, reached);
    rows.open(items, { before, reached });
  }

  async function learnEdge(edge: Edge, stopped: AbortSignal): Promise<void> {
    if (scale.edges[edge] !== undefined) return;
    const isBackwards = edge === 'end';
    const { items } = await readPage(source, { isBackwards }, stopped);
    scale.learn(items, { start: !isBackwards, end: isBackwards });
  }

  /** Reads one page more at an edge of the window. */
  async function extend(edge: Edge, stopped: AbortSignal): Promise<void> {
    const isBackwards = edge === 'start';
    const outermost = rows.items.at(isBackwards ? 0 : -1);
    const place = isBackwards ? placeBefore(outermost, source) : {};
    const { items, next } = await readPage(source, place, stopped, cursors[edge]);
    const isLast = next === undefined;
    cursors = { ...cursors, [edge]: next };
    const known = outermost === undefined ? [] : [outermost];
    scale.learn(isBackwards ? [...items, ...known] : [...known, ...items], {
      start: isBackwards && isLast,
      end: !isBackwards && isLast,
    });
    rows.extend(edge, items, isLast);
  }

  return { openEdge, openPlace, openFrom, extend };
}

export type ListLoader = ReturnType<typeof createListLoader>;

/** Reads a page, in the order of the list. With a cursor, it continues an earlier one. */
async function readPage<Row>(
  { read }: ListSource<Row>,
  place: Place,
  stopped: AbortSignal,
  cursor?: string,
): Promise<Page<Row>> {
  for await (const { items, next } of read(stopped, place).pages({ from: cursor })) {
    stopped.throwIfAborted();
    return { items: place.isBackwards ? [...items].reverse() : items, next };
  }
  return { items: [], next: undefined };
}

/** The place of the records before one, or of the last records. */
function placeBefore<Row extends Identified>(
  first: Row | undefined,
  { newest }: ListSource<Row>,
): Place {
  const isBackwards = true;
  if (first === undefined) return { isBackwards };
  return { isBackwards, from: newest === 'start' ? first.id + 1n : first.id - 1n };
}

export async function* allRecords<Row>(list: PagedList<Row>): AsyncGenerator<Row> {
  for await (const { items } of list.pages()) yield* items;
}
