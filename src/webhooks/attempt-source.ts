import { turn } from '../context/deadline.ts';
import {
  chosenTypes,
  type EventReads,
  type ExpiredPosition,
  type StoredEvent,
} from '../domain/event.ts';
import type { Context } from '../domain/values/context.ts';
import type { EventRetry, HeldWebhook } from '../domain/webhook.ts';
import type { WebhookReads } from '../domain/webhook-reads.ts';
import type { Progress } from './delivery-progress.ts';
import type { EventAttempt } from './delivery-state.ts';

/** How many events are read at once. */
const readMax = 5;

/** More than the attempts at an endpoint before it is disabled. */
const deliveriesMax = 30;

export interface NextAttempt extends Pick<StoredEvent, 'json'> {
  readonly event: EventAttempt;
}

type AttemptNumber = Pick<EventAttempt, 'isRetry' | 'attempt' | 'passed'>;

interface SourceServices {
  readonly context: Context;
  readonly database: EventReads & Pick<WebhookReads, 'readDeliveryPage'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly isStopping: () => boolean;
}

/** Finds the next attempt at a webhook. */
export function createAttemptSource(
  webhook: HeldWebhook,
  progress: Progress,
  services: SourceServices,
) {
  const { context, database, now } = services;
  const reader = createEventReader(webhook, progress, services);
  let retries = [...webhook.dueRetries];
  let hasProbed = false;

  function toAttempt({ sequence, json }: StoredEvent, attempt: AttemptNumber): NextAttempt {
    const isProbe = progress.status === 'failing';
    const event = { ...attempt, sequence, eventId: eventIdOf(json), isProbe, at: now() };
    return { json, event };
  }

  async function nextRetry() {
    const { status } = progress;
    for (let retry = retries.shift(); retry !== undefined; retry = retries.shift()) {
      const { sequence, attempt } = retry;
      if (progress.isUnrecorded(sequence)) continue;
      const event = await database.readEvent(context, webhook.workspaceId, sequence);
      // An attempt ended during the read.
      if (progress.status !== status) return undefined;
      if (event !== undefined) return toAttempt(event, { isRetry: true, attempt: attempt + 1 });
      progress.endRetry(sequence);
    }
    return undefined;
  }

  function firstAttempt(event: StoredEvent | undefined, passed?: readonly number[]) {
    // An attempt that ended since the read can have moved `readTo` back.
    if (event === undefined || reader.isStale()) return undefined;
    // An event that a second probe takes was not sent before.
    const number = passed ? 1 : progress.firstAttempt;
    const attempt = toAttempt(event, { isRetry: false, attempt: number, passed });
    progress.begin(attempt.event);
    return attempt;
  }

  /** The next event after the rejected one that the endpoint never got. A dead endpoint has got them. */
  async function secondProbe() {
    const tried = await readTriedEvents(webhook, services);
    const passed: number[] = [];
    let event = await reader.next(0);
    for (; event !== undefined && tried.has(eventIdOf(event.json)); event = reader.take()) {
      passed.push(event.sequence);
    }
    return firstAttempt(event, passed);
  }

  return {
    /** Undefined if nothing is due while so many other attempts are in flight. */
    async next(inFlight: number): Promise<NextAttempt | undefined> {
      if (progress.status === 'enabled') {
        return (await nextRetry()) ?? firstAttempt(await reader.next(inFlight));
      }
      if (inFlight > 0) return undefined;
      if (progress.isEventRejected) return secondProbe();
      if (hasProbed || !progress.isProbeDue) return undefined;
      hasProbed = true;
      return firstAttempt(await reader.next(0)) ?? nextRetry();
    },
    /** Replaces the retries that are due. */
    setRetries(due: readonly EventRetry[]): void {
      retries = [...due];
    },
  };
}

/** The ids of the events of the last attempts. */
async function readTriedEvents(
  { workspaceId, id }: HeldWebhook,
  { context, database }: SourceServices,
): Promise<ReadonlySet<string>> {
  const page = await database.readDeliveryPage(context, workspaceId, id, { limit: deliveriesMax });
  return new Set(page?.items.map(({ eventId }) => eventId));
}

/** Reads the events that a webhook has not begun. */
function createEventReader(
  { workspaceId, types }: HeldWebhook,
  progress: Progress,
  { context, database, isStopping }: SourceServices,
) {
  const chosen = chosenTypes(types);
  let events: StoredEvent[] = [];
  let { rewinds } = progress;

  /** Whether `readTo` went back since the last call of `next`. */
  const isStale = () => progress.rewinds !== rewinds;

  function disable({ first, head }: ExpiredPosition): void {
    const lastMissed = first === undefined ? head : first - 1;
    const firstMissed = progress.readTo + 1;
    progress.disable({ reason: 'events_deleted', firstMissed, lastMissed });
  }

  /** Returns false if no event is to be begun now. */
  async function fill(inFlight: number): Promise<boolean> {
    const request = { after: progress.readTo, types: chosen, limit: readMax };
    const page = await database.readEvents(context, workspaceId, request);
    if (page === undefined || isStale()) return false;
    if ('expired' in page) {
      if (inFlight === 0) disable(page.expired);
      return false;
    }
    events = [...page.events];
    if (events.length > 0) return true;
    progress.skipTo(page.position);
    if (page.position >= page.head) return false;
    // SQLite answers at once, and requests wait for this thread.
    await turn();
    return !isStopping();
  }

  return {
    async next(inFlight: number): Promise<StoredEvent | undefined> {
      if (isStale()) events = [];
      rewinds = progress.rewinds;
      while (events.length === 0) {
        if (!(await fill(inFlight))) return undefined;
      }
      return events.shift();
    },
    /** The event after the last one, if it was read with it. */
    take: () => events.shift(),
    isStale,
  };
}

/** The text of an event begins with its id. */
function eventIdOf(json: string): string {
  const [, id] = /^\{"id":"(evt_\w+)"/.exec(json) ?? [];
  if (id === undefined) throw new Error('An event has no id');
  return id;
}
