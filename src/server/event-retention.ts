import { isOver } from '../context/context.ts';
import type { DeletedEvents } from '../domain/event.ts';
import type { Context } from '../domain/values/context.ts';
import type { Int64 } from '../domain/values/int64.ts';
import type { Log } from '../ops/log.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';

/** How many events one command deletes, so that other writes do not wait long. */
const stepEventsMax = 500;

const hourMilliseconds = 3_600_000;
const dayMilliseconds = 24 * hourMilliseconds;

/** How many days events are kept at least until a webhook has received them. */
const undeliveredDaysMin = 7;

/**
 * Returns a function to call each minute. It deletes old events until none are left or `isOver` returns true. An event is deleted
 * only if it was too old at each call of one hour by the steady clock. So a wrong clock that is corrected within the hour deletes
 * nothing. With 0 days, only events that no webhook needs are deleted without this hour.
 */
export function createEventRetention(
  writer: CommandWriter,
  /** How many days events are kept; 0 deletes them at once. */
  eventDays: number,
  log: Log,
  /** Milliseconds since 1970. This clock can be wrong. */
  now = Date.now,
  /** Milliseconds of a clock that is never set. */
  steadyNow = () => performance.now(),
) {
  const undeliveredDays = Math.max(eventDays, undeliveredDaysMin);
  /** The lowest time of the clock since `beganAt`. */
  let hour = { beganAt: steadyNow(), lowest: now() };

  return async (context: Context): Promise<void> => {
    const current = { beganAt: steadyNow(), lowest: now() };
    const { beganAt, lowest } = { ...hour, lowest: Math.min(hour.lowest, current.lowest) };
    hour = { beganAt, lowest };
    const isHourOver = current.beganAt - beganAt >= hourMilliseconds;
    if (!isHourOver && eventDays > 0) return;
    // If this fails, the next call tries again.
    await deleteAll(
      context,
      eventDays === 0 ? current.lowest : lowest - eventDays * dayMilliseconds,
      isHourOver ? lowest - undeliveredDays * dayMilliseconds : Number.MIN_SAFE_INTEGER,
    );
    if (isHourOver && !isOver(context)) hour = current;
  };

  async function deleteAll(
    context: Context,
    before: number,
    undeliveredBefore: number,
  ): Promise<void> {
    const deleted = new Map<string, Omit<DeletedEvents, 'workspaceId'>>();
    // Each step continues at the workspace of the last one, because a look at thousands of workspaces takes milliseconds.
    let from: Int64 | undefined;
    try {
      while (!isOver(context)) {
        const step = { before, undeliveredBefore, eventsMax: stepEventsMax, from };
        const { ok: found } = await writer.write(context, 'deleteOldEvents', step);
        if (found === null && from === undefined) return;
        if (found === null) {
          from = undefined;
          continue;
        }
        const { workspaceId, ...ok } = found;
        from = workspaceId;
        const earlier = deleted.get(ok.workspace);
        const { first, count } = earlier ?? { first: ok.first, count: 0 };
        deleted.set(ok.workspace, { ...ok, first, count: count + ok.count });
      }
    } finally {
      // With 0 days this is every minute, and no client can read the events.
      const level = eventDays === 0 ? 'debug' : 'info';
      for (const events of deleted.values()) log[level](events, 'deleted old events');
    }
  }
}
