import { andThen } from '../../domain/values/awaitable.ts';
import { webhooksMaxOfWorkspace, webhookToJson } from '../../domain/webhook.ts';
import type { CheckedTarget } from '../../domain/webhook-target.ts';
import { created, defineRead, defineWrite, noContent, ok } from '../define-operation.ts';
import { fail } from '../failure.ts';
import { allWebhooks, noSuchWebhook, oneWebhook } from './one-webhook.ts';
import { listDeliveries, testWebhook } from './webhook-attempts.ts';
import {
  createdWebhookSchema,
  exampleSecret,
  exampleWebhook,
  newWebhookSchema,
  overlapSecondsDefault,
  urlRule,
  webhookPatchSchema,
  webhookRotationSchema,
  webhookSchema,
  webhookSecretSchema,
  webhooksSchema,
} from './webhook-schemas.ts';

/** The failures for a URL. The second one reveals nothing about the network of the server. */
const urlRefusals = {
  invalid_url: fail('invalid_body', `url ${urlRule}`),
  refused_target: fail(
    'invalid_body',
    'url must begin with https:// and have a host name that exists and has public addresses only, and port 443 or a port from 1024 on, unless --webhook-allow of the server permits the target',
  ),
  too_many_checks: fail('rate_limited', 'Too many URLs of webhooks are checked; retry later'),
};

/** A checked URL, with neither member if none was checked. */
type CheckedUrl = Partial<Pick<CheckedTarget, 'fault'> & { readonly url: string }>;

const listWebhooks = defineRead({
  ...allWebhooks,
  operationId: 'listWebhooks',
  summary: 'List webhooks',
  description: `All webhooks of the workspace of the API key, newest first. There are at most ${webhooksMaxOfWorkspace}.`,
  successes: [ok('All webhooks.', webhooksSchema, [exampleWebhook])],
  handle: (context, { workspaceId }, reads) =>
    andThen(reads.listWebhooks(context, workspaceId), (webhooks) => ({
      body: webhooks.map(webhookToJson),
    })),
});

const createWebhook = defineWrite({
  ...allWebhooks,
  operationId: 'createWebhook',
  isAudited: true,
  method: 'POST',
  summary: 'Add a webhook',
  description:
    'Adds an endpoint that receives the events after the newest one. The response has its secret, which no other response has. ' +
    'The key reads events of all kinds with it, also those that its other scopes do not include.',
  requestBody: newWebhookSchema,
  requestExamples: {
    all: { summary: 'For all events', value: { url: exampleWebhook.url } },
    some: {
      summary: 'For some events',
      value: { url: exampleWebhook.url, types: exampleWebhook.types },
    },
  },
  successes: [
    created('The webhook was added.', createdWebhookSchema, {
      ...exampleWebhook,
      secret: exampleSecret,
    }),
  ],
  errors: ['conflict'],
  async commandInput({ body, workspaceId, now }, _precondition, services, context) {
    const { types, description } = body;
    const { webhooks, database } = services;
    const existing = await database.listWebhooks(context, workspaceId);
    // The command refuses it, so its name is not looked up.
    const isOneTooMany = existing.length >= webhooksMaxOfWorkspace;
    const target: CheckedUrl = isOneTooMany
      ? {}
      : await webhooks.checkTarget(body.url, { workspaceId, signal: context.signal });
    const { url = body.url, fault: targetFault } = target;
    const secret = webhooks.newSecret();
    return { workspaceId, url, types, description, secret, now, targetFault };
  },
  answer(webhook, _input, ran) {
    const record = webhookToJson(webhook);
    const body = { ...record, secret: ran?.secret };
    return { body, record, location: `/webhooks/${webhook.id}` };
  },
  refuse: (refusal) =>
    refusal === 'too_many_webhooks'
      ? fail(
          'conflict',
          `The workspace has ${webhooksMaxOfWorkspace} webhooks, which is the maximum; delete one first`,
        )
      : urlRefusals[refusal],
});

const getWebhook = defineRead({
  ...oneWebhook,
  operationId: 'getWebhook',
  summary: 'Get a webhook',
  description: 'Returns one webhook.',
  successes: [ok('The requested webhook.', webhookSchema, exampleWebhook)],
  handle: (context, { path: { webhookId }, workspaceId }, { readWebhook }) =>
    andThen(readWebhook(context, workspaceId, webhookId), (webhook) =>
      webhook === undefined ? noSuchWebhook(webhookId) : { body: webhookToJson(webhook) },
    ),
});

