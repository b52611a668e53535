import type { Page, PageAfterItem, PageRequest } from './page.ts';
import type { Awaitable } from './values/awaitable.ts';
import type { Context } from './values/context.ts';
import type { Int64 } from './values/int64.ts';
import type { Delivery, ListedWebhook, Webhook, WebhookLease, WebhookStatus } from './webhook.ts';

/** Figures for metrics. */
export interface WebhookFigures {
  readonly counts: Readonly<Record<WebhookStatus, number>>;
  /** The time of the oldest event after the position of an enabled or failing webhook. */
  readonly oldestUndeliveredAt: number | undefined;
}

export interface WebhookReads {
  /** All webhooks of a workspace, newest first. */
  listWebhooks(context: Context, workspaceId: Int64): Awaitable<readonly Webhook[]>;
  /** A page of the webhooks of all workspaces, or of one, after a webhook, in the order of workspaces and ids. */
  listAllWebhooks(
    context: Context,
    limit: number,
    workspaceId?: Int64,
    after?: Pick<ListedWebhook, 'workspaceId' | 'id'>,
  ): Awaitable<PageAfterItem<ListedWebhook>>;
  readWebhook(context: Context, workspaceId: Int64, id: Int64): Awaitable<Webhook | undefined>;
  /** The valid secrets of a webhook, newest first. */
  readWebhookSecrets(
    context: Context,
    workspaceId: Int64,
    id: Int64,
    now: number,
  ): Awaitable<readonly string[] | undefined>;
  /** The same, as long as the lease is valid. Otherwise undefined: nothing more may be sent. */
  readLeasedSecrets(
    context: Context,
    lease: WebhookLease,
    now: number,
  ): Awaitable<readonly string[] | undefined>;
  /** A page of the deliveries of one webhook, newest first. Undefined if it does not exist. */
  readDeliveryPage(
    context: Context,
    workspaceId: Int64,
    webhookId: Int64,
    page: PageRequest,
  ): Awaitable<Page<Delivery> | undefined>;
  /**
   * Whether a webhook is due and no server holds it. Cheap without webhooks. An enabled webhook is due if the head of its feed is
   * above `readTo`, or if a retry is due; a failing one if its `nextAttemptAt` is due, and the head is above `position` or it has a
   * retry. `isTimeDue` says which times are due.
   */
  hasDueWebhooks(context: Context, now: number): Awaitable<boolean>;
  readWebhookFigures(context: Context): Awaitable<WebhookFigures>;
}
