import { type ReadonlySignal, signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Pixels. All rows have the same height, so that the position of each is known before it is drawn. */
const rowHeights = { wide: 44, narrow: 76 };

/** A row takes two lines at this width; style/narrow.css has the same. */
const narrow = matchMedia('(width < 46rem)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});

/** Rows that are drawn above and below the visible ones. */
const spareRows = 6;

/** The next page is read this many rows before the end. */
const aheadRows = 150;

export interface Item {
  readonly id: bigint;
}

/** What a table shows of a list. */
export interface TableList<Row> {
  readonly rows: { readonly items: readonly Row[]; readonly generation: ReadonlySignal<number> };
  readonly state: ReadonlySignal<'loading' | 'ready' | 'complete' | 'failed'>;
  readonly message: ReadonlySignal<string>;
  loadMore(): Promise<void>;
}

/** The rows of a long list that are drawn: those in sight, some around them, and the one with the focus. */
export function useVisibleRows<Row extends Item>(list: TableList<Row>) {
  const rows = list.rows.items;
  const generation = list.rows.generation.value;
  const rowHeight = isNarrow.value ? rowHeights.narrow : rowHeights.wide;
  const scroller = useRef<HTMLDivElement>(null);
  const first = useSignal(0);
  const last = useSignal(40);
  const current = useSignal<bigint | undefined>(undefined);
  const takesFocus = useRef(false);

  function measure(): void {
    const element = scroller.current;
    if (element === null) return;
    const top = Math.max(0, Math.floor(element.scrollTop / rowHeight) - spareRows);
    first.value = top;
    last.value = top + Math.ceil(element.clientHeight / rowHeight) + 2 * spareRows;
  }

  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
    current.value = undefined;
    measure();
  }, [list, generation, rowHeight]);

  useEffect(() => {
    const watcher = new ResizeObserver(measure);
    if (scroller.current !== null) watcher.observe(scroller.current);
    return () => watcher.disconnect();
  }, [rowHeight]);

  const focusedIndex = rows.findIndex(({ id }) => id === current.value);
  const from = Math.min(first.value, Math.max(0, rows.length - 1));
  const shown: number[] = [];
  for (let index = from; index < Math.min(last.value, rows.length); index += 1) shown.push(index);
  // The row with the focus stays in the page when the others are scrolled away.
  if (focusedIndex >= 0 && !shown.includes(focusedIndex)) shown.push(focusedIndex);
  // Tab leads to the row that had the focus, or else to the first visible one.
  const firstSeen = from === 0 ? 0 : Math.min(from + spareRows, rows.length - 1);

  return {
    scroller,
    rowHeight,
    shown,
    measure,
    currentIndex: focusedIndex >= 0 ? focusedIndex : firstSeen,
    isNearEnd: last.value + aheadRows >= rows.length,
    pageRows: Math.max(1, last.value - first.value - 2 * spareRows - 2),
    focused({ id }: Row): void {
      current.value = id;
    },
    moveTo(index: number): void {
      const target = Math.max(0, Math.min(index, rows.length - 1));
      const row = rows[target];
      const element = scroller.current;
      if (row === undefined || element === null) return;
      current.value = row.id;
      takesFocus.current = true;
      const top = target * rowHeight;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + 2 * rowHeight > element.scrollTop + element.clientHeight) {
        element.scrollTop = top + 2 * rowHeight - element.clientHeight;
      }
    },
    /** Focuses the row to which the keyboard has moved, once it is drawn. */
    takeFocus(element: HTMLElement | null): void {
      if (!takesFocus.current || element === null) return;
      takesFocus.current = false;
      element.focus({ preventScroll: true });
    },
  };
}
