import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Edge, Identified, ListPlace } from '../lists/list-place.ts';
import { keepAtReload, takeKept } from '../loading/reload.ts';
import { density } from './density.ts';
import { hasFingers, isNarrow } from './media.ts';
import { readSight, scrollToPixel } from './sight.ts';

/** What a table shows of a list. */
export interface TableList<Row> {
  /** The rows that are loaded, and their place in the whole. */
  readonly rows: {
    readonly items: readonly Row[];
    readonly place: ListPlace;
    /** Whether the number of all rows is known. */
    readonly isCounted: boolean;
  };
  /** Changes when the list is shown from an edge. */
  readonly opened: ReadonlySignal<{ readonly at: Edge }>;
  readonly state: ReadonlySignal<'loading' | 'ready' | 'complete' | 'failed'>;
  readonly message: ReadonlySignal<string>;
  /** Reads again what could not be read. */
  retry(): void;
  /** Reads the rows at these places, and some around them. A list without it is loaded. */
  see?(first: number, last: number): void;
  /** Reads the rows at an edge; false if that failed. */
  goTo?(edge: Edge): Promise<boolean>;
}

/**
 * Pixels at the usual font size, by the lines of a row. All rows have the same height, so that the position of each is known before
 * it is drawn. A line of text without targets is lower.
 */
const rowHeights = {
  one: 40,
  oneCompact: 32,
  oneForFingers: 52,
  oneAndText: 74,
  two: 96,
  three: 118,
};

/** The lines of a row on a phone. */
export type NarrowLines = 'oneAndText' | 'two' | 'three';

const usualFontSize = 15;

/** The font size that the user has chosen in the browser, relative to the usual one. */
function readFontScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / usualFontSize;
}

/** Rows that are drawn above and below the visible ones. */
const spareRows = 6;

/** The rows of a long list that are drawn: those in sight, some around them, and the one with the focus. */
export function useVisibleRows<Row extends Identified>(
  list: TableList<Row>,
  narrowLines: NarrowLines,
) {
  const fontScale = useMemo(readFontScale, []);
  const one = density.value === 'compact' ? 'oneCompact' : 'one';
  const lines = isNarrow.value ? narrowLines : hasFingers.value ? 'oneForFingers' : one;
  const rowHeight = Math.round(rowHeights[lines] * fontScale);
  const table = useRef<HTMLDivElement>(null);
  const sight = useSight(list, table, rowHeight);
  const focus = useRowFocus(list, table, sight, rowHeight);
  const { items, place } = list.rows;
  const { before, after } = place;
  const end = before + items.length;
  const first = Math.max(sight.first, before);
  const last = Math.min(sight.last, end);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  const { focusedPlace } = focus;
  // The row with the focus stays in the page when the others are scrolled away.
  if (focusedPlace !== undefined && !shown.includes(focusedPlace)) shown.push(focusedPlace);
  // Tab leads to the row that had the focus, or else to the first visible one.
  const firstVisible = first === 0 ? 0 : Math.min(first + spareRows, end - 1);

  return {
    ...focus,
    table,
    rowHeight,
    shown,
    height: (end + after) * rowHeight,
    currentPlace: focusedPlace ?? firstVisible,
    /** Rows in sight are not loaded yet. */
    isBlank:
      items.length === 0 ||
      (before > 0 && sight.first + spareRows < before) ||
      (after > 0 && sight.last - spareRows > end),
    pageRows: Math.max(1, sight.last - sight.first - 2 * spareRows - 2),
  };
}

type TableRef = { readonly current: HTMLDivElement | null };

type Sight = ReturnType<typeof useSight>;

/** Which rows are in sight. If rows are put before them, they stay in sight at the same height. */
function useSight<Row>(list: TableList<Row>, table: TableRef, rowHeight: number) {
  const first = useSignal(0);
  const last = useSignal(40);
  const top = useRef(0);
  const { moved, reached } = list.rows.place;
  const opened = list.opened.value;
  const drawn = useRef({ moved, rowHeight, opened, isAtStart: true });
  /** Where the list was when the page loaded itself again. The height of the list is known later than its first rows. */
  const keptTop = useRef(useMemo(() => takeKept<number>('scroll'), []));
  useEffect(() => keepAtReload('scroll', () => top.current), []);

  /** A list behind the page of one of its records is hidden, and has its place again when it is shown. */
  const wasHidden = useRef(false);

  function measure(): void {
    const element = table.current;
    if (element === null) return;
    const isHidden = readSight(element) === undefined;
    if (wasHidden.current && !isHidden && top.current > 0) scrollToPixel(element, top.current);
    wasHidden.current = isHidden;
    const sight = readSight(element);
    if (sight === undefined) return;
    if (sight.top !== 0) keptTop.current = undefined;
    top.current = sight.top;
    const place = Math.max(0, Math.floor(sight.top / rowHeight) - spareRows);
    first.value = place;
    last.value = place + Math.ceil(sight.height / rowHeight) + 2 * spareRows;
  }

  function scrollTo(element: HTMLElement, pixel: number): void {
    scrollToPixel(element, pixel);
    measure();
  }

  useLayoutEffect(() => {
    const element = table.current;
    if (element === null) return;
    const before = drawn.current;
    drawn.current = { moved, rowHeight, opened, isAtStart: reached.start };
    const { offsetHeight } = element;
    const kept = keptTop.current;
    if (before.opened !== opened) {
      if (opened.at === 'end') scrollTo(element, offsetHeight);
      else if (top.current > 0) scrollTo(element, 0);
    } else if (kept !== undefined && kept <= offsetHeight - innerHeight) {
      scrollTo(element, kept);
    } else if (before.rowHeight !== rowHeight) {
      scrollTo(element, (top.current / before.rowHeight) * rowHeight);
    } else if (before.moved !== moved && !(before.isAtStart && top.current === 0)) {
      // At the top of the list, a row that is added there is shown instead.
      scrollTo(element, top.current + (moved - before.moved) * rowHeight);
    }
  });

  useEffect(() => {
    // The height of the page changes with all that is above the list.
    const watcher = new ResizeObserver(measure);
    watcher.observe(document.body);
    const types = ['scroll', 'resize'] as const;
    for (const type of types) addEventListener(type, measure, { passive: true });
    return () => {
      watcher.disconnect();
      for (const type of types) removeEventListener(type, measure);
    };
  }, [rowHeight]);

  useEffect(() => list.see?.(first.peek(), last.peek()));

  return { first: first.value, last: last.value, scrollTo };
}

