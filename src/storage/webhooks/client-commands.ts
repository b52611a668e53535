import type { AuditedWebhook, ByCaller } from '../../domain/access/audit-entry.ts';
import type { Refused } from '../../domain/command.ts';
import { isMet, recordVersion } from '../../domain/precondition.ts';
import type { ChangeInput, ChangeOrigin } from '../../domain/record.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { webhooksMaxOfWorkspace, webhookToJson } from '../../domain/webhook.ts';
import { withoutPath } from '../../domain/webhook-target.ts';
import { addAuditEntry, lockAuditTrail } from '../access/audit-trail.ts';
import type { CommandTable } from '../commands/command-table.ts';
import type { CommandInput } from '../contract/command-writer.ts';
import type { Transaction } from '../queryable.ts';
import { noSuchWorkspace } from '../records/change-records.ts';
import { lockWorkspace, takeIds } from '../records/workspace-row.ts';
import { sha256 } from '../sha256.ts';
import { statement } from '../statement.ts';
import { findLowestPosition, readHead } from './positions.ts';
import {
  saveWebhook,
  toWebhook,
  type WebhookRow,
  webhookColumns,
  webhookStatement,
} from './webhook-row.ts';

const countWebhooks = statement<{ count: number }>(
  'SELECT count(*) AS count FROM webhooks WHERE workspace_id = $1',
  ['count'],
);

const selectLocked = webhookStatement(`
  SELECT ${webhookColumns} FROM webhooks WHERE workspace_id = $1 AND id = $2 FOR UPDATE`);

const selectWorkspaceName = statement<{ name: string }>(
  'SELECT name FROM workspaces WHERE id = $1',
);

const deleteWebhookRow = statement('DELETE FROM webhooks WHERE workspace_id = $1 AND id = $2');

const deleteRetries = statement(
  'DELETE FROM webhook_retries WHERE workspace_id = $1 AND webhook_id = $2',
);

// The server that delivers drops its attempts, and continues at once with what the client set.
const dropLease = statement(
  'UPDATE webhooks SET lease_holder = NULL WHERE workspace_id = $1 AND id = $2',
);

const noSuchWebhook = { refused: 'no_such_webhook' } as const;

/** Progress without failures. */
const noFailures = {
  failureCount: 0,
  failingSince: undefined,
  retryStep: 0,
  nextAttemptAt: undefined,
};

/** A webhook in the audit trail, what was done to it, and the caller that did it. */
function audited<More extends object>(
  row: WebhookRow,
  workspace: string,
  origin: ChangeOrigin | undefined,
  more: More,
): AuditedWebhook & More & ByCaller {
  const { id, types = null, status, position } = row;
  const webhook = { webhookId: Number(id), workspace, url: withoutPath(row.url), types };
  const caller = { caller: origin?.actor, session: origin?.sessionId };
  return { ...webhook, status, position, ...more, ...caller };
}

interface LockedWebhook {
  readonly row: WebhookRow;
  /** The name of the workspace. */
  readonly workspace: string;
}

/**
 * Locks the audit trail, the workspace and one webhook, and reads the webhook and the name of the workspace. Returns the refusal if
 * the webhook does not exist or does not meet the precondition.
 */
async function lockWebhook(
  transaction: Transaction,
  { workspaceId, id, precondition }: ChangeInput,
): Promise<LockedWebhook | Refused<'no_such_webhook' | 'precondition_failed'>> {
  await lockAuditTrail(transaction);
  if (!(await lockWorkspace(transaction, workspaceId))) return noSuchWebhook;
  const [row] = await transaction.all(selectLocked, [workspaceId, id]);
  if (row === undefined) return noSuchWebhook;
  const version = () => recordVersion(JSON.stringify(webhookToJson(toWebhook(row))), sha256);
  if (!isMet(precondition, version)) return { refused: 'precondition_failed' } as const;
  const [workspace] = await transaction.all(selectWorkspaceName, [workspaceId]);
  return { row, workspace: workspace?.name ?? '' };
}

/** The webhook as a client changes it. The position is checked before. */
function applyChanges(
  old: WebhookRow,
  { url, types, description, status }: CommandInput<'updateWebhook'>['changes'],
  newPosition: number | undefined,
): WebhookRow {
  const row: WebhookRow = {
    ...old,
    url: url ?? old.url,
    types: types === undefined ? old.types : types?.join(' '),
    description: description === undefined ? old.description : (description ?? undefined),
  };
  // Earlier failures say nothing about another endpoint.
  const moved = url === undefined || url === old.url ? {} : noFailures;
  const begun =
    newPosition === undefined
      ? {}
      : { position: newPosition, readTo: newPosition, retryStep: 0, nextAttemptAt: undefined };
  const changed = { ...row, ...moved, ...begun };
  if (status === 'paused') return { ...changed, status };
  if (status === undefined) return changed;
  // A failing endpoint is probed at once. Its success enables the webhook.
  if (old.status === 'failing') return { ...changed, nextAttemptAt: undefined };
  return old.status === 'enabled' ? changed : { ...changed, ...noFailures, status };
}

const changeableMembers = ['url', 'types', 'description', 'status', 'position'] as const;

/** The names of the members that differ, separated by spaces. */
function changedNames(old: WebhookRow, row: WebhookRow): string {
  return changeableMembers.filter((name) => old[name] !== row[name]).join(' ');
}

/**
 * The position that a change begins at: undefined if it stays. Refused if events after the position are no longer stored, with the
 * lowest possible one, or if there is no such event yet, with the highest.
 */
