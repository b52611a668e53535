import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Identified } from '../lists/list-place.ts';
import type { OpenList } from '../lists/list-state.ts';
import { createRecordList, type RecordList } from '../lists/record-list.ts';
import { Button } from '../parts/controls.tsx';
import { common } from '../texts/common.ts';
import type { ListedKind } from '../texts/local-count.ts';

/** The list of a screen. Another key is another list. `count` is the number of its records, if the service counts them. */
export function useRecordList<Row extends Identified>(
  key: string,
  open: () => OpenList<Row>,
  count?: number,
): RecordList<Row> {
  const list = useMemo(() => createRecordList(open()), []);
  useEffect(() => list.stop, [list]);
  useLayoutEffect(() => list.expect(count), [list, count]);
  useEffect(() => list.show(open()), [list, key]);
  // Reading the version draws the screen again after each change of a row.
  void list.rows.version.value;
  return list;
}

/** A table of records, or `empty`. The line above it has room for the number of records and for the button that shows new ones. */
export function ListScreen<Row extends Identified>(props: {
  readonly list: RecordList<Row>;
  readonly kind: ListedKind;
  /** Rows that do not match any more are not counted. */
  readonly isCounted?: (row: Row) => boolean;
  readonly empty: ComponentChildren;
  readonly children: ComponentChildren;
  /** Further controls of the line above the table. */
  readonly controls?: ComponentChildren;
}) {
  const { list, kind, empty, children } = props;
  const unseenCount = list.rows.unseenCount.value;
  const isEmpty = list.state.value === 'complete' && list.rows.items.length === 0;
  return (
    <div class="list">
      <div class="list-line">
        <Count {...props} />
        {props.controls}
        <p class="unseen" role="status">
          {unseenCount > 0 && (
            <Button kind="main" onClick={() => void list.showNew()}>
              {common.showNew(kind, unseenCount)}
            </Button>
          )}
        </p>
      </div>
      {isEmpty ? empty : children}
    </div>
  );
}

/** A count changes with each page. It is announced when it stays for this long, and at the latest after the longer time. */
const countMilliseconds = 300;
const countMillisecondsMax = 1000;

/** How many records the list has, as far as this is known. Screen readers announce it. */
function Count<Row extends Identified>(props: {
  readonly list: RecordList<Row>;
  readonly kind: ListedKind;
  readonly isCounted?: (row: Row) => boolean;
}) {
  const { list, kind, isCounted = () => true } = props;
  const { rows } = list;
  const state = list.state.value;
  const shown = useSignal('');
  const changedAt = useRef<number | undefined>(undefined);
  useEffect(() => {
    changedAt.current ??= Date.now();
    const latestAt = changedAt.current + countMillisecondsMax;
    const timer = setTimeout(
      () => {
        changedAt.current = undefined;
        const isCountedRow = (row: Row) => !rows.gone.has(row.id) && isCounted(row);
        const count = rows.expected ?? rows.items.filter(isCountedRow).length;
        const hasMore = rows.expected === undefined && state !== 'complete';
        const found = common.found(kind, count, hasMore);
        shown.value = state === 'loading' ? common.loading : state === 'failed' ? '' : found;
      },
      Math.min(countMilliseconds, latestAt - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [state, rows.version.value, rows.expected]);
  return (
    <p class="count" role="status">
      {shown.value}
    </p>
  );
}
