import { background } from '../../context/context.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { createEventReads } from '../feed/event-feed.ts';
import type { Transaction } from '../queryable.ts';

/** The sequence of the newest event, in a locked workspace. */
export async function readHead(transaction: Transaction, workspaceId: Int64): Promise<number> {
  const page = await readAfter(transaction, workspaceId, 'now');
  return page !== undefined && 'head' in page ? page.head : 0;
}

/**
 * Undefined if all events after a position are stored. Otherwise the lowest position for which this is true. An event `feed.reset`
 * says that earlier ones may be undone, so the position before it is not possible.
 */
export async function findLowestPosition(
  transaction: Transaction,
  workspaceId: Int64,
  position: number,
): Promise<number | undefined> {
  const page = await readAfter(transaction, workspaceId, position);
  if (page === undefined || !('expired' in page)) return undefined;
  const { first, head = 0 } = page.expired;
  if (first === undefined) return head;
  const before = await readAfter(transaction, workspaceId, first - 1);
  return before !== undefined && 'expired' in before ? first : first - 1;
}

function readAfter(transaction: Transaction, workspaceId: Int64, after: number | 'now') {
  return createEventReads(() => transaction).readEvents(background, workspaceId, {
    after,
    limit: 1,
  });
}
