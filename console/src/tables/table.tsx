import type { ComponentChildren } from 'preact';
import type { Identified } from '../lists/list-place.ts';
import { type RowAction, RowActions } from '../parts/actions.tsx';
import { Button } from '../parts/controls.tsx';
import { Loading } from '../parts/display.tsx';
import { showError } from '../parts/notices.tsx';
import { hasLetter } from '../parts/shortcut.ts';
import { common } from '../texts/common.ts';
import type { Selection } from './selection.ts';
import { type NarrowLines, type TableList, useVisibleRows } from './visible-rows.ts';

export interface Column<Row> {
  readonly heading: string;
  /** The style sheet lays out the cells by their classes. */
  readonly class: string;
  /** Controls in cells take the tab index, so that Tab reaches only those of the current row. */
  readonly cell: (row: Row, tabIndex: number) => ComponentChildren;
  readonly title?: (row: Row) => string | undefined;
  /** If the rows are in the order of this column. */
  readonly sort?: 'ascending' | 'descending';
}

interface TableProps<Row extends Identified> {
  readonly list: TableList<Row>;
  readonly label: string;
  /** The class by which the style sheet lays out the columns. */
  readonly layout: string;
  readonly columns: readonly Column<Row>[];
  readonly nameOf: (row: Row) => string;
  readonly actions: (row: Row) => readonly RowAction[];
  readonly onOpen?: ((row: Row) => void) | undefined;
  readonly selection?: TableSelection<Row> | undefined;
  readonly rowClass?: (row: Row) => string;
  readonly narrowLines: NarrowLines;
}

/** The rows that a user has selected, and can select. */
interface TableSelection<Row extends Identified> {
  readonly of: Selection<Row>;
  readonly canSelect: (row: Row) => boolean;
  /** During a change of the selected rows, they stay. */
  readonly isFixed: boolean;
}

/** The first column of a table of records. */
export const numberColumn: Column<Identified> = {
  heading: common.number,
  class: 'number',
  cell: ({ id }) => String(id),
};

/** A table of any length. Only visible rows are in the page. Arrow keys move from row to row. */
export function Table<Row extends Identified>(props: TableProps<Row>) {
  const { list, selection } = props;
  const { items, place, isCounted } = list.rows;
  const state = list.state.value;
  const visible = useVisibleRows(list, props.narrowLines);
  const onKeyDown = useRowKeys(props, visible);

  return (
    <>
      <div
        ref={visible.table}
        class={`table ${props.layout}${selection === undefined ? '' : ' selectable'}`}
        role="grid"
        aria-label={props.label}
        aria-rowcount={isCounted ? place.before + items.length + place.after + 1 : -1}
        aria-multiselectable={selection !== undefined}
        aria-busy={state === 'loading'}
      >
        <Head {...props} />
        {visible.isBlank && state !== 'failed' && <Loading />}
        <div
          role="rowgroup"
          class="rows"
          style={{ height: `${visible.height}px`, '--row-height': `${visible.rowHeight}px` }}
        >
          {visible.shown.map((index) => {
            const row = items[index - place.before];
            if (row === undefined) return null;
            return (
              <TableRow
                key={String(row.id)}
                {...props}
                row={row}
                place={index}
                top={index * visible.rowHeight}
                tabIndex={index === visible.currentPlace ? 0 : -1}
                onFocus={visible.onFocus}
                onBlur={visible.onBlur}
                onKeyDown={onKeyDown}
              />
            );
          })}
        </div>
      </div>
      {state === 'failed' && (
        <p class="table-note" role="alert">
          {list.message.value} <Button onClick={list.retry}>{common.tryAgain}</Button>
        </p>
      )}
    </>
  );
}

function Head<Row extends Identified>({ columns, selection }: TableProps<Row>) {
  const extent = selection?.of.extent.value;
  return (
    <div role="row" class="head" aria-rowindex={1}>
      {selection !== undefined && (
        <span role="columnheader" class="select">
          <input
            type="checkbox"
            aria-label={common.selectAll}
            checked={extent === 'all'}
            indeterminate={extent === 'some'}
            disabled={selection.isFixed || selection.of.isReading.value}
            onClick={() => {
              if (extent === 'all') selection.of.set([]);
              else run(selection.of.selectAll());
            }}
          />
        </span>
      )}
      {columns.map(({ heading, class: name, sort }) => (
        <span role="columnheader" key={heading} class={name} aria-sort={sort}>
          {heading}
        </span>
      ))}
      <span role="columnheader">{common.actions}</span>
    </div>
  );
}

