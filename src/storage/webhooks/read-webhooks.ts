import { andThen } from '../../domain/values/awaitable.ts';
import type { Context } from '../../domain/values/context.ts';
import { assignedIdMax, type Int64 } from '../../domain/values/int64.ts';
import {
  type Delivery,
  type ListedWebhook,
  type WebhookStatus,
  webhookStatuses,
} from '../../domain/webhook.ts';
import type { WebhookReads } from '../../domain/webhook-reads.ts';
import { columnList } from '../schema/tables.ts';
import { statement } from '../statement.ts';
import { toPage } from '../to-page.ts';
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
  const findRow = (context: Context, workspaceId: Int64, id: Int64) =>
    andThen(within(context).all(selectById, [workspaceId, id]), ([row]) => row);
  return {
    listWebhooks: (context, workspaceId) =>
      andThen(within(context).all(selectAll, [workspaceId]), (rows) => rows.map(toWebhook)),
    listAllWebhooks: (context, limit, workspaceId, after) =>
      andThen(
        within(context).all(selectListed, [
          ...[after?.workspaceId ?? 0n, after?.id ?? 0n, workspaceId ?? null, limit],
        ]),
        (rows) => rows.map(toListed),
      ),
    readWebhook: (context, workspaceId, id) =>
      andThen(findRow(context, workspaceId, id), (row) => row && toWebhook(row)),
    readWebhookSecrets: (context, workspaceId, id, now) =>
      andThen(findRow(context, workspaceId, id), (row) => row && secretsOf(row, now)),
    readLeasedSecrets: (context, { workspaceId, webhookId, holder, revision }, now) =>
      andThen(
        within(context).all(selectLeased, [workspaceId, webhookId, holder, revision]),
        ([row]) => row && secretsOf(row, now),
      ),
    readDeliveryPage: (context, workspaceId, webhookId, { limit, afterId = assignedIdMax + 1n }) =>
      andThen(findRow(context, workspaceId, webhookId), (row) => {
        if (row === undefined) return undefined;
        const values = [workspaceId, webhookId, afterId, limit + 1];
        return andThen(within(context).all(selectDeliveries, values), (rows) =>
          toPage(rows, limit),
        );
      }),
    hasDueWebhooks: (context, now) =>
      andThen(within(context).all(selectDue, [now]), ({ length }) => length > 0),
    readWebhookFigures: (context) =>
      andThen(within(context).all(countByStatus), (rows) =>
        andThen(within(context).all(selectOldestUndelivered), ([oldest]) => {
          const countOf = new Map(rows.map(({ status, count }) => [status, count]));
          const counts = webhookStatuses.map((status) => [status, countOf.get(status) ?? 0]);
          return { counts: Object.fromEntries(counts), oldestUndeliveredAt: oldest?.at };
        }),
      ),
  };
}
