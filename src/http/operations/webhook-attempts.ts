import { z } from 'zod';
import { andThen } from '../../domain/values/awaitable.ts';
import { randomBase62 } from '../../domain/values/base62.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { deliveryToJson, isDelivered } from '../../domain/webhook.ts';
import { defineAction, defineRead, ok } from '../define-operation.ts';
import { isFailure } from '../failure.ts';
import type { OperationServices } from '../operation.ts';
import { answerPage, cursorParameter, limitParameter } from './list-page.ts';
import { allWebhooks, noSuchWebhook, oneWebhook } from './one-webhook.ts';
import { deliveriesSchema, webhookTestSchema } from './webhook-schemas.ts';

export const testWebhook = defineAction({
  ...oneWebhook,
  operationId: 'testWebhook',
  path: '/webhooks/{webhookId}/test',
  summary: 'Test a webhook',
  description:
    'Sends a signed request with an event of the type `webhook.test` to the endpoint, and returns its response. The event is not in ' +
    'the feed. If the webhook is `failing` and the endpoint accepts the test, the service tries to deliver at once. A webhook has ' +
    'one test at a time.',
  successes: [
    ok('What the endpoint answered, or why it did not.', webhookTestSchema, {
      delivered: true,
      httpStatus: 200,
      milliseconds: 84,
      responseExcerpt: 'ok',
    }),
  ],
  secondsMax: 20,
  async handle(context, { path: { webhookId: id }, workspaceId, now }, services) {
    const { database } = services;
    const webhook = await database.readWebhook(context, workspaceId, id);
    const secrets = await database.readWebhookSecrets(context, workspaceId, id, now);
    if (webhook === undefined || secrets === undefined) return noSuchWebhook(id);
    const signal = AbortSignal.any([context.signal, services.stopping]);
    const result = await sendTest({ workspaceId, ...webhook, secrets }, services, now, signal);
    if (isFailure(result)) return result;
    const delivered = isDelivered(result);
    if (delivered) await database.write(context, 'probeWebhook', { workspaceId, id });
    const { httpStatus, error, milliseconds, responseExcerpt } = result;
    return { body: { delivered, httpStatus, error, milliseconds, responseExcerpt } };
  },
});

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));

function sendTest(
  webhook: { workspaceId: Int64; id: Int64; url: string; secrets: readonly string[] },
  { webhooks, limitTests }: OperationServices,
  now: number,
  signal: AbortSignal,
) {
  const { workspaceId, id, url, secrets } = webhook;
  const eventId = `evt_test_${randomBase62(16, randomBytes)}`;
  const timestamp = new Date(now).toISOString();
  const body = JSON.stringify({ id: eventId, type: 'webhook.test', timestamp, data: {} });
  return limitTests(workspaceId, id, () => webhooks.send({ url, secrets, eventId, body }, signal));
}

export const listDeliveries = defineRead({
  ...allWebhooks,
  operationId: 'listDeliveries',
  pathParameters: oneWebhook.pathParameters,
  path: '/webhooks/{webhookId}/deliveries',
  summary: 'List deliveries',
  description:
    'A page of the attempts to deliver events to a webhook in the last 30 days, newest first. If more follow, `Link` has the URL of ' +
    'the next page (`rel="next"`).',
  queryParameters: z.object({
    limit: limitParameter('Maximum number of deliveries to return.'),
    cursor: cursorParameter,
  }),
  successes: [
    ok('A page of deliveries.', deliveriesSchema, [
      {
        id: 1,
        eventId: 'evt_1042_PH76ArPe',
        at: '2026-11-21T13:33:05.201Z',
        attempt: 1,
        httpStatus: 200,
        milliseconds: 84,
        responseExcerpt: 'ok',
      },
    ]),
  ],
  handle: (context, { path: { webhookId: id }, query, workspaceId }, { readDeliveryPage }) =>
    answerPage(
      {
        path: `/webhooks/${id}/deliveries`,
        kind: `deliveries of ${id}`,
        query,
        filter: {},
      },
      (page) =>
        andThen(
          readDeliveryPage(context, workspaceId, id, page),
          (found) => found ?? noSuchWebhook(id),
        ),
      deliveryToJson,
    ),
});
