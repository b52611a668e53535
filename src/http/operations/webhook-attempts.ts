import { z } from 'zod';
import { andThen } from '../../domain/values/awaitable.ts';
import { randomBase62 } from '../../domain/values/base62.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { deliveryToJson, isDelivered, webhooksMaxOfWorkspace } from '../../domain/webhook.ts';
import type { Slots } from '../access/limits.ts';
import { defineAction, defineRead, ok } from '../define-operation.ts';
import { type Failure, fail, isFailure } from '../failure.ts';
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
    const slot = acquireTestSlot(services.testSlots, workspaceId, id);
    if (isFailure(slot)) return slot;
    const eventId = `evt_test_${randomBase62(16, randomBytes)}`;
    const timestamp = new Date(now).toISOString();
    const body = JSON.stringify({ id: eventId, type: 'webhook.test', timestamp, data: {} });
    const signal = AbortSignal.any([context.signal, services.stopping]);
    const attempt = { url: webhook.url, secrets, eventId, body };
    const send = async () => {
      // The slot is free again before the write below, which can wait.
      using _slot = slot;
      return await services.webhooks.send(attempt, signal);
    };
    const result = await send();
    const delivered = isDelivered(result);
    if (delivered) await database.write(context, 'probeWebhook', { workspaceId, id });
    const { httpStatus, error, milliseconds, responseExcerpt } = result;
    return { body: { delivered, httpStatus, error, milliseconds, responseExcerpt } };
  },
});

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));

/** The tests of webhooks that a server runs at once. */
const testsMax = 100;

const isRunning = fail('rate_limited', 'A test of this webhook is running; retry later');

const tooManyOfWorkspace = fail(
  'rate_limited',
  `The server runs ${webhooksMaxOfWorkspace} tests of webhooks in this workspace; retry later`,
);

const tooMany = fail('rate_limited', `The server runs ${testsMax} tests of webhooks; retry later`);

/** A test calls an endpoint of the client's choice, so that clients must not cause many at once. */
export function acquireTestSlot(
  slots: Slots,
  workspaceId: Int64,
  webhookId: Int64,
): Disposable | Failure {
  const workspace = `workspace ${workspaceId}`;
  return slots.acquire(
    { name: `${workspace}, webhook ${webhookId}`, max: 1, refusal: isRunning },
    // Also of webhooks that were deleted since.
    { name: workspace, max: webhooksMaxOfWorkspace, refusal: tooManyOfWorkspace },
    { name: 'server', max: testsMax, refusal: tooMany },
  );
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
        name: `deliveries of ${id}`,
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
