import type { Queryable, Transaction } from '../queryable.ts';
import { statement } from '../statement.ts';

const pause = statement(`
  UPDATE webhooks SET status = 'paused', read_to = NULL, failure_count = 0, failing_since = NULL, retry_step = 0,
    next_attempt_at = NULL, lease_holder = NULL, lease_until = NULL`);

/**
 * Pauses all webhooks of restored data, because the data that it comes from may still deliver. Returns their number. A copy has
 * this state from the defaults of the schema.
 */
export async function pauseWebhooks(transaction: Transaction): Promise<number> {
  return await transaction.run(pause);
}

const countPaused = statement<{ count: number }>(
  "SELECT count(*) AS count FROM webhooks WHERE status = 'paused'",
  ['count'],
);

export async function countPausedWebhooks(queryable: Queryable): Promise<number> {
  return (await queryable.all(countPaused))[0]?.count ?? 0;
}
