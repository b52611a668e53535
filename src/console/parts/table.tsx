import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './parts.tsx';

/** Pixels. Rows are equally high, so that the place of each is known without its being there. */
const rowHeights = { wide: 44, narrow: 76 };

/** Where a row takes two lines; the style sheet has the same. */
const narrow = matchMedia('(width < 46rem)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});

/** Rows above and below those that are seen. */
const spareRows = 6;

/** How many rows before the end the next page is asked for. */
const aheadRows = 150;

interface TableProps<Row> {
  readonly label: string;
  /** In the order of the cells; the style sheet lays them out by the class of the table. */
  readonly columns: readonly string[];
  readonly layout: string;
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => bigint;
  readonly cells: (row: Row, isCurrent: boolean) => ComponentChildren;
  readonly onOpen?: ((row: Row) => void) | undefined;
  readonly onSelect?: ((row: Row) => void) | undefined;
  readonly isSelected?: (row: Row) => boolean;
  readonly rowClass?: (row: Row) => string;
  readonly state: 'loading' | 'ready' | 'complete' | 'failed';
  readonly message: string;
  readonly onMore: () => void;
  /** Changes where it is another list: it is then shown from its beginning. */
  readonly listKey: string;
}

/** A table of any length, of which only the rows that are seen are in the page. Arrows go from row to row. */
export function Table<Row>(props: TableProps<Row>) {
  const { rows, idOf, state, listKey } = props;
  const rowHeight = isNarrow.value ? rowHeights.narrow : rowHeights.wide;
  const scroller = useRef<HTMLDivElement>(null);
  const first = useSignal(0);
  const last = useSignal(40);
  const current = useSignal<bigint | undefined>(undefined);
  const takesFocus = useRef(false);

  function look(): void {
    const element = scroller.current;
    if (element === null) return;
    const top = Math.max(0, Math.floor(element.scrollTop / rowHeight) - spareRows);
    const count = Math.ceil(element.clientHeight / rowHeight) + 2 * spareRows;
    first.value = top;
    last.value = top + count;
  }

  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
    current.value = undefined;
    look();
  }, [listKey, rowHeight]);

  useEffect(() => {
    const watcher = new ResizeObserver(look);
    if (scroller.current !== null) watcher.observe(scroller.current);
    return () => watcher.disconnect();
  }, [rowHeight]);

  const isNearEnd = last.value + aheadRows >= rows.length;
  useEffect(() => {
    if (state === 'ready' && isNearEnd) props.onMore();
  }, [state, isNearEnd, rows.length]);

  const focusedIndex =
    current.value === undefined ? -1 : rows.findIndex((row) => idOf(row) === current.value);
  const from = Math.min(first.value, Math.max(0, rows.length - 1));
  const shown: number[] = [];
  for (let index = from; index < Math.min(last.value, rows.length); index += 1) shown.push(index);
  // The row that has the focus stays, wherever the others have gone.
  if (focusedIndex >= 0 && !shown.includes(focusedIndex)) shown.push(focusedIndex);
  // Tab leads to the row that had the focus, or else into those that are seen.
  const firstSeen = from === 0 ? 0 : Math.min(from + spareRows, rows.length - 1);
  const currentIndex = focusedIndex >= 0 ? focusedIndex : firstSeen;

  function moveTo(index: number): void {
    const target = Math.max(0, Math.min(index, rows.length - 1));
    const row = rows[target];
    const element = scroller.current;
    if (row === undefined || element === null) return;
    current.value = idOf(row);
    takesFocus.current = true;
    const top = target * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + 2 * rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + 2 * rowHeight - element.clientHeight;
    }
  }

  function onKeyDown(event: KeyboardEvent, row: Row, index: number): void {
    const isRow = event.target === event.currentTarget;
    const page = Math.max(1, last.value - first.value - 2 * spareRows - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -rows.length,
      End: rows.length,
    };
    const step = steps[event.key];
    if (step !== undefined) moveTo(index + step);
    else if (isRow && event.key === 'Enter') props.onOpen?.(row);
    else if (isRow && event.key === ' ') props.onSelect?.(row);
    else return;
    event.preventDefault();
  }

  const { cells, isSelected, rowClass, layout } = props;
  return (
    <div
      ref={scroller}
      class={`table ${layout}`}
      role="grid"
      aria-label={props.label}
      aria-rowcount={state === 'complete' ? rows.length + 1 : -1}
      aria-busy={state === 'loading'}
      onScroll={look}
    >
      <div role="row" class="head" aria-rowindex={1}>
        {props.columns.map((column) => (
          <span role="columnheader" key={column}>
            {column}
          </span>
        ))}
      </div>
      <div role="rowgroup" class="rows" style={{ height: `${rows.length * rowHeight}px` }}>
        {shown.map((index) => {
          const row = rows[index];
          if (row === undefined) return null;
          const id = idOf(row);
          const isCurrent = index === currentIndex;
          return (
            <div
              key={String(id)}
              role="row"
              class={rowClass?.(row) ?? ''}
              aria-rowindex={index + 2}
              aria-selected={isSelected?.(row)}
              tabIndex={isCurrent ? 0 : -1}
              style={{
                transform: `translateY(${index * rowHeight}px)`,
                '--row-height': `${rowHeight}px`,
              }}
              ref={(element) => {
                if (!isCurrent || !takesFocus.current || element === null) return;
                takesFocus.current = false;
                element.focus({ preventScroll: true });
              }}
              onFocusCapture={() => {
                current.value = id;
              }}
              onKeyDown={(event) => onKeyDown(event, row, index)}
              onDblClick={({ target }) => {
                const isControl = target instanceof Element && target.closest('input, a, button');
                if (!isControl) props.onOpen?.(row);
              }}
            >
              {cells(row, isCurrent)}
            </div>
          );
        })}
      </div>
      {state === 'loading' && <p class="table-note">Loading…</p>}
      {state === 'failed' && (
        <p class="table-note" role="alert">
          {props.message} <Button onClick={props.onMore}>Try again</Button>
        </p>
      )}
    </div>
  );
}

export function Cell(props: {
  readonly children?: ComponentChildren;
  readonly class?: string;
  readonly title?: string | undefined;
}) {
  return <span role="gridcell" {...props} />;
}
