import { type Failure, fail } from '../failure.ts';

/** The tests of webhooks that a server runs at once. A workspace has at most one for each of its webhooks. */
const runningMax = 100;

const soon = { 'retry-after': '1' };

const isRunning = fail('rate_limited', 'A test of this webhook is running; retry later', soon);

const areTooMany = fail(
  'rate_limited',
  `The server runs ${runningMax} tests of webhooks; retry later`,
  soon,
);

/** Runs a test, unless another one of its webhook runs, or too many others. `webhook` is unique in all workspaces. */
export type LimitTests = <Result>(
  webhook: string,
  test: () => Promise<Result>,
) => Promise<Result | Failure>;

/** A test calls an endpoint of the client's choice, so that clients must not cause many at once. */
export function createTestLimit(): LimitTests {
  const running = new Set<string>();
  return async (webhook, test) => {
    if (running.has(webhook)) return isRunning;
    if (running.size >= runningMax) return areTooMany;
    running.add(webhook);
    try {
      return await test();
    } finally {
      running.delete(webhook);
    }
  };
}
