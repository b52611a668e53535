import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { common } from '../texts/common.ts';
import { Button } from './controls.tsx';
import { Loading, type RowAction, RowActions } from './display.tsx';
import { type Item, type TableList, useVisibleRows } from './visible-rows.ts';

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
}

/** The first column of a table of records. */
export const numberColumn: Column<Item> = {
  heading: common.number,
  class: 'number',
  cell: ({ id }) => String(id),
};

/** A table of any length. Only visible rows are in the page. Arrow keys move from row to row. */
export function Table<Row extends Item>(props: TableProps<Row>) {
  const { list, columns, isSelected, rowClass } = props;
  const rows = list.rows.items;
  const state = list.state.value;
  const visible = useVisibleRows(list);
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
        {[...columns.map(({ heading }) => heading), common.actions].map((heading) => (
          <span role="columnheader" key={heading}>
            {heading}
          </span>
        ))}
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
                const isControl = target instanceof Element && target.closest('input, a, button');
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
