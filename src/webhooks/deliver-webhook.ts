import type { CommandWriter } from '../domain/database/command-writer.ts';
import {
  type EventReads,
  type EventType,
  eventKinds,
  eventTypes,
  type StoredEvent,
} from '../domain/event.ts';
import type {
  AttemptResult,
  HeldWebhook,
  WebhookAttempt,
  WebhookDisabledReason,
  WebhookStatus,
} from '../domain/webhook.ts';
import { createProgress, type EventAttempt, type Progress } from './delivery-progress.ts';

/** Attempts at one endpoint at the same time. */
const inFlightMax = 5;

/** What delivery works with. */
export interface DeliveryServices {
  readonly database: EventReads & CommandWriter;
  /** Never rejects, unless the signal is aborted. */
  readonly send: (attempt: WebhookAttempt, signal: AbortSignal) => Promise<AttemptResult>;
  /** Waits for one of the places of this server for attempts. */
  readonly acquirePlace: () => Promise<Disposable>;
  /** Resolves when data may have changed, or a second has passed. */
  readonly nextLook: () => Promise<void>;
  /** The name of this server among those that share the data. */
  readonly holder: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 0 to 1. */
  readonly random: () => number;
  /** Aborted when attempts must end. Their results are not recorded, so that they are repeated. */
  readonly aborted: AbortSignal;
  readonly isStopping: () => boolean;
  /** Called after a change of the status is stored. */
  readonly onStatus: (
    webhook: HeldWebhook,
    status: WebhookStatus,
    reason: WebhookDisabledReason | undefined,
  ) => void;
}

/** The types of events that a webhook receives; undefined for all. */
export function chosenTypes(types: readonly string[] | undefined): EventType[] | undefined {
  if (types === undefined) return undefined;
  const ofKinds = Object.entries(eventKinds).flatMap(([kind, { types: ofKind }]) =>
    types.includes(`${kind}.*`) ? ofKind : [],
  );
  return [...new Set([...ofKinds, ...eventTypes.filter((type) => types.includes(type))])];
}

/** Delivers all events and retries of a leased webhook that are due, then ends its lease. */
export async function deliverWebhook(
  webhook: HeldWebhook,
  services: DeliveryServices,
): Promise<void> {
  const { aborted, isStopping, nextLook } = services;
  const progress = createProgress(webhook, services);
  const nextAttempt = createAttemptSource(webhook, progress, services);
  const record = createRecorder(webhook, progress, services);
  const attempts = new Set<Promise<void>>();
  let hasEnded = false;

  function start({ json, ...event }: EventAttempt & Pick<StoredEvent, 'json'>): void {
    const attempt = attemptEvent(webhook, services, { json, ...event })
      .then((result) => progress.end(event, result))
      .catch((error: unknown) => {
        if (!aborted.aborted) throw error;
      })
      .finally(() => {
        hasEnded = true;
        attempts.delete(attempt);
      });
    attempts.add(attempt);
  }

  for (;;) {
    while (attempts.size < inFlightMax && !isStopping()) {
      const next = await nextAttempt(attempts.size);
      if (next === undefined) break;
      start(next);
    }
    if (attempts.size === 0) break;
    // A slow attempt does not delay later events.
    await Promise.race([...attempts, nextLook()]);
    if (!hasEnded) continue;
    hasEnded = false;
    if (!(await record({ releases: false }))) {
      await Promise.all(attempts);
      return;
    }
  }
  await record({ releases: true });
}

