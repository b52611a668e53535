import { signal } from '@preact/signals';
import { Button } from '../parts/parts.tsx';
import { sessionTimes } from './session.ts';
import { continueFault, nearEnd, reportAction } from './session-end.ts';

/** The end whose notice the user has closed. Only for an end that no action moves. */
const readEnd = signal<number | undefined>(undefined);

/** Says that the session ends soon. It is a part of each window as well, because nothing else can be reached then. */
export function EndNotice() {
  const end = nearEnd.value;
  const mayContinue = sessionTimes.value?.mayContinue === true;
  return (
    <div role="status">
      {end !== undefined && end !== readEnd.value && (
        <div class="notice">
          <p>
            Your session ends at {formatTime(end)}.{' '}
            {mayContinue
              ? continueFault.value
              : 'Save what you typed before then. Afterwards, sign in again.'}
          </p>
          {mayContinue ? (
            <Button kind="main" onClick={() => void reportAction(true)}>
              Stay signed in
            </Button>
          ) : (
            <Button
              onClick={() => {
                readEnd.value = end;
              }}
            >
              Close
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
