import type { NewEvent } from '../../domain/event.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { EventRetry, HeldWebhook, WebhookDisabling } from '../../domain/webhook.ts';
import type { CommandTable } from '../commands/command-table.ts';
import { appendEvents } from '../feed/event-feed.ts';
import type { Transaction } from '../queryable.ts';
import { changeWorkspace, lockWorkspace, takeIds } from '../records/workspace-row.ts';
import { deleteFirst, statement } from '../statement.ts';
import { byDatabaseClock, isDue, isDueAndFree, leaseMilliseconds, ofWorkspaces } from './due.ts';
import {
  saveState,
  typesOf,
  type WebhookRow,
  webhookColumns,
  webhookStatement,
} from './webhook-row.ts';

// The webhook that waits longest is first. Rows that another server acquires or a client changes now are skipped.
const acquire = webhookStatement(
  byDatabaseClock(
    (now, lock) => `
    WITH chosen (chosen_workspace, chosen_id) AS MATERIALIZED (
      SELECT webhooks.workspace_id, webhooks.id FROM ${ofWorkspaces} WHERE status = $4 AND ${isDueAndFree('$2', now)}
      ORDER BY coalesce(lease_until, 0), webhooks.workspace_id, webhooks.id LIMIT $3 ${lock}
    )
    UPDATE webhooks SET lease_holder = $1, lease_until = ${now} + ${leaseMilliseconds}
    FROM chosen WHERE workspace_id = chosen_workspace AND id = chosen_id
    RETURNING ${webhookColumns}`,
  ),
);

const dueRetriesMax = 5;

function selectRetries(where: string, limit: number) {
  return statement<EventRetry>(
    `SELECT sequence, attempt, next_attempt_at AS "nextAttemptAt" FROM webhook_retries
    WHERE workspace_id = $1 AND webhook_id = $2 ${where} ORDER BY next_attempt_at, sequence LIMIT ${limit}`,
    ['sequence', 'attempt', 'nextAttemptAt'],
  );
}

// A later retry is of an event that is delivered again from the position.
const selectDueRetries = selectRetries(
  `AND sequence <= $4 AND ${isDue('next_attempt_at', '$3')}`,
  dueRetriesMax,
);
const selectFirstRetry = selectRetries('', 1);

const countRetries = statement<{ count: number }>(
  'SELECT count(*) AS count FROM webhook_retries WHERE workspace_id = $1 AND webhook_id = $2',
  ['count'],
);

// A lease that has ended is still that of its holder, unless another server has acquired the webhook.
const selectHeld = statement(`
  SELECT 1 FROM webhooks WHERE workspace_id = $1 AND id = $2 AND lease_holder = $3 AND revision = $4 FOR UPDATE`);

const extendLease = statement(
  byDatabaseClock(
    (now) => `
    UPDATE webhooks SET lease_until = ${now} + ${leaseMilliseconds} WHERE workspace_id = $1 AND id = $2`,
  ),
);

const endLease = statement(
  byDatabaseClock(
    (now) => `
    UPDATE webhooks SET lease_holder = NULL, lease_until = ${now} WHERE workspace_id = $1 AND id = $2`,
  ),
);

const endLeases = statement(
  byDatabaseClock(
    (now, lock) => `
    WITH chosen (chosen_workspace, chosen_id) AS MATERIALIZED (
      SELECT workspace_id, id FROM webhooks WHERE lease_holder LIKE $1 || '/%' ${lock}
    )
    UPDATE webhooks SET lease_holder = NULL, lease_until = ${now}
    FROM chosen WHERE workspace_id = chosen_workspace AND id = chosen_id`,
  ),
);

const deleteOpenRetries = statement(
  'DELETE FROM webhook_retries WHERE workspace_id = $1 AND webhook_id = $2 AND sequence > $3',
);

const deleteEndedRetries = statement(`
  DELETE FROM webhook_retries WHERE workspace_id = $1 AND webhook_id = $2 AND sequence = ANY ($3::bigint[])`);

// The new revision rejects the result of a probe that runs now, which would plan the next one.
const probe = statement(`
  UPDATE webhooks SET next_attempt_at = NULL, revision = revision + 1, lease_holder = NULL
  WHERE workspace_id = $1 AND id = $2 AND status = 'failing'`);

const deleteOld = deleteFirst('webhook_deliveries', 'at < $1', 'at', {
  lock: 'FOR UPDATE SKIP LOCKED',
});

// A server of version 1.0.0 deletes a workspace without them.
const deleteStray = ['webhooks', 'webhook_retries'].map((table) =>
  statement(
    `DELETE FROM ${table} WHERE NOT EXISTS (SELECT 1 FROM workspaces WHERE workspaces.id = workspace_id)`,
  ),
);

function readDueRetries(
  transaction: Transaction,
  { workspaceId, id, readTo }: Pick<WebhookRow, 'workspaceId' | 'id' | 'readTo'>,
  now: number,
) {
  return transaction.all(selectDueRetries, [workspaceId, id, now, readTo]);
}

