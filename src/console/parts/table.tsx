import { type ReadonlySignal, signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Identified } from '../api/record-list.ts';
import { common } from '../texts/common.ts';
import { Button } from './controls.tsx';
import { Loading, type RowAction, RowActions } from './display.tsx';

/** What a table shows of a list. */
export interface TableList<Row> {
  readonly rows: { readonly items: readonly Row[]; readonly generation: ReadonlySignal<number> };
  readonly state: ReadonlySignal<'loading' | 'ready' | 'complete' | 'failed'>;
  readonly message: ReadonlySignal<string>;
  loadMore(): Promise<void>;
}

export interface Column<Row> {
  readonly heading: string;
  /** The style sheet lays out the cells by their classes. */
  readonly class: string;
  /** Controls in cells take the tab index, so that Tab reaches only those of the current row. */
  readonly cell: (row: Row, tabIndex: number) => ComponentChildren;
  readonly title?: (row: Row) => string | undefined;
}

interface TableProps<Row> {
  readonly list: TableList<Row>;
  readonly label: string;
  /** The class by which the style sheet lays out the columns. */
  readonly layout: string;
  readonly columns: readonly Column<Row>[];
  readonly nameOf: (row: Row) => string;
  readonly actions: (row: Row) => readonly RowAction[];
  readonly onOpen?: ((row: Row) => void) | undefined;
  readonly onSelect?: ((row: Row) => void) | undefined;
  readonly isSelected?: (row: Row) => boolean;
  readonly rowClass?: (row: Row) => string;
  /** On a phone, a row takes three lines and not two. */
  readonly hasThreeLines?: boolean;
}

/** The first column of a table of records. */
export const numberColumn: Column<Identified> = {
  heading: common.number,
  class: 'number',
  cell: ({ id }) => String(id),
};

/** A table of any length. Only visible rows are in the page. Arrow keys move from row to row. */
export function Table<Row extends Identified>(props: TableProps<Row>) {
  const { list, columns, isSelected, rowClass } = props;
  const rows = list.rows.items;
  const state = list.state.value;
  const { narrow: twoLines, narrowOfThreeLines: threeLines } = rowHeights;
  const visible = useVisibleRows(list, props.hasThreeLines === true ? threeLines : twoLines);
  const { currentIndex, rowHeight, isNearEnd, pageRows } = visible;
  useEffect(() => {
    if (state === 'ready' && isNearEnd) void list.loadMore();
  }, [state, isNearEnd, rows.length]);

  function onKeyDown(event: KeyboardEvent, row: Row, index: number): void {
    const isRow = event.target === event.currentTarget;
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: pageRows,
      PageUp: -pageRows,
      Home: -rows.length,
      End: rows.length,
    };
    const step = steps[event.key];
    if (step !== undefined) visible.moveTo(index + step);
    else if (isRow && event.key === 'Enter') props.onOpen?.(row);
    else if (isRow && event.key === ' ') props.onSelect?.(row);
    else return;
    event.preventDefault();
  }

  return (
    <div
      ref={visible.scroller}
      class={`table ${props.layout}`}
      role="grid"
      aria-label={props.label}
      aria-rowcount={state === 'complete' ? rows.length + 1 : -1}
      aria-busy={state === 'loading'}
      onScroll={visible.measure}
    >
      <div role="row" class="head" aria-rowindex={1}>
        {columns.map(({ heading, class: name }) => (
          <span role="columnheader" key={heading} class={name}>
            {heading}
          </span>
        ))}
        <span role="columnheader">{common.actions}</span>
      </div>
      <div role="rowgroup" class="rows" style={{ height: `${rows.length * rowHeight}px` }}>
        {visible.shown.map((index) => {
          const row = rows[index];
          if (row === undefined) return null;
          const isCurrent = index === currentIndex;
          const tabIndex = isCurrent ? 0 : -1;
          return (
            <div
              key={String(row.id)}
              role="row"
              class={rowClass?.(row) ?? ''}
              aria-rowindex={index + 2}
              aria-selected={isSelected?.(row)}
              tabIndex={tabIndex}
              style={{
                transform: `translateY(${index * rowHeight}px)`,
                '--row-height': `${rowHeight}px`,
              }}
              ref={(element) => {
                if (isCurrent) visible.takeFocus(element);
              }}
              onFocusCapture={() => visible.focused(row)}
              onKeyDown={(event) => onKeyDown(event, row, index)}
              onDblClick={({ target }) => {
                const isControl = target instanceof Element && target.closest('label, a, button');
                if (!isControl) props.onOpen?.(row);
              }}
            >
              {columns.map(({ heading, class: name, cell, title }) => (
                <span role="gridcell" key={heading} class={name} title={title?.(row)}>
                  {cell(row, tabIndex)}
                </span>
              ))}
              <span role="gridcell" class="row-actions">
                <RowActions
                  of={props.nameOf(row)}
                  actions={props.actions(row)}
                  tabIndex={tabIndex}
                />
              </span>
            </div>
          );
        })}
      </div>
      {state === 'loading' && <Loading />}
      {state === 'failed' && (
        <p class="table-note" role="alert">
          {list.message.value}{' '}
          <Button onClick={() => void list.loadMore()}>{common.tryAgain}</Button>
        </p>
      )}
    </div>
  );
}

/** Pixels. All rows have the same height, so that the position of each is known before it is drawn. */
const rowHeights = { wide: 44, narrow: 76, narrowOfThreeLines: 112 };

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

/** The rows of a long list that are drawn: those in sight, some around them, and the one with the focus. */
function useVisibleRows<Row extends Identified>(list: TableList<Row>, narrowHeight: number) {
  const rows = list.rows.items;
  const generation = list.rows.generation.value;
  const rowHeight = isNarrow.value ? narrowHeight : rowHeights.wide;
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
  const shown = rows.slice(from, last.value).map((_row, index) => from + index);
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
