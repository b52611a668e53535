// Changes by others, as they happen. The stream is open while the page is visible, because a browser opens only six connections to a
// server over HTTP/1.1, and stops the timers of a hidden page. A page that is visible again continues after the last event.

import { batch } from '@preact/signals';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { pause } from '../../../client/src/retry.ts';
import type { StoreEvent } from '../../../client/src/stream.ts';
import { announce, connection } from './announce.ts';
import { isUnanswered, openService } from './service.ts';
import { callConsole, currentApi, loadSession, type Session } from './session.ts';

const pollMilliseconds = 60_000;

/** A session that ends covers its page within a second. */
const sessionMilliseconds = 900;

const retryMilliseconds = 2000;

/** A stream that did not begin is tried again after this time. */
const heldMilliseconds = 60_000;

/** An event is announced at once, and those that follow together, because each announcement draws the page. */
const drawMilliseconds = 250;

/** Follows the events of a session. What is read from now on stays current if it is read again after each event. Returns its end. */
export function startLive(session: Session): () => void {
  const stopping = new AbortController();
  const { signal: stopped } = stopping;
  if (!session.scopes.includes('events:read')) {
    connection.value = 'off';
    return watchSessionEnd();
  }
  connection.value = 'connecting';
  void followWhileVisible(session, stopped);
  return () => stopping.abort();
}

/** Without a stream, a visible page asks whether its session has ended. The answer comes from the memory of the server. */
function watchSessionEnd(): () => void {
  let isAsking = false;
  const timer = setInterval(async () => {
    if (isAsking || document.visibilityState !== 'visible') return;
    isAsking = true;
    // Without an answer, nothing is known. A refusal reads the session, which covers the page.
    await callConsole('checkSession', {}).catch(() => {});
    isAsking = false;
  }, sessionMilliseconds);
  return () => clearInterval(timer);
}

/** Follows the events while the page is visible. */
async function followWhileVisible(session: Session, stopped: AbortSignal): Promise<void> {
  const { eventPosition } = session;
  /** Of the last event that is known. */
  let position = eventPosition === null ? undefined : BigInt(eventPosition);
  let wasHidden = false;
  /** By `performance.now()`. A proxy holds the stream back, so that events are asked for until then. */
  let asksUntil = 0;
  const announceSoon = createAnnouncer(stopped);
  while (!stopped.aborted) {
    await visible(stopped);
    const hidden = untilHidden(stopped);
    const { signal } = hidden;
    try {
      if (position === undefined || wasHidden) {
        const newest = await findPosition(signal);
        wasHidden = false;
        if (position === undefined || newest - position > missedMax) {
          position = newest;
          announce('reset');
        }
      }
      const after = position;
      const onHeld = () => {
        asksUntil = performance.now() + heldMilliseconds;
        hidden.abort();
      };
      const isHeld = performance.now() < asksUntil;
      await inSlot(async (isFree) => {
        const events =
          isFree && !isHeld ? stream(session, after, signal, onHeld) : poll(after, signal);
        for await (const event of events) {
          position = event.sequence;
          announceSoon(event);
        }
      });
      await pause(retryMilliseconds, signal);
    } catch (error) {
      if (signal.aborted) {
        wasHidden = true;
        continue;
      }
      const isExpired = isAnimalStoreError(error, 'cursor_expired');
      // Not even the newest position is possible.
      const isOff = isExpired && position === undefined;
      show(isOff ? 'off' : 'lost');
      if (isExpired) position = undefined;
      await pause(isOff ? pollMilliseconds : retryMilliseconds, signal).catch(() => {});
    } finally {
      hidden.end();
    }
  }
}

/** After more events, everything is read again instead, because each event would draw the page. */
const missedMax = 2000n;

/** Windows of a browser that have a stream. Further ones would take the connections of all. */
const streamsMax = 3;

/** Runs with a free slot for a stream, or without one. */
async function inSlot(run: (isFree: boolean) => Promise<void>): Promise<void> {
  for (let slot = 1; slot <= streamsMax; slot += 1) {
    const name = `animal-store stream ${slot}`;
    const isFree = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await run(true);
      return lock !== null;
    });
    if (isFree) return;
  }
  await run(false);
}

function stream(
  session: Session,
  after: bigint,
  signal: AbortSignal,
  onHeld: () => void,
): AsyncIterable<StoreEvent> {
  const { api } = openService({
    session,
    onSessionEnd: loadSession,
    onProgress: (progress) => {
      if (signal.aborted) return;
      show(progress === 'answered' ? 'live' : 'lost');
      if (progress === 'slow') onHeld();
    },
  });
  return api.events.stream({ after, signal });
}

/** The events until now. */
async function* poll(after: bigint, signal: AbortSignal): AsyncIterable<StoreEvent> {
  let position = after;
  for (let isLast = false; !isLast; ) {
    const { events, position: next } = await currentApi().events.list({ after: position, signal });
    show('live');
    yield* events;
    isLast = next === position;
    position = next;
  }
}

function show(state: typeof connection.value): void {
  if (state === 'live') isUnanswered.value = false;
  connection.value = state;
}

/** Announces events in their order, at most four times a second. */
function createAnnouncer(stopped: AbortSignal): (event: StoreEvent) => void {
  const waiting: StoreEvent[] = [];
  let isResting = false;
  function announceWaiting(): void {
    const events = waiting.splice(0);
    isResting = events.length > 0 && !stopped.aborted;
    if (!isResting) return;
    batch(() => {
      for (const event of events) announce(event.type === 'feed.reset' ? 'reset' : { event });
    });
    setTimeout(announceWaiting, drawMilliseconds);
  }
  return (event) => {
    waiting.push(event);
    if (!isResting) announceWaiting();
  };
}

/** Resolves when the page is visible, or the signal aborts. */
function visible(stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (document.visibilityState !== 'visible' && !stopped.aborted) return;
      document.removeEventListener('visibilitychange', check);
      stopped.removeEventListener('abort', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    stopped.addEventListener('abort', check, { once: true });
    check();
  });
}

/** Aborts when the page is hidden, or the signal aborts. */
function untilHidden(stopped: AbortSignal) {
  const controller = new AbortController();
  const check = () => {
    if (document.visibilityState !== 'visible' || stopped.aborted) controller.abort();
  };
  document.addEventListener('visibilitychange', check);
  stopped.addEventListener('abort', check, { once: true });
  check();
  return {
    signal: controller.signal,
    abort: () => controller.abort(),
    end(): void {
      document.removeEventListener('visibilitychange', check);
      stopped.removeEventListener('abort', check);
    },
  };
}

async function findPosition(signal: AbortSignal): Promise<bigint> {
  return (await currentApi().events.list({ after: 'now', limit: 1, signal })).position;
}
