import { useSignal } from '@preact/signals';
import { Button } from '../parts/controls.tsx';
import { formatTime } from '../parts/display.tsx';
import { historyTexts as texts } from '../texts/changes.ts';
import { common } from '../texts/common.ts';
import type { EventLog } from './event-log.ts';

/** How many lines of a log are shown. `showOlder` shows more, and reads older events if they are too few. */
export function useShownCount(
  log: EventLog | undefined,
  step: number,
  countLines: (log: EventLog) => number,
) {
  const count = useSignal(step);
  return {
    shownCount: count.value,
    showOlder(): void {
      const wanted = count.peek() + step;
      count.value = wanted;
      const isEnough = () => log === undefined || countLines(log) >= wanted;
      if (!isEnough()) void log?.read(isEnough);
    },
  };
}

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
