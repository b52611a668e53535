import { Button } from '../parts/controls.tsx';
import { formatTime } from '../parts/display.tsx';
import { historyTexts as texts } from '../texts/changes.ts';
import { common } from '../texts/common.ts';
import type { EventLog } from './event-log.ts';

/** Below the events that are shown: what reads older ones, or where the events begin. */
export function Older(props: {
  readonly log: EventLog;
  /** Whether all events that were read are shown. */
  readonly isAll: boolean;
  readonly onShow: () => void;
}) {
  const { log, isAll, onShow } = props;
  const state = log.state.value;
  if (isAll && log.isComplete()) {
    const beginsAt = log.beginsAt();
    return beginsAt === undefined ? null : (
      <p class="table-note">{texts.beginsAt(formatTime(beginsAt, 'short'))}</p>
    );
  }
  return (
    <div class="table-note" role={state === 'failed' ? 'alert' : undefined}>
      {state === 'failed' && <p>{log.message.value}</p>}
      {/* It keeps the focus while it reads. */}
      <Button aria-disabled={state === 'loading'} onClick={() => state !== 'loading' && onShow()}>
        {state === 'loading' ? texts.reading : state === 'failed' ? common.tryAgain : texts.older}
      </Button>
    </div>
  );
}
