import type { DeletedEvents, EventCommands } from '../../domain/event.ts';
import { assignedIdMax, type Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import type { CommandInput } from '../contract/command-writer.ts';
import type { Transaction } from '../queryable.ts';
import { lockWorkspace } from '../records/workspace-row.ts';
import { statement } from '../statement.ts';

/**
 * Up to this many of the oldest events may have a time that is too late, because a clock was ahead for a moment. They do not
 * prevent the deletion of older events behind them. It is also the largest number of newer events that this can delete, if a
 * clock was behind.
 */
const newerMax = 20;

interface WithOld {
  readonly id: Int64;
  readonly name: string;
  /** The sequence of the last event that may be deleted. */
  readonly last: number;
}

const selectWithOld = (text: string) => statement<WithOld>(`${text} ORDER BY id LIMIT 1`, ['last']);

/** SQL for a workspace with an old event among the first ones that meet a condition. */
const hasOld = (workspaceId: string, condition = 'true') => `
  $1 > (SELECT min(at) FROM (
    SELECT at FROM events WHERE workspace_id = ${workspaceId} AND ${condition} ORDER BY sequence LIMIT ${newerMax + 1}
  ) AS front)`;

const selectWithAny = selectWithOld(`
  SELECT id, name, next_event_sequence - 1 AS last FROM workspaces WHERE id >= $2 AND ${hasOld('workspaces.id')}`);

const isNeeded = "webhooks.workspace_id = workspaces.id AND status IN ('enabled', 'failing')";

// A webhook that is added now needs the events from next_event_sequence on.
const selectWithDelivered = selectWithOld(`
  SELECT id, name, last FROM (
    SELECT id, name, (
      SELECT min(sequence) - 1 FROM (
        SELECT next_event_sequence AS sequence
        UNION ALL SELECT position + 1 FROM webhooks WHERE ${isNeeded}
        UNION ALL SELECT (
          SELECT min(sequence) FROM webhook_retries
          WHERE webhook_retries.workspace_id = webhooks.workspace_id AND webhook_id = webhooks.id
        ) FROM webhooks WHERE ${isNeeded}
      ) AS needed
    ) AS last
    FROM workspaces WHERE id BETWEEN $2 AND $3 AND ${hasOld('workspaces.id')}
  ) AS bounded
  WHERE ${hasOld('bounded.id', 'sequence <= last')}`);

const selectOldest = statement<{ sequence: number; at: number }>(
  'SELECT sequence, at FROM events WHERE workspace_id = $1 AND sequence <= $2 ORDER BY sequence LIMIT $3',
  ['sequence', 'at'],
);

const deleteUpTo = statement('DELETE FROM events WHERE workspace_id = $1 AND sequence <= $2');

export const eventCommands: CommandTable<keyof EventCommands> = {
  deleteOldEvents: {
    keepsAccess: true,
    async run(transaction, { before, undeliveredBefore = before, ...step }) {
      const delivered =
        undeliveredBefore === before ? null : await deleteDelivered(transaction, before, step);
      return { ok: delivered ?? (await deleteAny(transaction, undeliveredBefore, step)) };
    },
  },
};

type Step = Pick<CommandInput<'deleteOldEvents'>, 'from' | 'eventsMax'>;

async function deleteDelivered(
  transaction: Transaction,
  before: number,
  { from = 0n, eventsMax }: Step,
) {
  const [found] = await transaction.all(selectWithDelivered, [before, from, assignedIdMax]);
  // Until the lock, a client could set a position to events before `last`.
  if (found === undefined || !(await lockWorkspace(transaction, found.id))) return null;
  const [locked] = await transaction.all(selectWithDelivered, [before, found.id, found.id]);
  return locked === undefined ? null : deleteOldest(transaction, locked, before, eventsMax);
}

async function deleteAny(transaction: Transaction, before: number, { from = 0n, eventsMax }: Step) {
  const [found] = await transaction.all(selectWithAny, [before, from]);
  return found === undefined ? null : deleteOldest(transaction, found, before, eventsMax);
}

async function deleteOldest(
  transaction: Transaction,
  workspace: WithOld,
  before: number,
  eventsMax: number,
): Promise<DeletedEvents | null> {
  const oldest = await transaction.all(selectOldest, [workspace.id, workspace.last, eventsMax]);
  // Events before an old one are deleted with it, so that the feed has no gap.
  const count = countOld(oldest, before);
  const [first] = oldest;
  const last = oldest[count - 1];
  if (first === undefined || last === undefined) return null;
  transaction.runDeferred(deleteUpTo, [workspace.id, last.sequence]);
  const { id: workspaceId, name } = workspace;
  return { workspaceId, workspace: name, first: first.sequence, last: last.sequence, count };
}

/** How many events come up to the last old one that has at most `newerMax` newer ones before it. */
function countOld(oldest: readonly { readonly at: number }[], before: number): number {
  let count = 0;
  let newer = 0;
  for (const [index, { at }] of oldest.entries()) {
    if (at < before) count = index + 1;
    else newer += 1;
    if (newer > newerMax) break;
  }
  return count;
}
