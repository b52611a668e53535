import type { Context } from '../../domain/values/context.ts';
import type { GroupOutcome, PendingCommand } from '../contract/command-writer.ts';

/** One command, or several that run in one transaction. */
export interface WaitingCall {
  readonly commands: readonly PendingCommand[];
  readonly context: Context;
  /** In milliseconds of `performance.now()`. */
  readonly endsAt: number;
  readonly resolve: (outcomes: readonly GroupOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Added to the partition of a call of several commands. Each of its groups is one such call. */
export const ofMany = ' many';

/** The partition of the other commands of the same records. They take turns. */
export function otherKind(key: string): string {
  return key.endsWith(ofMany) ? key.slice(0, -ofMany.length) : key + ofMany;
}

export interface Partition {
  /** Calls of one group. */
  readonly groupCallsMax: number;
  waiting: WaitingCall[];
  running: readonly WaitingCall[];
  runningSince: number;
  /** The time that the last group took, or 0 before the first. */
  groupMilliseconds: number;
}

export function createPartition(groupCallsMax: number): Partition {
  return { groupCallsMax, waiting: [], running: [], runningSince: 0, groupMilliseconds: 0 };
}

/** Whether a group of a partition is committed. */
export function isBusy(partition: Partition | undefined): boolean {
  return partition !== undefined && partition.running.length > 0;
}

export function countCommands(calls: readonly WaitingCall[]): number {
  return calls.reduce((sum, { commands }) => sum + commands.length, 0);
}

/** The share of the longest wait that a new command may be expected to wait. The rest is for groups slower than the last. */
const waitShareMax = 0.8;

/** Whether a new command would wait too long at the pace of the last group (docs/decisions/storage.md). */
export function isTooSlow(
  { groupCallsMax, waiting, runningSince, groupMilliseconds }: Partition,
  now: number,
  endsAt: number,
): boolean {
  const rest = Math.max(0, groupMilliseconds - (now - runningSince));
  const groups = Math.floor(waiting.length / groupCallsMax) + 1;
  return rest + groups * groupMilliseconds > waitShareMax * (endsAt - now);
}
