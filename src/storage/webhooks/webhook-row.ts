import type { Int64 } from '../../domain/values/int64.ts';
import type { DeliveryState, Webhook } from '../../domain/webhook.ts';
import type { Transaction } from '../queryable.ts';
import { withDigest } from '../records/row-digest.ts';
import { columnList, memberNames } from '../schema/tables.ts';
import { type Dialects, type Statement, statement } from '../statement.ts';

/** All that is stored about a webhook, except its lease. */
export interface WebhookRow extends Omit<Webhook, 'types'>, DeliveryState {
  readonly workspaceId: Int64;
  /** Separated by spaces. Undefined for all. */
  readonly types: string | undefined;
  readonly secret: string;
  readonly previousSecret: string | undefined;
  readonly previousSecretExpiresAt: number | undefined;
  readonly revision: number;
}

const ids = ['workspace_id', 'id'];

const shownNames = [...ids, ...['url', 'types', 'description', 'status', 'position', 'created_at']];

/** The columns that `secretsOf` reads. */
export const secretNames = ['secret', 'previous_secret', 'previous_secret_expires_at'];

const names = [
  ...shownNames,
  ...secretNames,
  'revision',
  ...['failure_count', 'failing_since', 'retry_step', 'next_attempt_at'],
];

/** The columns of what clients and operators see. */
export const shownColumns = columnList(shownNames);

/** What clients and operators see. */
export type ShownRow = Pick<WebhookRow, keyof Webhook>;

/** The columns of a `WebhookRow`. A copy has no `read_to`. */
export const webhookColumns = `${columnList(names)}, coalesce(read_to, position) AS "readTo"`;

const plainColumns = memberNames([...names, 'read_to'].filter((name) => !ids.includes(name)));

/** Makes a statement that returns `webhookColumns`. */
export function webhookStatement(text: string | Dialects): Statement<WebhookRow> {
  return statement<WebhookRow>(text, [], plainColumns);
}

export function toWebhook(row: ShownRow): Webhook {
  const { id, url, description, status, position, createdAt } = row;
  return { id, url, types: typesOf(row), description, status, position, createdAt };
}

export function typesOf({ types }: Pick<WebhookRow, 'types'>): readonly string[] | undefined {
  return types?.split(' ');
}

export type SecretsRow = Pick<WebhookRow, 'secret' | 'previousSecret' | 'previousSecretExpiresAt'>;

/** The secrets that deliveries are signed with, newest first. */
export function secretsOf(row: SecretsRow, now: number): readonly string[] {
  const { secret, previousSecret, previousSecretExpiresAt = 0 } = row;
  const isOverlapping = previousSecret !== undefined && now < previousSecretExpiresAt;
  return isOverlapping ? [secret, previousSecret] : [secret];
}

const updateState = statement(`
  UPDATE webhooks SET status = $3, position = $4, read_to = $5, failure_count = $6, failing_since = $7, retry_step = $8,
    next_attempt_at = $9
  WHERE workspace_id = $1 AND id = $2`);

/** Stores how far the deliveries to a webhook are. */
export function saveState(
  transaction: Transaction,
  workspaceId: Int64,
  id: Int64,
  state: DeliveryState,
): void {
  const { status, position, readTo, failureCount, failingSince, retryStep, nextAttemptAt } = state;
  transaction.runDeferred(updateState, [
    ...[workspaceId, id, status, position, readTo],
    ...[failureCount, failingSince ?? null, retryStep, nextAttemptAt ?? null],
  ]);
}

/** Adds a webhook, or replaces the one with its id. */
export function saveWebhook(transaction: Transaction, row: WebhookRow): void {
  transaction.insert('webhooks', [withDigest('webhooks', { ...row })], 'replace');
  saveState(transaction, row.workspaceId, row.id, row);
}
