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

/** After so many live events, as many of the oldest ones are forgotten, so that a page that stays open does not grow. */
const liveMax = 1000;

/** The record of an event, as the parameter `record` of a request names it. */
export function recordOf({ type, data }: StoreEvent): string | undefined {
  const id: unknown = 'id' in data ? data.id : undefined;
  return typeof id === 'bigint' ? `${type.split('.')[0]}:${id}` : undefined;
}

export type EventLog = ReturnType<typeof createEventLog>;

/** The events of one or more parts of the feed that were read or came live. */
function createEvents(parts: readonly FeedPart[]) {
  const { events: feed } = currentApi();
  const bounds = createFeedBounds(feed);
  const sources = parts.map((part) => ({
    ...part,
    reader: createBackwardReader(feed, part.filter, bounds),
  }));
  const events = new Map<bigint, StoreEvent>();
  let liveCount = 0;
  const version = signal(0);

  const newestFirst = computed((): readonly StoreEvent[] => {
    if (version.value === 0) return [];
    const ends = sources.map(({ reader: { end = 0n, isComplete } }) => (isComplete ? 0n : end));
    const last = ends.reduce((latest, end) => (end > latest ? end : latest), 0n);
    return [...events.values()]
      .filter(({ sequence }) => sequence > last)
      .sort((left, right) => (left.sequence < right.sequence ? 1 : -1));
  });

  return {
    /** Newest first, as far as all parts are read. */
    newestFirst,
    size: () => events.size,
    isComplete: () => sources.every(({ reader }) => reader.isComplete),
    /** When the feed begins, if earlier events were deleted. */
    beginsAt: () => sources.find(({ reader }) => reader.beginsAt !== undefined)?.reader.beginsAt,
    includes: (event: StoreEvent) => sources.some(({ includes }) => includes(event)),
    hasManyLive: () => liveCount > liveMax,
    addLive(event: StoreEvent): void {
      if (!events.has(event.sequence)) liveCount += 1;
      events.set(event.sequence, event);
      version.value += 1;
    },
    async readMore(count: number): Promise<void> {
      const unread = sources.filter(({ reader }) => !reader.isComplete);
      await Promise.all(
        unread.map(async ({ reader }) => {
          for (const event of await reader.read(count)) events.set(event.sequence, event);
        }),
      );
      version.value += 1;
    },
    /** The readers continue after the events that are kept, so that the others can be read again. */
    forgetOldest(): void {
      const kept = newestFirst.peek().slice(0, Math.max(liveMax, events.size - liveCount));
      const head = (kept.at(-1)?.sequence ?? 1n) - 1n;
      const boundsBefore = async () => ({ ...(await bounds()), head });
      for (const source of sources) {
        source.reader = createBackwardReader(feed, source.filter, boundsBefore);
      }
      events.clear();
      for (const event of kept) events.set(event.sequence, event);
      liveCount = 0;
      version.value += 1;
    },
  };
}

/** The events of parts of the feed, from now into the past as far as they were read. */
function createEventLog(parts: readonly FeedPart[]) {
  const events = createEvents(parts);
  const state = signal<'loading' | 'ready' | 'failed'>('loading');
  const message = signal('');
  return {
    state,
    message,
    isComplete: events.isComplete,
    size: events.size,
    beginsAt: events.beginsAt,
    /** Reading them draws the page again after each change. */
    newestFirst: (): readonly StoreEvent[] => events.newestFirst.value,
    addLive(event: StoreEvent): void {
      if (!events.includes(event)) return;
      events.addLive(event);
      if (events.hasManyLive() && state.peek() === 'ready') events.forgetOldest();
    },
    /** Reads older events until there are enough, or as many as one call may read. */
    async read(isEnough: () => boolean): Promise<void> {
      const sizeMax = events.size() + readMax;
      state.value = 'loading';
      try {
        do await events.readMore(events.size() === 0 ? firstCount : nextCount);
        while (!events.isComplete() && !isEnough() && events.size() < sizeMax);
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
      const sizeBefore = shown.peek()?.size() ?? 0;
      shown.value ??= log;
      const wasReached = () => log.size() >= sizeBefore && isEnough(log);
      void log.read(wasReached).then(() => {
        if (log === current) shown.value = log;
      });
    }
    start();
    const stopListening = listen((update) => {
      if (update === 'reset') start();
      else if (update.isOwn !== true) current?.addLive(update.event);
    });
    return stopListening;
  }, [key]);
  return shown.value;
}
