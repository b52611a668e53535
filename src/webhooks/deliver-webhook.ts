import { background } from '../context/context.ts';
import type { EventReads } from '../domain/event.ts';
import type { Context } from '../domain/values/context.ts';
import type {
  AttemptResult,
  HeldWebhook,
  NewDelivery,
  WebhookAttempt,
  WebhookDisabledReason,
  WebhookLease,
  WebhookStatus,
} from '../domain/webhook.ts';
import type { WebhookReads } from '../domain/webhook-reads.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import { DatabaseOutcomeUnknown } from '../storage/contract/database-error.ts';
import { createAttemptSource, type NextAttempt } from './attempt-source.ts';
import { createProgress, type Progress } from './delivery-progress.ts';
import type { EventAttempt } from './delivery-state.ts';

/** Attempts at one endpoint at the same time. */
const inFlightMax = 5;

/** Attempts of a server at the same time, above which each webhook has only one. */
const serverInFlightMax = 100;

/** A third of a lease. */
const renewMilliseconds = 20_000;

/** How long a webhook is worked on while others may wait for that. */
const turnMilliseconds = 10_000;

/** What delivery works with. */
export interface DeliveryServices {
  /**
   * The work on the webhook. Its signal is aborted when attempts must end. Their results are not recorded, so that they are repeated.
   */
  readonly context: Context;
  /** What it does not reach at once, it repeats for the time of a lease. */
  readonly database: EventReads &
    Pick<WebhookReads, 'readLeasedSecrets' | 'readDeliveryPage'> &
    Pick<CommandWriter, 'write'>;
  /** Never rejects, unless the signal is aborted. */
  readonly send: (attempt: WebhookAttempt, signal: AbortSignal) => Promise<AttemptResult>;
  /** The attempts of this server at all endpoints. */
  readonly inFlight: { count: number };
  /** Whether other webhooks may wait until this server ends a lease. */
  readonly isCrowded: () => boolean;
  /** Resolves when data may have changed, or a second has passed. */
  readonly nextLook: () => Promise<void>;
  /** The holder of the lease of the webhook. */
  readonly lease: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 0 to 1. */
  readonly random: () => number;
  readonly isStopping: () => boolean;
  /** Called after a change of the status is stored. */
  readonly onStatus: (
    webhook: HeldWebhook,
    status: WebhookStatus,
    reason: WebhookDisabledReason | undefined,
  ) => void;
  /** Called after it is stored that the last attempt for an event failed. */
  readonly onGivenUp: (webhook: HeldWebhook, eventId: string) => void;
  /** A read or write failed, for all webhooks or for one. */
  readonly onError: (error: unknown, webhook?: HeldWebhook) => void;
}

/** Delivers all events and retries of a leased webhook that are due, then ends its lease. */
export async function deliverWebhook(
  webhook: HeldWebhook,
  services: DeliveryServices,
): Promise<void> {
  const { context, isStopping, isCrowded, nextLook, now, inFlight, onError } = services;
  const progress = createProgress(webhook, services);
  const source = createAttemptSource(webhook, progress, services);
  const save = createSaver(webhook, progress, services);
  const attempts = new Map<EventAttempt, Promise<void>>();
  let hasEnded = false;
  /** Another server or a client ended the lease, or it is not known whether it did. */
  let isLost = false;
  const begunAt = now();
  let savedAt = begunAt;

  /** Each webhook has an attempt, so that slow endpoints delay no other. */
  function mayBegin(): boolean {
    if (isLost || isStopping() || progress.isPaused) return false;
    if (isCrowded() && Math.abs(now() - begunAt) >= turnMilliseconds) return false;
    const isBusy = inFlight.count >= serverInFlightMax;
    return attempts.size < (isBusy ? 1 : inFlightMax);
  }

  function begin({ json, event }: NextAttempt): void {
    inFlight.count += 1;
    const attempt = attemptEvent(webhook, services, { json, event })
      .then((result) => {
        if (result === undefined) isLost = true;
        else progress.end(event, result);
      })
      .catch((error: unknown) => {
        if (context.signal.aborted) return;
        isLost = true;
        onError(error);
      })
      .finally(() => {
        hasEnded = true;
        inFlight.count -= 1;
        attempts.delete(event);
      });
    attempts.set(event, attempt);
  }

  for (;;) {
    while (mayBegin()) {
      const next = await orSettle(source.next(attempts.size), async () => {
        await Promise.all(attempts.values());
        if (!isLost && !context.signal.aborted) await save({ releases: false });
      });
      if (next === undefined) break;
      begin(next);
    }
    const mayWait = progress.isPaused && !isLost && !isStopping() && !isCrowded();
    if (attempts.size === 0 && !mayWait) break;
    // A slow attempt does not delay later events.
    await Promise.race([...attempts.values(), nextLook()]);
    if (!hasEnded && Math.abs(now() - savedAt) < renewMilliseconds) continue;
    hasEnded = false;
    savedAt = now();
    const dueRetries = isLost ? undefined : await save({ releases: false });
    if (dueRetries === undefined) {
      isLost = true;
      await Promise.all(attempts.values());
      break;
    }
    const begun = new Set([...attempts.keys()].map(({ sequence }) => sequence));
    source.setRetries(dueRetries.filter(({ sequence }) => !begun.has(sequence)));
  }
  if (!isLost) await save({ releases: true });
}