async function findPosition(
  transaction: Transaction,
  workspaceId: Int64,
  old: WebhookRow,
  { position, status }: CommandInput<'updateWebhook'>['changes'],
): Promise<
  { readonly begun: number | undefined } | Refused<'position_expired' | 'position_unknown'>
> {
  const head = await readHead(transaction, workspaceId);
  if (position === 'now') return { begun: head };
  if (position !== undefined && position > head) {
    return { refused: 'position_unknown', blockedBy: BigInt(head) };
  }
  const isResumed = status === 'enabled' && (old.status === 'paused' || old.status === 'disabled');
  const checked = position ?? (isResumed ? old.position : undefined);
  if (checked === undefined) return { begun: undefined };
  const lowest = await findLowestPosition(transaction, workspaceId, checked);
  return lowest === undefined
    ? { begun: position }
    : { refused: 'position_expired', blockedBy: BigInt(lowest) };
}

const traits = { keepsAccess: true, locksAuditTrailFirst: true };

/** Commands of clients. They are recorded in the audit trail. */
export const webhookCommands: CommandTable<
  'createWebhook' | 'updateWebhook' | 'deleteWebhook' | 'rotateWebhookSecret'
> = {
  createWebhook: {
    ...traits,
    async run(transaction, input) {
      const { workspaceId, origin, url, types, description, secret, now, targetFault } = input;
      if (targetFault !== undefined) return { refused: targetFault };
      await lockAuditTrail(transaction);
      if (!(await lockWorkspace(transaction, workspaceId))) return noSuchWorkspace;
      const [found] = await transaction.all(countWebhooks, [workspaceId]);
      if ((found?.count ?? 0) >= webhooksMaxOfWorkspace) return { refused: 'too_many_webhooks' };
      const taken = await takeIds(transaction, workspaceId, 'webhooks', 1);
      if (taken === undefined) return noSuchWorkspace;
      const { firstId: id, head, name } = taken;
      const row: WebhookRow = {
        ...{ workspaceId, id, url, types: types?.join(' '), description, createdAt: now },
        ...{ secret, previousSecret: undefined, previousSecretExpiresAt: undefined },
        ...{ status: 'enabled', position: head, readTo: head, ...noFailures, revision: 1 },
      };
      saveWebhook(transaction, row);
      const details = audited(row, name, origin, {});
      await addAuditEntry(transaction, now, 'webhook_created', details);
      return { ok: toWebhook(row) };
    },
  },
  updateWebhook: {
    ...traits,
    async run(transaction, input) {
      const { workspaceId, id, changes, origin, now, targetFault } = input;
      if (targetFault !== undefined) return { refused: targetFault };
      const found = await lockWebhook(transaction, input);
      if ('refused' in found) return found;
      const { row: old, workspace } = found;
      const position = await findPosition(transaction, workspaceId, old, changes);
      if ('refused' in position) return position;
      const row = applyChanges(old, changes, position.begun);
      if (position.begun !== undefined) transaction.runDeferred(deleteRetries, [workspaceId, id]);
      const changed = changedNames(old, row);
      const { status } = changes;
      const isProbed = status === 'enabled' && old.status === 'failing';
      const others = changed.split(' ').filter((name) => name !== '' && name !== 'description');
      // A change of the description alone does not repeat the attempts that run.
      const isRestarted = isProbed || others.length > 0 || position.begun !== undefined;
      saveWebhook(transaction, { ...row, revision: old.revision + (isRestarted ? 1 : 0) });
      if (isRestarted) transaction.runDeferred(dropLease, [workspaceId, id]);
      if (changed !== '') {
        const details = audited(row, workspace, origin, { changed });
        await addAuditEntry(transaction, now, 'webhook_changed', details);
      }
      return { ok: toWebhook(row) };
    },
  },
  deleteWebhook: {
    ...traits,
    async run(transaction, input) {
      const { workspaceId, id, origin, now } = input;
      const found = await lockWebhook(transaction, input);
      if ('refused' in found) return found;
      transaction.runDeferred(deleteWebhookRow, [workspaceId, id]);
      transaction.runDeferred(deleteRetries, [workspaceId, id]);
      const details = audited(found.row, found.workspace, origin, {});
      await addAuditEntry(transaction, now, 'webhook_deleted', details);
      return { ok: null };
    },
  },
  rotateWebhookSecret: {
    ...traits,
    async run(transaction, input) {
      const { workspaceId, id, secret, overlapSeconds, origin, now } = input;
      const found = await lockWebhook(transaction, input);
      if ('refused' in found) return found;
      const { row: old, workspace } = found;
      const isOverlapping = overlapSeconds > 0;
      // Without an overlap, a leaked secret ends at once, and the one before it too.
      if (isOverlapping && (old.previousSecretExpiresAt ?? 0) > now) {
        return { refused: 'overlap_running' };
      }
      const previousSecret = isOverlapping ? old.secret : undefined;
      const previousSecretExpiresAt = isOverlapping ? now + overlapSeconds * 1000 : undefined;
      const previous = { previousSecret, previousSecretExpiresAt };
      saveWebhook(transaction, { ...old, secret, ...previous, revision: old.revision + 1 });
      transaction.runDeferred(dropLease, [workspaceId, id]);
      const details = audited(old, workspace, origin, { previousSecretExpiresAt });
      await addAuditEntry(transaction, now, 'webhook_secret_rotated', details);
      return { ok: { webhook: toWebhook(old), previousSecretExpiresAt } };
    },
  },
};