/** The row with the focus. */
function useRowFocus<Row extends Identified>(
  list: TableList<Row>,
  table: TableRef,
  { scrollTo }: Sight,
  rowHeight: number,
) {
  const { items, place } = list.rows;
  const current = useSignal<bigint | undefined>(undefined);
  /** Changes with each move. */
  const moves = useSignal(0);
  const takesFocus = useRef(false);
  const index = items.findIndex(({ id }) => id === current.value);
  const focusedPlace = index < 0 ? undefined : place.before + index;
  const lost = useLostFocus(table);

  useLayoutEffect(() => {
    if (!takesFocus.current) current.value = undefined;
  }, [list.opened.value]);

  useLayoutEffect(() => {
    const element = table.current;
    if (element === null || focusedPlace === undefined || !takesFocus.current) return;
    takesFocus.current = false;
    const [pixel, sight] = [focusedPlace * rowHeight, readSight(element)];
    if (sight === undefined) return;
    if (pixel < sight.top) scrollTo(element, pixel);
    else if (pixel + 2 * rowHeight > sight.top + sight.height) {
      scrollTo(element, pixel + 2 * rowHeight - sight.height);
    }
    focusCurrentRow(table);
  }, [moves.value, focusedPlace]);

  /** Moves to the row at a place, or to the nearest that is loaded. */
  function moveTo(wanted: number): Row | undefined {
    const { items: loaded, place: now } = list.rows;
    const row = loaded[Math.max(0, Math.min(wanted - now.before, loaded.length - 1))];
    if (row === undefined) return undefined;
    current.value = row.id;
    takesFocus.current = true;
    moves.value += 1;
    return row;
  }

  return {
    focusedPlace,
    onFocus({ id }: Row, element: Element): void {
      current.value = id;
      lost.onFocus(element);
    },
    onBlur: lost.onBlur,
    moveTo,
    /** Moves to the first or last row of the whole list, and returns it unless the focus moved elsewhere during this time. */
    async moveToEdge(edge: Edge): Promise<Row | undefined> {
      moves.value += 1;
      const [move, from] = [moves.peek(), current.peek()];
      const isLoaded = await lost.ignoreDuring(list.goTo?.(edge) ?? Promise.resolve(true));
      const isElsewhere = current.peek() !== from && current.peek() !== undefined;
      if (!isLoaded || isElsewhere || move !== moves.peek()) return undefined;
      return moveTo(edge === 'start' ? 0 : Number.POSITIVE_INFINITY);
    },
  };
}

function focusCurrentRow(table: TableRef): void {
  const row = table.current?.querySelector<HTMLElement>('.rows [role=row][tabindex="0"]');
  row?.focus({ preventScroll: true });
}

/** If another window of the list replaces the row with the focus, a row in sight gets the focus. */
function useLostFocus(table: TableRef) {
  /** The row that has the focus, or had it when it was removed. */
  const row = useRef<Element | null>(null);
  const isIgnored = useRef(false);
  useLayoutEffect(() => {
    const isLost = row.current?.isConnected === false && document.activeElement === document.body;
    if (isLost && !isIgnored.current) focusCurrentRow(table);
  });
  return {
    onFocus(element: Element): void {
      row.current = element;
    },
    onBlur(element: Element): void {
      // Chromium also announces this when the row is removed.
      queueMicrotask(() => {
        if (element.isConnected && row.current === element) row.current = null;
      });
    },
    async ignoreDuring(loading: Promise<boolean>): Promise<boolean> {
      isIgnored.current = true;
      const isLoaded = await loading;
      isIgnored.current = false;
      return isLoaded;
    },
  };
}
