import type { Int64 } from '../../domain/values/int64.ts';
import { webhooksMaxOfWorkspace } from '../../domain/webhook.ts';
import { type Failure, fail } from '../failure.ts';

/** The tests of webhooks that a server runs at once. */
const runningMax = 100;

const soon = { 'retry-after': '1' };

const isRunning = fail('rate_limited', 'A test of this webhook is running; retry later', soon);

const areTooManyOfWorkspace = fail(
  'rate_limited',
  `The server runs ${webhooksMaxOfWorkspace} tests of webhooks in this workspace; retry later`,
  soon,
);

const areTooMany = fail(
  'rate_limited',
  `The server runs ${runningMax} tests of webhooks; retry later`,
  soon,
);

/** Runs a test, unless another one of its webhook runs, or too many others. */
export type LimitTests = <Result>(
  workspaceId: Int64,
  webhookId: Int64,
  test: () => Promise<Result>,
) => Promise<Result | Failure>;

/** A test calls an endpoint of the client's choice, so that clients must not cause many at once. */
export function createTestLimit(): LimitTests {
  const running = new Set<{ readonly workspaceId: Int64; readonly webhookId: Int64 }>();
  return async (workspaceId, webhookId, test) => {
    const ofWorkspace = [...running].filter((each) => each.workspaceId === workspaceId);
    if (ofWorkspace.some((each) => each.webhookId === webhookId)) return isRunning;
    // Also of webhooks that were deleted since.
    if (ofWorkspace.length >= webhooksMaxOfWorkspace) return areTooManyOfWorkspace;
    if (running.size >= runningMax) return areTooMany;
    const place = { workspaceId, webhookId };
    running.add(place);
    try {
      return await test();
    } finally {
      running.delete(place);
    }
  };
}
