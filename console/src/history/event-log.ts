import { computed, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StoreEvent } from '../../../client/src/stream.ts';
import { listen } from '../api/announce.ts';
import { messageOf } from '../api/service.ts';
import { currentApi } from '../api/session.ts';
import { createBackwardReader, createFeedBounds, type EventFilter } from './read-back.ts';

/** A part of the feed: what its requests ask for, and which live events belong to it. */
export interface FeedPart {
  readonly filter: EventFilter;
  readonly includes: (event: StoreEvent) => boolean;
}

/** The first page is shown soon. If it is not enough, more are read at once. */
const firstCount = 100;
const nextCount = 500;

/** Each call reads about so many events at most. The user can ask for more. */
const readMax = 2000;

/** After so many live events, the log is read again without its oldest ones, so that a page that stays open does not grow. */
const liveMax = 1000;

/** The record of an event, as the parameter `record` of a request names it. */
export function recordOf({ type, data }: StoreEvent): string | undefined {
  const id: unknown = 'id' in data ? data.id : undefined;
  return typeof id === 'bigint' ? `${type.split('.')[0]}:${id}` : undefined;
}

export type EventLog = ReturnType<typeof createEventLog>;

/** The events of parts of the feed that were read or came live, from now into the past as far as all parts are read. */
function createEventLog(parts: readonly FeedPart[]) {
  const { events: feed } = currentApi();
  const bounds = createFeedBounds(feed);
  const readers = parts.map(({ filter }) => createBackwardReader(feed, filter, bounds));
  const events = new Map<bigint, StoreEvent>();
  let liveCount = 0;
  const version = signal(0);
  const state = signal<'loading' | 'ready' | 'failed'>('loading');
  const message = signal('');
  const isComplete = () => readers.every((reader) => reader.isComplete);

  const newestFirst = computed((): readonly StoreEvent[] => {
    if (version.value === 0) return [];
    const ends = readers.map((reader) => (reader.isComplete ? 0n : (reader.end ?? 0n)));
    const last = ends.reduce((latest, end) => (end > latest ? end : latest), 0n);
    return [...events.values()]
      .filter(({ sequence }) => sequence > last)
      .sort((left, right) => (left.sequence < right.sequence ? 1 : -1));
  });

  async function readMore(count: number): Promise<void> {
    await Promise.all(
      readers.map(async (reader) => {
        if (reader.isComplete) return;
        for (const event of await reader.read(count)) events.set(event.sequence, event);
      }),
    );
    version.value += 1;
  }

  return {
    state,
    message,
    isComplete,
    size: () => events.size,
    /** Whether so many events came live that the log is read again. */
    isLong: () => liveCount > liveMax && state.peek() === 'ready',
    /** How many events another log needs to show the same past. */
    keptSize: () => Math.max(Math.min(liveMax, events.size), events.size - liveCount),
    /** When the feed begins, if earlier events were deleted. */
    beginsAt: () => readers.find(({ beginsAt }) => beginsAt !== undefined)?.beginsAt,
    /** Reading them draws the page again after each change. */
    newestFirst: () => newestFirst.value,
    addLive(event: StoreEvent): void {
      if (!parts.some(({ includes }) => includes(event))) return;
      if (!events.has(event.sequence)) liveCount += 1;
      events.set(event.sequence, event);
      version.value += 1;
    },
    /** Reads older events until there are enough, or as many as one call may read. */
    async read(isEnough: () => boolean): Promise<void> {
      const sizeMax = events.size + readMax;
      state.value = 'loading';
      try {
        do await readMore(events.size === 0 ? firstCount : nextCount);
        while (!isComplete() && !isEnough() && events.size < sizeMax);
        state.value = 'ready';
      } catch (error) {
        message.value = messageOf(error);
        state.value = 'failed';
      }
    },
  };
}

/**
 * The events of these parts, with live ones. `isEnough` ends the first read. Another key is another log, which takes the place of the
 * one before when it is read. Without parts, there is none.
 */
export function useEventLog(
  key: string,
  parts: readonly FeedPart[],
  isEnough: (log: EventLog) => boolean = () => true,
): EventLog | undefined {
  const shown = useSignal<EventLog | undefined>(undefined);
  useEffect(() => {
    if (parts.length === 0) return;
    let current: EventLog | undefined;
    function start(): void {
      const log = createEventLog(parts);
      current = log;
      const sizeBefore = shown.peek()?.keptSize() ?? 0;
      shown.value ??= log;
      const wasReached = () => log.size() >= sizeBefore && isEnough(log);
      void log.read(wasReached).then(() => {
        if (log === current) shown.value = log;
      });
    }
    start();
    const stopListening = listen((update) => {
      if (update === 'reset') start();
      else if (update.isOwn !== true) {
        current?.addLive(update.event);
        if (current?.isLong()) start();
      }
    });
    return stopListening;
  }, [key]);
  return shown.value;
}
