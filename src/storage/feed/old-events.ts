import type { EventCommands } from '../../domain/event.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import { statement } from '../statement.ts';

/**
 * Up to this many of the oldest events may have a time that is too late, because a clock was ahead for a moment. They do not
 * prevent the deletion of older events behind them. It is also the largest number of newer events that this can delete, if a
 * clock was behind.
 */
const newerMax = 20;

const selectWithOld = statement<{ id: Int64; name: string }>(`
  SELECT id, name FROM workspaces
  WHERE $1 > (SELECT min(at) FROM (
    SELECT at FROM events WHERE workspace_id = workspaces.id ORDER BY sequence LIMIT ${newerMax + 1}
  ) AS front)
  LIMIT 1`);

const selectOldest = statement<{ sequence: number; at: number }>(
  'SELECT sequence, at FROM events WHERE workspace_id = $1 ORDER BY sequence LIMIT $2',
  ['sequence', 'at'],
);

const deleteUpTo = statement('DELETE FROM events WHERE workspace_id = $1 AND sequence <= $2');

export const eventCommands: CommandTable<keyof EventCommands> = {
  deleteOldEvents: {
    async run(transaction, { before, eventsMax }) {
      const [workspace] = await transaction.all(selectWithOld, [before]);
      if (workspace === undefined) return { ok: null };
      const oldest = await transaction.all(selectOldest, [workspace.id, eventsMax]);
      // Events before an old one are deleted with it, so that the feed has no gap.
      const count = countOld(oldest, before);
      const [first] = oldest;
      const last = oldest[count - 1];
      if (first === undefined || last === undefined) return { ok: null };
      transaction.runDeferred(deleteUpTo, [workspace.id, last.sequence]);
      const ok = { workspace: workspace.name, first: first.sequence, last: last.sequence, count };
      return { ok };
    },
  },
};

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
