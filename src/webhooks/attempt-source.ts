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

interface SourceServices {
  readonly context: Context;
  readonly database: EventReads & Pick<WebhookReads, 'readDeliveryPage'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly isStopping: () => boolean;
}

/** An event, and which attempt at it would be next. */
type Candidate = Pick<EventAttempt, 'isRetry' | 'number' | 'passed'> & {
  readonly event: StoredEvent;
};

/** Finds the next attempt at a webhook. */
export function createAttemptSource(
  webhook: HeldWebhook,
  progress: Progress,
  services: SourceServices,
) {
  const { context, database, now } = services;
  const reader = createEventReader(webhook, progress, services);
  let retries = [...webhook.dueRetries];

  async function findFirst(inFlight: number): Promise<Candidate | undefined> {
    const [event] = await reader.read(inFlight);
    return event && { event, isRetry: false, number: progress.firstNumber };
  }

  async function findRetry(): Promise<Candidate | undefined> {
    for (let retry = retries.shift(); retry !== undefined; retry = retries.shift()) {
      const { sequence, attempt } = retry;
      if (progress.isUnsaved(sequence)) continue;
      const event = await database.readEvent(context, webhook.workspaceId, sequence);
      if (event !== undefined) return { event, isRetry: true, number: attempt + 1 };
      progress.endRetry(sequence);
    }
    return undefined;
  }

  /** The next event after the rejected one that the endpoint never got. A dead endpoint has got them. */
  async function findSecondProbe(): Promise<Candidate | undefined> {
    const tried = await readTriedEvents(webhook, services);
    const next = await reader.read(0);
    const index = next.findIndex(({ json }) => !tried.has(eventIdOf(json)));
    const event = next[index];
    const passed = next.slice(0, index).map(({ sequence }) => sequence);
    return event && { event, isRetry: false, number: 1, passed };
  }

  async function find(inFlight: number): Promise<Candidate | undefined> {
    if (progress.state.status === 'enabled')
      return (await findRetry()) ?? (await findFirst(inFlight));
    if (inFlight > 0) return undefined;
    if (progress.state.isEventRejected) return await findSecondProbe();
    return progress.isProbeDue ? ((await findFirst(0)) ?? (await findRetry())) : undefined;
  }

  return {
    /** Undefined if nothing is due while so many other attempts are in flight. */
    async next(inFlight: number): Promise<NextAttempt | undefined> {
      const { status } = progress.state;
      const found = await find(inFlight);
      // An attempt that ended during the reads can have changed the status, or moved `readTo` back.
      if (found === undefined || progress.state.status !== status) return undefined;
      const { event, ...attempt } = found;
      if (!attempt.isRetry && !reader.isCurrent()) return undefined;
      const { sequence, json } = event;
      const isProbe = status === 'failing';
      const begun = { ...attempt, sequence, eventId: eventIdOf(json), isProbe, at: now() };
      if (!attempt.isRetry) {
        progress.begin(begun);
        reader.passTo(sequence);
      }
      return { json, event: begun };
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
  /** Events that follow `after`. They were read ahead. */
  let events: readonly StoredEvent[] = [];
  let after = progress.state.readTo;

  /** Whether `readTo` did not go back since the events were read. */
  const isCurrent = () => progress.state.readTo === after;

  function disable({ first, head }: ExpiredPosition): void {
    const lastMissed = first === undefined ? head : first - 1;
    const firstMissed = progress.state.readTo + 1;
    progress.disable({ reason: 'events_deleted', firstMissed, lastMissed });
  }

  return {
    /** The next events; none if nothing is to be begun now. */
    async read(inFlight: number): Promise<readonly StoredEvent[]> {
      while (events.length === 0 || !isCurrent()) {
        after = progress.state.readTo;
        events = [];
        const request = { after, types: chosen, limit: readMax };
        const page = await database.readEvents(context, workspaceId, request);
        if (page === undefined || !isCurrent()) return [];
        if ('expired' in page) {
          if (inFlight === 0) disable(page.expired);
          return [];
        }
        events = page.events;
        if (events.length > 0) break;
        progress.skipTo(page.position);
        if (page.position >= page.head) return [];
        // SQLite answers at once, and requests wait for this thread.
        await turn();
        if (isStopping()) return [];
      }
      return events;
    },
    isCurrent,
    /** The events up to this sequence have begun. */
    passTo(sequence: number): void {
      events = events.filter((event) => event.sequence > sequence);
      after = sequence;
    },
  };
}

/** The text of an event begins with its id. */
function eventIdOf(json: string): string {
  const [, id] = /^\{"id":"(evt_\w+)"/.exec(json) ?? [];
  if (id === undefined) throw new Error('An event has no id');
  return id;
}
