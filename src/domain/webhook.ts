import type { Command } from './command.ts';
import type { ChangeInput, RecordInput } from './record.ts';
import { exactInteger } from './values/exact-json.ts';
import type { Int64 } from './values/int64.ts';
import type { AttemptError, CheckedTarget } from './webhook-target.ts';

/**
 * `enabled`: events are delivered. `failing`: the endpoint does not accept events; its position stays, and the server probes it.
 * `paused`: a client paused it, or a copy or restore did. `disabled`: the server gave up.
 */
export const webhookStatuses = ['enabled', 'failing', 'paused', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

export const webhooksMaxOfWorkspace = 10;
export const webhookUrlLengthMax = 2048;
export const webhookDescriptionLengthMax = 1000;

/** An endpoint that receives the events of a workspace. It has a position in the feed, not a queue. */
export interface Webhook {
  readonly id: Int64;
  readonly url: string;
  /** As requested: types, or all types of a kind as `pet.*`. Undefined for all events. */
  readonly types: readonly string[] | undefined;
  readonly description: string | undefined;
  readonly status: WebhookStatus;
  /** The sequence of the last event that is delivered, skipped, or stored with its own retries. */
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A webhook for `JSON.stringify`, with its members in the documented order. It has no secret. */
export function webhookToJson(webhook: Webhook): object {
  const { id, url, types, description, status, position, createdAt } = webhook;
  const time = new Date(createdAt).toISOString();
  return { id: exactInteger(id), url, types, description, status, position, createdAt: time };
}

/** Why the server disabled a webhook: it answered 410, had no success for 5 days, or events at its position were deleted. */
export const webhookDisabledReasons = ['gone', 'no_success', 'events_deleted'] as const;
export type WebhookDisabledReason = (typeof webhookDisabledReasons)[number];

export interface WebhookDisabling {
  readonly reason: WebhookDisabledReason;
  /** The sequences that were not delivered and are no longer stored. */
  readonly firstMissed?: number | undefined;
  readonly lastMissed?: number | undefined;
}

/** An attempt to deliver an event. */
export interface Delivery {
  readonly id: Int64;
  readonly eventId: string;
  /** When the attempt began, in milliseconds since 1970. */
  readonly at: number;
  /** From 1. */
  readonly attempt: number;
  /** Undefined if no response arrived. */
  readonly httpStatus: number | undefined;
  /** Why no response arrived, or that it was the last attempt. Undefined after a response. */
  readonly error: string | undefined;
  readonly milliseconds: number;
  /** The beginning of the response body. */
  readonly responseExcerpt: string | undefined;
}

export type NewDelivery = Omit<Delivery, 'id'>;

/** A delivery for `JSON.stringify`, with its members in the documented order. */
export function deliveryToJson({ id, eventId, at, ...result }: Delivery): object {
  const { attempt, httpStatus, error, milliseconds, responseExcerpt } = result;
  const time = new Date(at).toISOString();
  const response = { httpStatus, error, milliseconds, responseExcerpt };
  return { id: exactInteger(id), eventId, at: time, attempt, ...response };
}

/** Progress of the deliveries to one endpoint, as its holder stores it. Times are milliseconds since 1970. */
export interface DeliveryState {
  readonly status: WebhookStatus;
  readonly position: number;
  /**
   * The sequence up to which each event was delivered, skipped, or has a stored retry. It is above `position` if the last events
   * failed and none has succeeded since.
   */
  readonly readTo: number;
  /** Failures since the last success. */
  readonly failureCount: number;
  /** The first of these failures. */
  readonly failingSince: number | undefined;
  /** How many probes failed since the endpoint is failing. */
  readonly retryStep: number;
  /** The time of the next probe of a failing endpoint. Undefined for at once. */
  readonly nextAttemptAt: number | undefined;
}

/** An event that failed, with its own retry steps. If another event succeeds, it no longer holds the position. */
export interface EventRetry {
  readonly sequence: number;
  /** How many attempts were made. */
  readonly attempt: number;
  readonly nextAttemptAt: number;
}

/** Longer than any delay that a server plans, at most 29 hours, so that no planned time is taken for that of a wrong clock. */
export const retryMillisecondsMax = 30 * 3_600_000;

/** Whether a planned time has passed. One that is too far away was stored while the clock was wrong. `isDue` is the same in SQL. */
export function isTimeDue(time: number, now: number): boolean {
  return time <= now || time > now + retryMillisecondsMax;
}

/** What a server has until another one acquires the webhook, or a client changes it. */
export interface WebhookLease {
  readonly workspaceId: Int64;
  readonly webhookId: Int64;
  readonly holder: string;
  /** Changes with each change by a client that deliveries depend on. */
  readonly revision: number;
}

/** A webhook that this server delivers to, with all that it needs. */
export interface HeldWebhook extends Webhook, DeliveryState {
  readonly workspaceId: Int64;
  readonly revision: number;
  /** Retries that are due, the earliest first, at most 5. If the webhook is failing, its earliest retry, even if it is not due. */
  readonly dueRetries: readonly EventRetry[];
  /** The number of all retries. */
  readonly retryCount: number;
}

/** A webhook in the list of the operator. */
export interface ListedWebhook extends Webhook {
  readonly workspaceId: Int64;
  readonly workspaceName: string;
  /** The events after the position, at most 100 000. */
  readonly eventsBehind: number;
}

interface WebhookChanges {
  readonly url?: string | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly status?: 'enabled' | 'paused' | undefined;
  readonly position?: number | 'now' | undefined;
}

/**
 * Why the URL of a command is refused. It was checked before, because that takes time. A command that ran before under its
 * `Idempotency-Key` returns its result nevertheless.
 */
interface CheckedUrl {
  readonly targetFault?: CheckedTarget['fault'];
}

export interface WebhookCommands {
  /** The new webhook is enabled, and its position is after the newest event. */
  createWebhook: Command<
    RecordInput &
      CheckedUrl & {
        readonly url: string;
        readonly types: readonly string[] | undefined;
        readonly description: string | undefined;
        readonly secret: string;
        readonly now: number;
      },
    Webhook,
    'no_such_workspace' | 'too_many_webhooks' | NonNullable<CheckedTarget['fault']>
  >;
  /** `blockedBy` is the lowest position that is possible, or the highest for `position_unknown`. */
  updateWebhook: Command<
    ChangeInput & CheckedUrl & { readonly changes: WebhookChanges; readonly now: number },
    Webhook,
    | 'no_such_webhook'
    | 'position_expired'
    | 'position_unknown'
    | 'precondition_failed'
    | NonNullable<CheckedTarget['fault']>
  >;
  deleteWebhook: Command<
    ChangeInput & { readonly now: number },
    null,
    'no_such_webhook' | 'precondition_failed'
  >;
  /** The secret before it stays valid for the overlap. Without an overlap, it is never refused for a running one. */
  rotateWebhookSecret: Command<
    ChangeInput & {
      readonly secret: string;
      readonly overlapSeconds: number;
      readonly now: number;
    },
    { readonly webhook: Webhook; readonly previousSecretExpiresAt: number | undefined },
    'no_such_webhook' | 'overlap_running' | 'precondition_failed'
  >;
  /**
   * Acquires due webhooks that no server holds, each for 60 s by the clock of the database. `saveDeliveries` extends a lease.
   */
  leaseWebhooks: Command<
    {
      readonly holder: string;
      readonly now: number;
      readonly enabledMax: number;
      readonly failingMax: number;
    },
    readonly HeldWebhook[]
  >;
  /**
   * Stores the results of attempts and the new state, and extends or ends the lease. Returns the retries that are due then, at most 5.
   * Rejected if the lease is no longer valid. Then the attempts are repeated. `disabled` also appends the event `webhook.disabled`.
   */
  saveDeliveries: Command<
    WebhookLease & {
      readonly deliveries: readonly NewDelivery[];
      readonly state: DeliveryState;
      /** Added, or changed if a retry of this sequence exists. */
      readonly retries: readonly EventRetry[];
      /** Sequences of retries that succeeded or failed for good. */
      readonly endedRetries: readonly number[];
      /** Deletes all retries after the position, because the endpoint is failing from now on. */
      readonly dropsOpenRetries: boolean;
      /** Ends the lease in the same transaction. */
      readonly releases: boolean;
      readonly disabled?: WebhookDisabling | undefined;
      readonly now: number;
    },
    readonly EventRetry[],
    'lease_lost'
  >;
  /** A successful test ends `failing`: a probe is due at once. */
  probeWebhook: Command<{ readonly workspaceId: Int64; readonly id: Int64 }, null>;
  /** Ends all leases of a server, at its start and its stop. Their holders begin with its name and `/`. */
  releaseWebhooks: Command<{ readonly server: string }, null>;
  /** Deletes deliveries from before a time, at most `deliveriesMax`. Returns the number. */
  deleteOldDeliveries: Command<{ readonly before: number; readonly deliveriesMax: number }, number>;
}

/** What a delivery or a test sends. */
export interface WebhookAttempt {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly eventId: string;
  readonly body: string;
}

/** The result of one attempt. Without `httpStatus`, no response arrived. */
export interface AttemptResult {
  readonly httpStatus?: number | undefined;
  readonly error?: AttemptError | undefined;
  readonly milliseconds: number;
  readonly responseExcerpt?: string | undefined;
  /** The header `Retry-After`, as seconds from now. */
  readonly retryAfterSeconds?: number | undefined;
}

export function isDelivered({ httpStatus = 0 }: Pick<AttemptResult, 'httpStatus'>): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}
