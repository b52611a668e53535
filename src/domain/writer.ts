import type { CommitStatistics } from './database.ts';
import { countBounds, createHistogram, observe, secondsBounds } from './histogram.ts';

/** What bounds the road of every write, in each engine. */
export interface WriterLimits {
  /** More than this share no transaction: it bounds how long a group can hold the lock or the row that others need. */
  readonly groupCommandsMax: number;
  /** More than this do not wait: whoever comes then is told at once to come back later. */
  readonly queueCommandsMax: number;
  /** Nobody waits longer than this, whatever the disk or the server does. */
  readonly waitMillisecondsMax: number;
}

export const defaultWriterLimits: WriterLimits = {
  groupCommandsMax: 1024,
  queueCommandsMax: 8192,
  waitMillisecondsMax: 5000,
};

/** A line of commands behind a group that is under way. Times are those of a clock that only goes forward. */
export interface Line {
  readonly commandsWaiting: number;
  readonly runningSince: number;
  /** What the last group took. */
  readonly groupMilliseconds: number;
}

/** Of the longest wait, what nobody may expect to exceed: the rest is for groups that take longer than the last. */
const waitShareMax = 0.8;

/**
 * Whether what comes now would wait too long if every group took as long as the last one. Who would is refused at once:
 * else, with more writes than the disk takes, each would reach it just before its time is up, and be done and not
 * acknowledged.
 */
export function isTooSlow(
  { groupCommandsMax, waitMillisecondsMax }: WriterLimits,
  { commandsWaiting, runningSince, groupMilliseconds }: Line,
  now: number,
): boolean {
  const rest = Math.max(0, groupMilliseconds - (now - runningSince));
  const groups = Math.floor(commandsWaiting / groupCommandsMax) + 1;
  return rest + groups * groupMilliseconds > waitShareMax * waitMillisecondsMax;
}

export const tooSlowLine = 'The queue of writes is too slow';

export function createCommitStatistics(): CommitStatistics {
  return { seconds: createHistogram(secondsBounds), commands: createHistogram(countBounds) };
}

/** Notes that so many commands went together, and how long it took until it was known what became of them. */
export function observeCommit(
  { seconds, commands }: CommitStatistics,
  milliseconds: number,
  commandCount: number,
): void {
  observe(seconds, milliseconds / 1000);
  observe(commands, commandCount);
}
