import { signal } from '@preact/signals';
import { Button } from '../parts/controls.tsx';
import { common } from '../texts/common.ts';
import { texts } from '../texts/session.ts';
import { sessionTimes } from './session.ts';
import { continueFault, nearEnd, reportAction } from './session-end.ts';

/** The end whose notice the user has closed. Only a notice without a button to continue can be closed. */
const readEnd = signal<number | undefined>(undefined);

/** Announces the end of the session. Each dialog has it as well, because the page below a dialog cannot be reached. */
export function EndNotice() {
  const end = nearEnd.value;
  const mayContinue = sessionTimes.value?.mayContinue === true;
  return (
    <div role="status">
      {end !== undefined && end !== readEnd.value && (
        <div class="notice">
          <p>
            {texts.endsAt(formatTime(end))}
            {mayContinue ? continueFault.value : texts.saveBefore}
          </p>
          {mayContinue ? (
            <Button kind="main" onClick={() => void reportAction(true)}>
              {texts.stay}
            </Button>
          ) : (
            <Button
              onClick={() => {
                readEnd.value = end;
              }}
            >
              {common.close}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function formatTime(time: number): string {
  return new Date(time).toLocaleTimeString(undefined, { timeStyle: 'short' });
}