/** If events cannot be read, the results before them are kept. The lease stays, so that they are read again after it. */
async function orSettle<Result>(
  reading: Promise<Result>,
  settle: () => Promise<void>,
): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    await settle();
    throw error;
  }
}

/** Sends an event, unless the lease has ended. */
async function attemptEvent(
  webhook: HeldWebhook,
  services: DeliveryServices,
  { event: { eventId }, json: body }: NextAttempt,
): Promise<AttemptResult | undefined> {
  const { context, database, send, now } = services;
  const secrets = await database.readLeasedSecrets(context, leaseOf(webhook, services), now());
  return secrets && (await send({ url: webhook.url, secrets, eventId, body }, context.signal));
}

function leaseOf(
  { workspaceId, id: webhookId, revision }: HeldWebhook,
  { lease: holder }: DeliveryServices,
): WebhookLease {
  return { workspaceId, webhookId, holder, revision };
}

/** Whether the newest stored delivery of a webhook is this one. */
async function hasDelivery(
  context: Context,
  delivery: NewDelivery | undefined,
  { workspaceId, webhookId }: WebhookLease,
  { database }: DeliveryServices,
): Promise<boolean> {
  if (delivery === undefined) return false;
  const page = await database.readDeliveryPage(context, workspaceId, webhookId, { limit: 1 });
  const [newest] = page?.items ?? [];
  return newest?.eventId === delivery.eventId && newest.at === delivery.at;
}

/** Returns a function that stores what has changed, and returns the retries that are due, or undefined if the lease has ended. */
function createSaver(webhook: HeldWebhook, progress: Progress, services: DeliveryServices) {
  const { database, now, onStatus, onGivenUp } = services;
  // What an attempt has done is stored, also after the work was ended.
  const context = { ...services.context, signal: background.signal };
  const lease = leaseOf(webhook, services);
  let { status } = webhook;
  return async ({ releases }: { readonly releases: boolean }) => {
    const unsaved = progress.takeUnsaved();
    const write = (deliveries: typeof unsaved.deliveries) =>
      database.write(context, 'saveDeliveries', {
        ...lease,
        ...unsaved,
        deliveries,
        releases,
        now: now(),
      });
    const outcome = await write(unsaved.deliveries).catch(async (error) => {
      if (!(error instanceof DatabaseOutcomeUnknown)) throw error;
      // Otherwise an attempt could be in the list of deliveries twice.
      const isStored = await hasDelivery(context, unsaved.deliveries.at(-1), lease, services);
      return await write(isStored ? [] : unsaved.deliveries);
    });
    if ('refused' in outcome) return undefined;
    for (const { error, eventId } of unsaved.deliveries) {
      if (error === 'gave_up') onGivenUp(webhook, eventId);
    }
    if (unsaved.state.status !== status) {
      status = unsaved.state.status;
      onStatus(webhook, status, unsaved.disabled?.reason);
    }
    return outcome.ok;
  };
}
