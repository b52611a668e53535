import { computed, signal } from '@preact/signals';
import { isOfLeftPage, messageOf } from '../api/service.ts';
import {
  continueSession,
  loadSession,
  lockPage,
  sessionState,
  sessionTimes,
} from '../api/session.ts';
import { common } from '../texts/common.ts';
import { texts } from '../texts/session.ts';
import { Button } from './controls.tsx';

/** The notice appears this long before the end. */
const noticeMilliseconds = 5 * 60_000;

/** Actions are reported at most this often, so that *last action* in the list of sessions is right to some minutes. */
const reportMilliseconds = 3 * 60_000;

const retryMilliseconds = 10_000;

/**
 * Actions of a person. Requests of the page itself, such as for events, are no actions. `pointerdown` is not used: the notice
 * would disappear, and the button that was pressed move away, before its click. `pointercancel` is the beginning of scrolling by touch.
 */
const actions = ['pointerup', 'pointercancel', 'keydown', 'input'] as const;

const now = signal(Date.now());

/** The end of the session, in milliseconds since 1970; undefined until five minutes before it. */
const nearEnd = computed(() => {
  const { endsAt = Number.POSITIVE_INFINITY } = sessionTimes.value ?? {};
  const isNear = sessionState.value.is === 'signed-in' && endsAt - now.value <= noticeMilliseconds;
  return isNear ? endsAt : undefined;
});

/** Why the session could not be continued. */
const continueFault = signal<string | undefined>(undefined);

let isReporting = false;
let retryAt = 0;

/** Reports an action. The button of the notice may do so again at once. */
async function reportAction(isAsked = false): Promise<void> {
  const times = sessionTimes.peek();
  if (sessionState.peek().is !== 'signed-in' || times?.mayContinue !== true) return;
  const at = Date.now();
  if (at - times.lastActiveAt < reportMilliseconds || (at < retryAt && !isAsked)) return;
  if (isReporting) return;
  isReporting = true;
  try {
    await continueSession();
    continueFault.value = undefined;
  } catch (error) {
    continueFault.value = isOfLeftPage(error) ? undefined : messageOf(error);
    retryAt = Date.now() + retryMilliseconds;
  }
  isReporting = false;
}

/** Reports actions of the user, and locks the page at the end of the session. */
export function watchSession(): () => void {
  const stopping = new AbortController();
  const { signal: stopped } = stopping;
  const act = ({ isTrusted }: Event) => void (isTrusted && reportAction());
  for (const type of actions) {
    addEventListener(type, act, { capture: true, passive: true, signal: stopped });
  }
  // Another tab may have continued the session, or signed in.
  const recheckSession = () => void (sessionState.peek().is === 'locked' && loadSession());
  addEventListener('online', recheckSession, { signal: stopped });
  document.addEventListener('visibilitychange', recheckSession, { signal: stopped });
  // Back can show a page as it was left. Its user may have signed out since, in another workspace.
  const recheckRestored = ({ persisted }: PageTransitionEvent) => void (persisted && loadSession());
  addEventListener('pageshow', recheckRestored, { signal: stopped });
  const timer = setInterval(() => {
    now.value = Date.now();
    const { endsAt = Number.POSITIVE_INFINITY } = sessionTimes.peek() ?? {};
    if (now.peek() < endsAt || sessionState.peek().is !== 'signed-in') return;
    // Locked first: the server may be out of reach.
    lockPage();
    void loadSession();
  }, 1000);
  return () => {
    stopping.abort();
    clearInterval(timer);
  };
}

/** The end whose notice the user has closed. Only a notice without a button to continue can be closed. */
const dismissedEnd = signal<number | undefined>(undefined);

/** Announces the end of the session. Each dialog has it as well, because the page below a dialog cannot be reached. */
export function EndNotice() {
  const end = nearEnd.value;
  const mayContinue = sessionTimes.value?.mayContinue === true;
  return (
    <div role="status">
      {end !== undefined && end !== dismissedEnd.value && (
        <div class="notice">
          <p>
            {texts.endsAt(new Date(end).toLocaleTimeString(undefined, { timeStyle: 'short' }))}
            {mayContinue ? continueFault.value : texts.saveBefore}
          </p>
          {mayContinue ? (
            <Button kind="main" onClick={() => void reportAction(true)}>
              {texts.stay}
            </Button>
          ) : (
            <Button
              onClick={() => {
                dismissedEnd.value = end;
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