interface RowProps<Row extends Identified> extends TableProps<Row> {
  readonly row: Row;
  readonly place: number;
  /** Pixels from the first row. */
  readonly top: number;
  readonly tabIndex: number;
  readonly onFocus: (row: Row, element: Element) => void;
  readonly onBlur: (element: Element) => void;
  readonly onKeyDown: (event: KeyboardEvent, row: Row, place: number) => void;
}

function TableRow<Row extends Identified>(props: RowProps<Row>) {
  const { row, place, selection, tabIndex } = props;
  const name = props.nameOf(row);
  const isControl = ({ target }: Event) =>
    target instanceof Element && target.closest('label, a, button') !== null;
  return (
    <div
      role="row"
      class={props.rowClass?.(row) ?? ''}
      aria-rowindex={place + 2}
      aria-selected={selection?.of.has(row)}
      tabIndex={tabIndex}
      style={{ transform: `translateY(${props.top}px)` }}
      onFocusCapture={({ currentTarget }) => props.onFocus(row, currentTarget)}
      onBlurCapture={({ currentTarget }) => props.onBlur(currentTarget)}
      onKeyDown={(event) => props.onKeyDown(event, row, place)}
      onMouseDown={(event) => {
        // A range of rows is no selection of text.
        if (event.shiftKey && selection !== undefined) event.preventDefault();
      }}
      onClick={(event) => {
        if (event.shiftKey && !isControl(event)) select(selection, row, true);
      }}
      onDblClick={(event) => {
        if (!isControl(event)) props.onOpen?.(row);
      }}
    >
      {selection !== undefined && (
        <span role="gridcell" class="select">
          {(selection.canSelect(row) || selection.of.has(row)) && (
            <label class="target">
              <input
                type="checkbox"
                aria-label={common.actionOn(common.select, name)}
                tabIndex={tabIndex}
                checked={selection.of.has(row)}
                disabled={selection.isFixed}
                onClick={({ shiftKey }) => select(selection, row, shiftKey)}
              />
            </label>
          )}
        </span>
      )}
      {props.columns.map(({ heading, class: cellClass, cell, title }) => (
        <span role="gridcell" key={heading} class={cellClass} title={title?.(row)}>
          {cell(row, tabIndex)}
        </span>
      ))}
      <span role="gridcell" class="row-actions">
        <RowActions of={name} actions={props.actions(row)} tabIndex={tabIndex} />
      </span>
    </div>
  );
}

/** Changes the selection of a row, or of all rows from the last one that was changed. */
function select<Row extends Identified>(
  selection: TableSelection<Row> | undefined,
  row: Row,
  isRange: boolean,
  from?: Row,
): void {
  if (selection === undefined || selection.isFixed) return;
  if (isRange) run(selection.of.extendTo(row, from));
  else if (selection.canSelect(row) || selection.of.has(row)) selection.of.toggle(row);
}

/** What the keys do in a row. With Shift, the rows that they pass are selected. */
function useRowKeys<Row extends Identified>(
  { onOpen, selection, actions }: TableProps<Row>,
  visible: ReturnType<typeof useVisibleRows<Row>>,
) {
  const { pageRows } = visible;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: pageRows,
    PageUp: -pageRows,
  };
  return (event: KeyboardEvent, row: Row, place: number): void => {
    const { key, shiftKey } = event;
    const isRow = event.target === event.currentTarget;
    const step = steps[key];
    const extendTo = (reached: Row | undefined) => {
      if (shiftKey && reached !== undefined) select(selection, reached, true, row);
    };
    if (step !== undefined) extendTo(visible.moveTo(place + step));
    else if (key === 'Home') void visible.moveToEdge('start').then(extendTo);
    else if (key === 'End') void visible.moveToEdge('end').then(extendTo);
    else if (isRow && key === 'Enter') onOpen?.(row);
    else if (isRow && key === ' ') select(selection, row, shiftKey);
    else if (
      isRow &&
      hasLetter(event, 'a') &&
      (event.ctrlKey || event.metaKey) &&
      selection !== undefined
    ) {
      if (!selection.isFixed) run(selection.of.selectAll());
    } else {
      const isPlain = isRow && !event.ctrlKey && !event.metaKey && !event.altKey;
      const isOf = ({ letter }: RowAction) => letter !== undefined && hasLetter(event, letter);
      const action = isPlain ? actions(row).find(isOf) : undefined;
      if (action === undefined) return;
      action.run();
    }
    event.preventDefault();
  };
}

/** Reports the failure of a selection whose records could not be read. */
function run(selecting: Promise<void>): void {
  selecting.catch(showError);
}
