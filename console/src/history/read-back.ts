import { isAnimalStoreError } from '../../../client/src/error.ts';
import type { AnimalStore } from '../../../client/src/store.ts';
import type { EventsRequest, StoreEvent } from '../../../client/src/stream.ts';

export type EventFilter = Pick<EventsRequest, 'types' | 'record'>;

/** The events of one request, which is the limit of the service. */
const pageMax = 100;

/** The service reads so many events for one page of some types. */
const scanMax = 1000n;

/** A rare kind of event is not searched through a whole long feed at once. */
const requestsMax = 20;

/** The oldest event that the server keeps. */
interface FeedStart {
  readonly sequence: bigint;
  /** When it happened, if earlier events were deleted. */
  readonly time?: string | undefined;
  /** The server keeps no events. */
  readonly isOff?: boolean;
}

interface FeedBounds {
  readonly start: FeedStart;
  /** The newest event. */
  readonly head: bigint;
}

/** Finds where a feed begins and ends, once for all readers of its parts. */
export function createFeedBounds(events: AnimalStore['events']): () => Promise<FeedBounds> {
  let found: Promise<FeedBounds> | undefined;
  async function find(): Promise<FeedBounds> {
    try {
      const start = await findStart(events);
      if (start.isOff) return { start, head: 0n };
      return { start, head: (await events.list({ after: 'now', limit: 1 })).position };
    } catch (error) {
      found = undefined;
      throw error;
    }
  }
  return () => (found ??= find());
}

/** Reads events from the newest to the oldest. The service reads forwards only, so that each read begins at a position in the past. */
export function createBackwardReader(
  events: AnimalStore['events'],
  filter: EventFilter,
  findBounds = createFeedBounds(events),
) {
  let start: FeedStart | undefined;
  /** The newest event that is not read yet. */
  let end: bigint | undefined;
  /** How many events of the feed the next request covers. */
  let size = BigInt(pageMax);

  function grow(foundCount: number): void {
    if (foundCount * 4 > pageMax) return;
    size *= 4n;
    if (filter.types !== undefined && size > scanMax) size = scanMax;
  }

  return {
    /** Whether the oldest event is read. */
    get isComplete(): boolean {
      return start !== undefined && end !== undefined && end < start.sequence;
    },
    /** The last event before those that are read. */
    get end(): bigint | undefined {
      return end;
    },
    /** When the feed begins, if earlier events were deleted. */
    get beginsAt(): string | undefined {
      return start?.time;
    },
    /** Reads events before those that were read: about `count`, or fewer if they are rare. */
    async read(count: number): Promise<readonly StoreEvent[]> {
      if (start === undefined || end === undefined) {
        const bounds = await findBounds();
        start = bounds.start;
        end = bounds.head;
        // Most records have few events in the whole feed.
        if (filter.record !== undefined) size = end;
      }
      const found: StoreEvent[] = [];
      for (let requests = 0; requests < requestsMax; requests += 1) {
        if (found.length >= count || end < start.sequence) break;
        const isRest = end - size < start.sequence;
        const after: bigint = isRest ? start.sequence - 1n : end - size;
        try {
          const read = await readWindow(
            events,
            { ...filter, after: isRest ? undefined : after },
            end,
          );
          if (read === undefined) size = size / 4n > pageMax ? size / 4n : BigInt(pageMax);
          else {
            found.push(...read);
            end = after;
            grow(read.length);
          }
        } catch (error) {
          // The server has deleted the oldest events during this time.
          if (isAnimalStoreError(error, 'cursor_expired')) start = await findStart(events);
          // What was read is returned. The next call meets the error again.
          else if (found.length > 0) break;
          else throw error;
        }
      }
      return found;
    },
  };
}

/** The events of a request up to `last`, or undefined if there are more than a page of them. */
async function readWindow(
  events: AnimalStore['events'],
  request: EventsRequest,
  last: bigint,
): Promise<readonly StoreEvent[] | undefined> {
  const page = await events.list({ ...request, limit: pageMax });
  if (page.position < last) return undefined;
  return page.events.filter(({ sequence }) => sequence <= last);
}

async function findStart(events: AnimalStore['events']): Promise<FeedStart> {
  try {
    await events.list({ after: 0n, limit: 1 });
    return { sequence: 1n };
  } catch (error) {
    if (!isAnimalStoreError(error, 'cursor_expired')) throw error;
  }
  try {
    const { events: oldest, position } = await events.list({ limit: 1 });
    const [event] = oldest;
    return { sequence: event?.sequence ?? position + 1n, time: event?.timestamp };
  } catch (error) {
    if (isAnimalStoreError(error, 'cursor_expired')) return { sequence: 1n, isOff: true };
    throw error;
  }
}