/** Returns a function that finds the next attempt, or undefined if none is due while so many others are in flight. */
function createAttemptSource(
  webhook: HeldWebhook,
  progress: Progress,
  { database, now }: DeliveryServices,
) {
  const { workspaceId, dueRetries } = webhook;
  const types = chosenTypes(webhook.types);
  const retries = [...dueRetries];
  /** Events that were read and not begun. */
  let events: StoredEvent[] = [];
  let { rewinds } = progress;
  let hasProbed = false;

  async function nextRetry() {
    for (let retry = retries.shift(); retry !== undefined; retry = retries.shift()) {
      const { sequence, attempt } = retry;
      const event = await database.readEvent(workspaceId, sequence);
      if (event !== undefined) return toAttempt(event, { isRetry: true, attempt: attempt + 1 });
      progress.endRetry(sequence);
    }
    return undefined;
  }

  async function nextEvent(inFlight: number): Promise<StoredEvent | undefined> {
    if (progress.rewinds !== rewinds) events = [];
    rewinds = progress.rewinds;
    while (events.length === 0) {
      const { readTo } = progress;
      const limit = inFlightMax - inFlight;
      const page = await database.readEvents(workspaceId, { after: readTo, types, limit });
      if (page === undefined || progress.rewinds !== rewinds) return undefined;
      if ('expired' in page) {
        const { first, head } = page.expired;
        const lastMissed = first === undefined ? head : first - 1;
        if (inFlight > 0) return undefined;
        progress.disable({ reason: 'events_deleted', firstMissed: readTo + 1, lastMissed });
        return undefined;
      }
      events = [...page.events];
      if (events.length > 0) break;
      progress.skipTo(page.position);
      if (page.position >= page.head) return undefined;
    }
    return events.shift();
  }

  function toAttempt(
    { sequence, json }: StoredEvent,
    { isRetry, attempt }: Pick<EventAttempt, 'isRetry' | 'attempt'>,
  ): EventAttempt & Pick<StoredEvent, 'json'> {
    const isProbe = progress.status === 'failing';
    return { sequence, json, eventId: eventIdOf(json), attempt, isRetry, isProbe, at: now() };
  }

  async function firstAttempt(inFlight: number) {
    const event = await nextEvent(inFlight);
    // An attempt that ended during the read can have moved `readTo` back.
    if (event === undefined || progress.rewinds !== rewinds) return undefined;
    const attempt = toAttempt(event, { isRetry: false, attempt: progress.firstAttempt });
    progress.begin(event.sequence);
    return attempt;
  }

  return async (inFlight: number) => {
    if (progress.status === 'enabled') return (await nextRetry()) ?? firstAttempt(inFlight);
    if (hasProbed || inFlight > 0 || !progress.isProbeDue) return undefined;
    hasProbed = true;
    return (await firstAttempt(0)) ?? nextRetry();
  };
}

async function attemptEvent(
  { url, secrets }: HeldWebhook,
  { send, acquirePlace, aborted }: DeliveryServices,
  { eventId, json: body }: EventAttempt & Pick<StoredEvent, 'json'>,
): Promise<AttemptResult> {
  using _place = await acquirePlace();
  aborted.throwIfAborted();
  return await send({ url, secrets, eventId, body }, aborted);
}

/**
 * Returns a function that stores what has changed. It returns false if another server holds the webhook now, or a client changed
 * it.
 */
function createRecorder(
  webhook: HeldWebhook,
  progress: Progress,
  { database, holder, now, onStatus }: DeliveryServices,
) {
  const { workspaceId, id: webhookId, revision } = webhook;
  let { status } = webhook;
  return async ({ releases }: { readonly releases: boolean }): Promise<boolean> => {
    const record = progress.takeRecord();
    const which = { workspaceId, webhookId, holder, revision };
    const input = { ...which, ...record, releases, now: now() };
    if ('refused' in (await database.write('recordDeliveries', input))) return false;
    if (record.state.status !== status) {
      status = record.state.status;
      onStatus(webhook, status, record.disabled?.reason);
    }
    return true;
  };
}

/** The text of an event begins with its id. */
function eventIdOf(json: string): string {
  const [, id] = /^\{"id":"(evt_\w+)"/.exec(json) ?? [];
  if (id === undefined) throw new Error('An event has no id');
  return id;
}
