import { background } from '../../src/context/context.ts';
import type { DeliveryState } from '../../src/domain/webhook.ts';
import { okOf } from './outcome.ts';
import type { TestApp } from './test-app.ts';

type WithDatabase = Pick<TestApp, 'database' | 'now'>;

/** Adds a webhook to workspace default. No test connects to a server there. */
export async function addWebhook(
  { database, now }: WithDatabase,
  url = 'http://127.0.0.1:9/hook',
): Promise<void> {
  const { id: workspaceId = 0n } = (await database.findWorkspace(background, 'default')) ?? {};
  const webhook = { url, types: undefined, description: undefined };
  const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`;
  okOf(await database.write(background, 'createWebhook', { workspaceId, ...webhook, secret, now }));
}

/**
 * Records two failed attempts to deliver an event to each webhook, after which the endpoints are failing. The webhooks have
 * received no event yet, and there is one.
 */
export async function recordFailures(
  { database, now }: WithDatabase,
  changes: Partial<DeliveryState> = {},
  disabled?: { reason: 'events_deleted'; firstMissed: number; lastMissed: number },
): Promise<void> {
  const request = { holder: 'test/1', now, enabledMax: 10, failingMax: 10 };
  const leased = okOf(await database.write(background, 'leaseWebhooks', request));
  if (leased.length === 0) throw new Error('No webhook is due');
  for (const { workspaceId, id: webhookId, revision, position, readTo } of leased) {
    const state = {
      status: 'failing',
      position,
      readTo,
      failureCount: 5,
      failingSince: now,
      retryStep: 2,
      nextAttemptAt: now + 3_600_000,
      ...changes,
    } as const;
    const attempt = { eventId: 'evt_1_aaaaaaaa', at: now };
    const noResponse = { httpStatus: undefined, responseExcerpt: undefined };
    const deliveries = [
      { ...attempt, ...noResponse, attempt: 1, error: 'timeout', milliseconds: 15_000 },
      {
        ...attempt,
        attempt: 2,
        httpStatus: 500,
        error: undefined,
        milliseconds: 8,
        responseExcerpt: 'no\nway',
      },
    ];
    const recorded = await database.write(background, 'saveDeliveries', {
      workspaceId,
      webhookId,
      holder: 'test/1',
      revision,
      deliveries,
      state,
      retries: [],
      endedRetries: [],
      dropsOpenRetries: true,
      releases: true,
      disabled,
      now,
    });
    okOf(recorded);
  }
}
