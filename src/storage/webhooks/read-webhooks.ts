import type { Context } from '../../domain/values/context.ts';
import { assignedIdMax, type Int64 } from '../../domain/values/int64.ts';
import {
  type Delivery,
  type ListedWebhook,
  type WebhookStatus,
  webhookStatuses,
} from '../../domain/webhook.ts';
import type { WebhookReads } from '../../domain/webhook-reads.ts';
import { cutPage, toPage } from '../records/pages.ts';
import { columnList } from '../schema/tables.ts';
import { statement } from '../statement.ts';
import type { Within } from '../within.ts';
import { byDatabaseClock, isDueAndFree, ofWorkspaces } from './due.ts';
import {
  type SecretsRow,
  type ShownRow,
  secretNames,
  secretsOf,
  shownColumns,
  toWebhook,
  webhookColumns,
  webhookStatement,
} from './webhook-row.ts';

const selectAll = webhookStatement(
  `SELECT ${webhookColumns} FROM webhooks WHERE workspace_id = $1 ORDER BY id DESC`,
);

const selectById = webhookStatement(
  `SELECT ${webhookColumns} FROM webhooks WHERE workspace_id = $1 AND id = $2`,
);

const selectLeased = statement<SecretsRow>(
  `SELECT ${columnList(secretNames)} FROM webhooks
  WHERE workspace_id = $1 AND id = $2 AND lease_holder = $3 AND revision = $4`,
  ['previousSecret', 'previousSecretExpiresAt'],
);

type ListedRow = ShownRow & Pick<ListedWebhook, 'workspaceId' | 'workspaceName' | 'eventsBehind'>;

// Sequences would count more, because a restore leaves a gap.
const eventsBehindMax = 100_000;

const selectListed = statement<ListedRow>(
  `
  SELECT chosen.*, name AS "workspaceName", (
    SELECT count(*) FROM (
      SELECT 1 FROM events WHERE events.workspace_id = workspaces.id AND sequence > chosen.position
      LIMIT ${eventsBehindMax}
    ) AS newer
  ) AS "eventsBehind"
  FROM (SELECT ${shownColumns} FROM webhooks) AS chosen JOIN workspaces ON workspaces.id = "workspaceId"
  WHERE ("workspaceId", chosen.id) > (CAST($1 AS bigint), CAST($2 AS bigint))
    AND (CAST($3 AS bigint) IS NULL OR "workspaceId" = $3)
  ORDER BY "workspaceId", chosen.id LIMIT $4`,
  ['types', 'description', 'position', 'createdAt', 'eventsBehind'],
);

const deliveryNames = [
  ...['id', 'event_id', 'at', 'attempt'],
  ...['http_status', 'error', 'milliseconds', 'response_excerpt'],
];

const selectDeliveries = statement<Delivery>(
  `SELECT ${columnList(deliveryNames)} FROM webhook_deliveries
  WHERE workspace_id = $1 AND webhook_id = $2 AND id < $3 ORDER BY id DESC LIMIT $4`,
  ['at', 'attempt', 'httpStatus', 'error', 'milliseconds', 'responseExcerpt'],
);

const selectDue = statement(
  byDatabaseClock(
    (now) => `SELECT 1 FROM ${ofWorkspaces} WHERE ${isDueAndFree('$1', now)} LIMIT 1`,
  ),
);

const countByStatus = statement<{ status: WebhookStatus; count: number }>(
  `SELECT status, count(*) AS count FROM ${ofWorkspaces} GROUP BY status ORDER BY status`,
  ['count'],
);

// The type of the event does not matter: the position of a webhook that works passes other types too.
const selectOldestUndelivered = statement<{ at: number | undefined }>(
  `SELECT min((
    SELECT at FROM events WHERE events.workspace_id = webhooks.workspace_id AND sequence > webhooks.position
    ORDER BY sequence LIMIT 1
  )) AS at
  FROM ${ofWorkspaces} WHERE status IN ('enabled', 'failing') AND position < next_event_sequence - 1`,
  ['at'],
);

function toListed({ workspaceId, workspaceName, eventsBehind, ...row }: ListedRow): ListedWebhook {
  return { ...toWebhook(row), workspaceId, workspaceName, eventsBehind };
}

export function createWebhookReads(within: Within): WebhookReads {
  async function findRow(context: Context, workspaceId: Int64, id: Int64) {
    const [row] = await within(context).all(selectById, [workspaceId, id]);
    return row;
  }

  return {
    async listWebhooks(context, workspaceId) {
      return (await within(context).all(selectAll, [workspaceId])).map(toWebhook);
    },
    async listAllWebhooks(context, limit, workspaceId, after = { workspaceId: 0n, id: 0n }) {
      const values = [after.workspaceId, after.id, workspaceId ?? null, limit + 1];
      return cutPage((await within(context).all(selectListed, values)).map(toListed), limit);
    },
    async readWebhook(context, workspaceId, id) {
      const row = await findRow(context, workspaceId, id);
      return row && toWebhook(row);
    },
    async readWebhookSecrets(context, workspaceId, id, now) {
      const row = await findRow(context, workspaceId, id);
      return row && secretsOf(row, now);
    },
    async readLeasedSecrets(context, { workspaceId, webhookId, holder, revision }, now) {
      const values = [workspaceId, webhookId, holder, revision];
      const [row] = await within(context).all(selectLeased, values);
      return row && secretsOf(row, now);
    },
    async readDeliveryPage(context, workspaceId, id, { limit, afterId = assignedIdMax + 1n }) {
      if ((await findRow(context, workspaceId, id)) === undefined) return undefined;
      const values = [workspaceId, id, afterId, limit + 1];
      return toPage(await within(context).all(selectDeliveries, values), limit);
    },
    async hasDueWebhooks(context, now) {
      return (await within(context).all(selectDue, [now])).length > 0;
    },
    async readWebhookFigures(context) {
      const rows = await within(context).all(countByStatus);
      const [oldest] = await within(context).all(selectOldestUndelivered);
      const countOf = new Map(rows.map(({ status, count }) => [status, count]));
      const counts = webhookStatuses.map((status) => [status, countOf.get(status) ?? 0]);
      return { counts: Object.fromEntries(counts), oldestUndeliveredAt: oldest?.at };
    },
  };
}