/** An acquired webhook, without its secrets, which are read for each attempt. */
async function toHeld(
  transaction: Transaction,
  { secret: _, previousSecret: _1, previousSecretExpiresAt: _2, ...row }: WebhookRow,
  now: number,
): Promise<HeldWebhook> {
  const { workspaceId, id, status } = row;
  const [dueRetries, [counted]] = await Promise.all([
    // A failing endpoint without new events is probed with its earliest retry.
    status === 'failing'
      ? transaction.all(selectFirstRetry, [workspaceId, id])
      : readDueRetries(transaction, row, now),
    transaction.all(countRetries, [workspaceId, id]),
  ]);
  return { ...row, types: typesOf(row), dueRetries, retryCount: counted?.count ?? 0 };
}

/** Appends the event of a webhook that the server gave up. */
async function appendDisabled(
  transaction: Transaction,
  workspaceId: Int64,
  id: Int64,
  { reason, firstMissed, lastMissed }: WebhookDisabling,
  now: number,
): Promise<void> {
  const changed = await changeWorkspace(transaction, workspaceId, { eventCount: 1 });
  if (changed?.events === undefined) return;
  const data = { id: Number(id), reason, firstMissed, lastMissed };
  const about = { recordId: id, data };
  const event: NewEvent = { type: 'webhook.disabled', at: now, actor: 'system', ...about };
  appendEvents(transaction, workspaceId, changed.events, [event]);
}

/** Commands of the servers that deliver. */
export const deliveryCommands: CommandTable<
  'leaseWebhooks' | 'saveDeliveries' | 'probeWebhook' | 'releaseWebhooks' | 'deleteOldDeliveries'
> = {
  leaseWebhooks: {
    keepsAccess: true,
    async run(transaction, { holder, now, enabledMax, failingMax }) {
      const acquired = [
        ...(await transaction.all(acquire, [holder, now, enabledMax, 'enabled'])),
        ...(await transaction.all(acquire, [holder, now, failingMax, 'failing'])),
      ];
      return { ok: await Promise.all(acquired.map((row) => toHeld(transaction, row, now))) };
    },
  },
  saveDeliveries: {
    keepsAccess: true,
    async run(transaction, input) {
      const { workspaceId, webhookId, holder, revision, state, now, disabled } = input;
      const { deliveries, retries, endedRetries, dropsOpenRetries, releases } = input;
      const webhook = [workspaceId, webhookId] as const;
      const isHeld =
        (await lockWorkspace(transaction, workspaceId)) &&
        (await transaction.all(selectHeld, [...webhook, holder, revision])).length > 0;
      if (!isHeld) return { refused: 'lease_lost' };
      if (deliveries.length > 0) {
        const count = deliveries.length;
        const taken = await takeIds(transaction, workspaceId, 'webhook_deliveries', count);
        const firstId = taken?.firstId ?? 0n;
        const rows = deliveries.map((delivery, index) => {
          return { ...delivery, workspaceId, webhookId, id: firstId + BigInt(index) };
        });
        transaction.insert('webhook_deliveries', rows);
      }
      saveState(transaction, workspaceId, webhookId, state);
      transaction.runDeferred(releases ? endLease : extendLease, webhook);
      if (dropsOpenRetries) {
        transaction.runDeferred(deleteOpenRetries, [...webhook, state.position]);
      }
      if (endedRetries.length > 0) {
        transaction.runDeferred(deleteEndedRetries, [...webhook, endedRetries.map(BigInt)]);
      }
      const retryRows = retries.map((retry) => ({ ...retry, workspaceId, webhookId }));
      if (retryRows.length > 0) transaction.insert('webhook_retries', retryRows, 'replace');
      if (disabled !== undefined) {
        await appendDisabled(transaction, workspaceId, webhookId, disabled, now);
      }
      const { readTo } = state;
      return { ok: await readDueRetries(transaction, { workspaceId, id: webhookId, readTo }, now) };
    },
  },
  probeWebhook: {
    keepsAccess: true,
    async run(transaction, { workspaceId, id }) {
      await lockWorkspace(transaction, workspaceId);
      await transaction.run(probe, [workspaceId, id]);
      return { ok: null };
    },
  },
  releaseWebhooks: {
    keepsAccess: true,
    async run(transaction, { server }) {
      await transaction.run(endLeases, [server]);
      return { ok: null };
    },
  },
  deleteOldDeliveries: {
    keepsAccess: true,
    async run(transaction, { before, deliveriesMax }) {
      const count = await transaction.run(deleteOld, [before, deliveriesMax]);
      // Only in the last step, because this reads whole tables.
      if (count < deliveriesMax) {
        for (const deleteRows of deleteStray) await transaction.run(deleteRows);
      }
      return { ok: count };
    },
  },
};