const updateWebhook = defineWrite({
  ...oneWebhook,
  operationId: 'updateWebhook',
  isAudited: true,
  method: 'PATCH',
  summary: 'Change a webhook',
  description:
    'Changes the endpoint, pauses or continues it, or sets its position. If events after the position are no longer kept, ' +
    '`cursor_expired` says which position is possible.',
  requestBody: webhookPatchSchema,
  requestExamples: {
    paused: { summary: 'Pause it', value: { status: 'paused' } },
    skipped: {
      summary: 'Continue with new events only',
      value: { status: 'enabled', position: 'now' },
    },
    replayed: { summary: 'Deliver again what came after an event', value: { position: 1042 } },
    all: { summary: 'Receive all types', value: { types: null } },
  },
  successes: [ok('The webhook, changed or as it was.', webhookSchema, exampleWebhook)],
  errors: ['cursor_expired'],
  readUnchanged: getWebhook.handle,
  async commandInput({ body, path, workspaceId, now }, precondition, { webhooks }, { signal }) {
    const { types, description, status, position } = body;
    const target: CheckedUrl =
      body.url === undefined ? {} : await webhooks.checkTarget(body.url, { workspaceId, signal });
    const { url = body.url, fault: targetFault } = target;
    const changes = {
      url,
      types,
      description,
      status,
      position: typeof position === 'bigint' ? Number(position) : position,
    };
    return { workspaceId, id: path.webhookId, changes, precondition, now, targetFault };
  },
  answer: (webhook) => ({ body: webhookToJson(webhook) }),
  refuse(refusal, { path: { webhookId } }, possible) {
    if (refusal === 'no_such_webhook') return noSuchWebhook(webhookId);
    if (refusal === 'position_unknown') {
      return fail(
        'cursor_expired',
        `There is no event after this position yet. The highest position of webhook ${webhookId} is now ${possible}, the newest event; set ` +
          'position to it or a lower one, or to now',
      );
    }
    if (refusal !== 'position_expired') return urlRefusals[refusal];
    return fail(
      'cursor_expired',
      `Not all events after this position are in the feed. The lowest position of webhook ${webhookId} is now ${possible}; set position ` +
        'to it or a later one, or to now',
    );
  },
});

const deleteWebhook = defineWrite({
  ...oneWebhook,
  operationId: 'deleteWebhook',
  isAudited: true,
  method: 'DELETE',
  summary: 'Remove a webhook',
  description: 'Removes a webhook. Nothing more is delivered to its endpoint.',
  successes: [noContent('The webhook was removed.')],
  commandInput: ({ path: { webhookId: id }, workspaceId, now }, precondition) => ({
    workspaceId,
    id,
    precondition,
    now,
  }),
  refuse: (_refusal, { path: { webhookId } }) => noSuchWebhook(webhookId),
});

const rotateWebhookSecret = defineWrite({
  ...oneWebhook,
  operationId: 'rotateWebhookSecret',
  isAudited: true,
  method: 'POST',
  path: '/webhooks/{webhookId}/secret',
  summary: 'Replace the secret',
  description:
    'Replaces the secret of a webhook. During the overlap, deliveries are signed with both secrets, and only a rotation without an ' +
    'overlap is possible.',
  requestBody: webhookRotationSchema,
  requestExamples: {
    day: { summary: 'With an overlap of a day', value: {} },
    none: { summary: 'The secret was leaked', value: { overlapSeconds: 0 } },
  },
  successes: [
    ok('The new secret.', webhookSecretSchema, {
      secret: exampleSecret,
      previousSecretExpiresAt: '2026-11-22T13:33:05.123Z',
    }),
  ],
  errors: ['conflict'],
  commandInput({ body, path: { webhookId: id }, workspaceId, now }, precondition, { webhooks }) {
    const overlapSeconds = Number(body.overlapSeconds ?? overlapSecondsDefault);
    return { workspaceId, id, secret: webhooks.newSecret(), overlapSeconds, precondition, now };
  },
  answer({ webhook, previousSecretExpiresAt: end }, _input, ran) {
    const previousSecretExpiresAt = end === undefined ? undefined : new Date(end).toISOString();
    const body = { secret: ran?.secret, previousSecretExpiresAt };
    return { body, record: webhookToJson(webhook) };
  },
  refuse: (refusal, { path: { webhookId } }) =>
    refusal === 'no_such_webhook'
      ? noSuchWebhook(webhookId)
      : fail(
          'conflict',
          `Webhook ${webhookId} still has the secret before its last rotation; rotate again when that has expired, or with ` +
            'overlapSeconds 0, which ends both secrets at once',
        ),
});

export const webhookOperations = [
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
];
