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
