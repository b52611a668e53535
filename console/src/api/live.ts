// Changes by others, as they happen. One tab of a browser has the stream of events and sends them to the other tabs, because a
// browser opens only six connections to a server over HTTP/1.1. When that tab closes, the next tab continues from the last event
// that it received.

import { batch, signal } from '@preact/signals';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import type { StoreEvent } from '../../../client/src/stream.ts';
import { isUnanswered, openService } from './service.ts';
import { currentApi, loadSession, type Session } from './session.ts';

/** `off` if the key has no scope for events, or the server keeps none. */
type Connection = 'connecting' | 'live' | 'lost' | 'off';

export const connection = signal<Connection>('connecting');

const pollMilliseconds = 60_000;

const retryMilliseconds = 2000;

const drawMilliseconds = 250;

type ChangeOf<Event> = Event extends StoreEvent ? Pick<Event, 'type' | 'data' | 'previous'> : never;
export type Change = ChangeOf<StoreEvent>;

export type Update =
  | { readonly event: StoreEvent; readonly isOwn?: false }
  | { readonly event: Change; readonly isOwn: true }
  | 'reset';
type Listener = (update: Update) => void;
const listeners = new Set<Listener>();

/** Calls the listener for every change from now on. `reset` means that events may be missing: read all records again. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function announce(update: Update): void {
  for (const listener of listeners) listener(update);
}

/** Announces a change by this page, before the stream has its event, or without a stream. */
export function announceOwnChange(event: Change): void {
  announce({ event, isOwn: true });
}

type Message =
  | { readonly event: StoreEvent }
  /** Events may be missing. The stream continues after this position. */
  | { readonly resetAt: bigint }
  | { readonly connection: Connection }
  | 'send-connection';

/** This tab, among the tabs that show one session. */
interface Tab {
  /** Whether this tab has the stream. */
  isLeader: boolean;
  /** The last event that this tab received. */
  position: bigint | undefined;
  /** Received, and not announced yet. */
  readonly waiting: StoreEvent[];
  isAnnouncing: boolean;
  readonly channel: BroadcastChannel;
  readonly stopped: AbortSignal;
}

/** Follows the events of a session. Records that are read after `ready` stay current if each event is applied to them. */
export function startLive(session: Session): { readonly ready: Promise<void>; stop(): void } {
  if (!session.scopes.includes('events:read')) {
    connection.value = 'off';
    // Without a stream, the page checks at intervals whether the session has ended.
    const timer = setInterval(() => void loadSession(), pollMilliseconds);
    return { ready: Promise.resolve(), stop: () => clearInterval(timer) };
  }
  connection.value = 'connecting';
  const stopping = new AbortController();
  const { signal: stopped } = stopping;
  const name = `animal-store ${session.id} ${session.workspace}`;
  const channel = new BroadcastChannel(name);
  const tab: Tab = {
    isLeader: false,
    position: undefined,
    waiting: [],
    isAnnouncing: false,
    channel,
    stopped,
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => receiveMessage(tab, data);
  const found = findPosition(stopped).then(
    (position) => {
      tab.position = position;
    },
    // `followStream` retries it.
    () => {},
  );
  void found.then(() => waitForLeadership(tab, name, session));
  return {
    ready: found,
    stop() {
      stopping.abort();
      channel.close();
    },
  };
}

function receiveMessage(tab: Tab, message: Message): void {
  if (message === 'send-connection') {
    if (tab.isLeader) tab.channel.postMessage({ connection: connection.peek() });
  } else if ('event' in message) receiveEvent(tab, message.event);
  else if ('resetAt' in message) {
    tab.position = message.resetAt;
    announce('reset');
  } else setConnection(tab, message.connection);
}

function receiveEvent(tab: Tab, event: StoreEvent): void {
  // A tab that has just opened the stream may send an event again.
  if (tab.position !== undefined && event.sequence <= tab.position) return;
  tab.position = event.sequence;
  tab.waiting.push(event);
  if (tab.isAnnouncing) return;
  tab.isAnnouncing = true;
  announceWaiting(tab);
}

/** Announces an event at once, and those that follow together, because each announcement draws the page. */
function announceWaiting(tab: Tab): void {
  const events = tab.waiting.splice(0);
  tab.isAnnouncing = events.length > 0 && !tab.stopped.aborted;
  if (!tab.isAnnouncing) return;
  batch(() => {
    for (const event of events) announce(event.type === 'feed.reset' ? 'reset' : { event });
  });
  setTimeout(() => announceWaiting(tab), drawMilliseconds);
}

function setConnection({ isLeader, channel, stopped }: Tab, state: Connection): void {
  if (state === 'live') isUnanswered.value = false;
  if (stopped.aborted || connection.peek() === state) return;
  connection.value = state;
  if (isLeader) channel.postMessage({ connection: state });
}

/** Waits until no other tab has the stream. */
async function waitForLeadership(tab: Tab, name: string, session: Session): Promise<void> {
  tab.channel.postMessage('send-connection');
  await navigator.locks
    .request(name, { signal: tab.stopped }, () => {
      tab.isLeader = true;
      return followStream(tab, session);
    })
    .catch(() => {});
}

async function followStream(tab: Tab, session: Session): Promise<void> {
  const { channel, stopped } = tab;
  const { api } = openService({
    session,
    onSessionEnd: loadSession,
    onProgress: (progress) => setConnection(tab, progress === 'answered' ? 'live' : 'lost'),
  });
  while (!stopped.aborted) {
    try {
      if (tab.position === undefined) {
        tab.position = await findPosition(stopped);
        channel.postMessage({ resetAt: tab.position });
        announce('reset');
      }
      for await (const event of api.events.stream({ after: tab.position, signal: stopped })) {
        channel.postMessage({ event });
        receiveEvent(tab, event);
      }
    } catch (error) {
      // The page shows another session or workspace.
      if (stopped.aborted) return;
      const isExpired = isAnimalStoreError(error, 'cursor_expired');
      // Not even the newest position is possible.
      const isOff = isExpired && tab.position === undefined;
      setConnection(tab, isOff ? 'off' : 'lost');
      if (isExpired) tab.position = undefined;
      const waitMilliseconds = isOff ? pollMilliseconds : retryMilliseconds;
      await new Promise((resolve) => setTimeout(resolve, waitMilliseconds));
    }
  }
}

async function findPosition(signal: AbortSignal): Promise<bigint> {
  return (await currentApi().events.list({ after: 'now', limit: 1, signal })).position;
}
