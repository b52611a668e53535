import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { PagedList, Place } from '../api/list-loader.ts';
import { type Change, listen } from '../api/live.ts';
import { createRecordList, type RecordList } from '../api/record-list.ts';
import type { Edge, Identified } from '../api/sequence.ts';
import { common } from '../texts/common.ts';
import { Button } from './controls.tsx';

/** What is known of a list beside its records. */
interface ListOptions {
  /** The edge at which new records are. */
  readonly newest?: Edge;
  /** The number of records, if the service counts them. With it, `read` must be able to start anywhere. */
  readonly count?: number | undefined;
}

/** The list of a screen, kept up to date by events. Another key is another list. */
export function useRecordList<Row extends Identified>(
  key: string,
  read: (signal: AbortSignal, place: Place) => PagedList<Row>,
  onEvent: (rows: RecordList<Row>['rows'], event: Change, isOwn: boolean) => void,
  { newest = 'start', count }: ListOptions = {},
): RecordList<Row> {
  const list = useMemo(() => createRecordList({ read, newest }), []);
  const handle = useRef(onEvent);
  handle.current = onEvent;
  useEffect(() => {
    const stopListening = listen((update) => {
      if (update === 'reset') void list.reload();
      else list.apply(() => handle.current(list.rows, update.event, update.isOwn === true));
    });
    return () => {
      stopListening();
      list.stop();
    };
  }, [list]);
  useLayoutEffect(() => list.expect(count), [list, count]);
  useEffect(() => list.show({ read, newest }), [list, key]);
  // Reading the version draws the screen again after each change of a row.
  void list.rows.version.value;
  return list;
}

/** A table of records, or `empty`. The line above it has room for the number of records and for the button that shows new ones. */
export function ListScreen<Row extends Identified>(props: {
  readonly list: RecordList<Row>;
  readonly noun: string;
  /** Rows that do not match any more are not counted. */
  readonly isCounted?: (row: Row) => boolean;
  readonly empty: ComponentChildren;
  readonly children: ComponentChildren;
  /** Further controls of the line above the table. */
  readonly controls?: ComponentChildren;
}) {
  const { list, noun, empty, children } = props;
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
              {common.showNew(unseenCount, noun)}
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
  readonly noun: string;
  readonly isCounted?: (row: Row) => boolean;
}) {
  const { list, noun, isCounted = () => true } = props;
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
        const found = common.found(count, noun, hasMore);
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
