import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { List } from '../../../client/src/list.ts';
import { type Change, listen } from '../api/live.ts';
import { createRecordList, type Identified, type RecordList } from '../api/record-list.ts';
import { common } from '../texts/common.ts';
import { Button } from './controls.tsx';

/** The list of a screen, kept up to date by events. Another key is another list. */
export function useRecordList<Row extends Identified>(
  key: string,
  read: (signal: AbortSignal) => List<Row>,
  onEvent: (rows: RecordList<Row>['rows'], event: Change, isOwn: boolean) => void,
): RecordList<Row> {
  const list = useMemo(() => createRecordList(read), [key]);
  useEffect(() => {
    void list.loadMore();
    const stopListening = listen((update) => {
      if (update === 'reset') void list.reload();
      else list.apply(() => onEvent(list.rows, update.event, update.isOwn === true));
    });
    return () => {
      stopListening();
      list.stop();
    };
  }, [list]);
  // Reading the version draws the screen again after each change of a row.
  void list.rows.version.value;
  return list;
}

/** A table of records below the button that shows new ones, or `empty`. */
export function ListScreen<Row extends Identified>(props: {
  readonly list: RecordList<Row>;
  readonly noun: string;
  readonly empty: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { list, noun, empty, children } = props;
  const count = list.rows.unseenCount.value;
  const isEmpty = list.state.value === 'complete' && list.rows.items.length === 0;
  return (
    <div class="list">
      <p class="unseen" role="status">
        {count > 0 && (
          <Button kind="main" onClick={() => void list.reload()}>
            {common.showNew(count, noun)}
          </Button>
        )}
      </p>
      {isEmpty ? empty : children}
    </div>
  );
}
