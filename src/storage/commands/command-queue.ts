import type { CommandName, CommandWriter } from '../../domain/database/commands.ts';
import type { CommitStatistics } from '../../domain/database/database.ts';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import {
  countBounds,
  createHistogram,
  observe,
  secondsBounds,
} from '../../domain/values/histogram.ts';
import type { GroupOutcome, PendingCommand } from './commit-group.ts';

/** What bounds the queue. */
export interface CommandQueueLimits {
  /** More than this share no transaction: it bounds how long a group can hold the lock or the row that others need. */
  readonly groupCommandsMax: number;
  /** More than this do not wait: whoever comes then is told at once to come back later. */
  readonly queueCommandsMax: number;
  /** Nobody waits longer than this, whatever the disk or the server does. */
  readonly waitMillisecondsMax: number;
  /** Transactions at once. */
  readonly transactionsMax: number;
}

export const defaultCommandQueueLimits = {
  groupCommandsMax: 1024,
  queueCommandsMax: 8192,
  waitMillisecondsMax: 5000,
} as const;

export interface CommandQueueOptions {
  readonly limits: CommandQueueLimits;
  /** Commits a group; each of its outcomes is in the place of its command. */
  readonly commit: (group: readonly PendingCommand[]) => Promise<readonly GroupOutcome[]>;
  /** Commands of one partition share a transaction; those of different partitions do not wait for each other. */
  readonly partitionOf: (command: PendingCommand) => string;
}

export interface CommandQueue extends CommandWriter, AsyncDisposable {
  readonly commits: CommitStatistics;
  /** Commands that wait for those before them. */
  readonly commandsWaiting: number;
}

/** Of commands that need no partition of their own. It is always there, and so remembers how long its last group took. */
export const commonLane = '';

interface Waiting extends PendingCommand {
  readonly since: number;
  readonly resolve: (outcome: GroupOutcome) => void;
  readonly reject: (error: unknown) => void;
}

interface Lane {
  queue: Waiting[];
  running: readonly Waiting[];
  runningSince: number;
  /** What the last group took; 0 where none went before. */
  groupMilliseconds: number;
}

/**
 * The bounded line of writes. Commands wait while those before them are committed, and then go together: so the group
 * grows with the load, and a lone command waits for nobody.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: All of it reads and changes the one state of the queue.
export function createCommandQueue({
  limits,
  commit,
  partitionOf,
}: CommandQueueOptions): CommandQueue {
  const { groupCommandsMax, queueCommandsMax, waitMillisecondsMax, transactionsMax } = limits;
  const partitions = new Map([[commonLane, createLane()]]);
  /** Lanes with commands and no transaction, the longest waiting first. */
  const ready = new Set<string>();
  const commits: CommitStatistics = {
    seconds: createHistogram(secondsBounds),
    commands: createHistogram(countBounds),
  };
  let waitingCount = 0;
  let transactionCount = 0;
  let closing = false;
  let watch: ReturnType<typeof setInterval> | undefined;
  const closed = Promise.withResolvers<void>();

  function enqueue(command: PendingCommand): Promise<GroupOutcome> {
    if (closing) return Promise.reject(new DatabaseUnavailable('The database is closing'));
    if (waitingCount >= queueCommandsMax) {
      return Promise.reject(new DatabaseUnavailable('The command queue is full'));
    }
    const since = performance.now();
    const key = partitionOf(command);
    const partition = partitions.get(key) ?? createLane();
    if (partition.running.length > 0 && isTooSlow(limits, partition, since)) {
      return Promise.reject(new DatabaseUnavailable('The command queue is too slow'));
    }
    partitions.set(key, partition);
    return new Promise((resolve, reject) => {
      partition.queue.push({ ...command, since, resolve, reject });
      waitingCount += 1;
      watch ??= setInterval(endLongWaits, waitMillisecondsMax / 20);
      if (partition.running.length > 0 || ready.has(key)) return;
      ready.add(key);
      // What arrives in the same turn of the event loop travels together.
      queueMicrotask(startGroups);
    });
  }

  function startGroups(): void {
    for (const key of ready) {
      if (transactionCount >= transactionsMax) return;
      ready.delete(key);
      const partition = partitions.get(key);
      if (partition === undefined || partition.queue.length === 0) continue;
      partition.running = partition.queue.splice(0, groupCommandsMax);
      waitingCount -= partition.running.length;
      transactionCount += 1;
      void runGroup(key, partition);
    }
  }

  async function runGroup(key: string, partition: Lane): Promise<void> {
    const group = partition.running;
    partition.runningSince = performance.now();
    const outcomes = await commitOrFail(group);
    partition.groupMilliseconds = performance.now() - partition.runningSince;
    observe(commits.seconds, partition.groupMilliseconds / 1000);
    observe(commits.commands, group.length);
    partition.running = [];
    transactionCount -= 1;
    if (partition.queue.length > 0) ready.add(key);
    else removeLane(key);
    // The next group sets out before anybody is told of this one.
    startGroups();
    for (const [index, waiting] of group.entries()) settle(waiting, outcomes[index]);
    rest();
  }

  function commitOrFail(group: readonly PendingCommand[]): Promise<readonly GroupOutcome[]> {
    const commands = group.map(({ name, input, key }) => ({ name, input, key }));
    return commit(commands).catch((error: unknown) => group.map(() => ({ error })));
  }

  function removeLane(key: string): void {
    if (key !== commonLane) partitions.delete(key);
  }

  function rest(): void {
    if (waitingCount > 0 || transactionCount > 0) return;
    clearInterval(watch);
    watch = undefined;
    if (closing) closed.resolve();
  }

  /** Ends the wait of those who have waited too long. What is under way may yet be done. */
  function endLongWaits(): void {
    const since = performance.now() - waitMillisecondsMax;
    for (const [key, partition] of partitions) {
      for (const waiting of partition.running) {
        if (waiting.since > since) break;
        waiting.reject(new DatabaseOutcomeUnknown('The database did not answer in time'));
      }
      while (partition.queue[0] !== undefined && partition.queue[0].since <= since) {
        waitingCount -= 1;
        partition.queue
          .shift()
          ?.reject(new DatabaseUnavailable('The write waited too long in the command queue'));
      }
      if (partition.queue.length === 0 && partition.running.length === 0) {
        removeLane(key);
        ready.delete(key);
      }
    }
    rest();
  }

  return {
    commits,
    get commandsWaiting() {
      return waitingCount;
    },
    // The types of a command's name, input and outcome belong together where it is written.
    write: (name: CommandName, input: unknown) =>
      enqueue({ name, input, key: undefined }) as Promise<never>,
    writeKeyed: async (name: CommandName, input: unknown, key) => {
      const outcome = await enqueue({ name, input, key });
      return ('ok' in outcome ? { replayed: false, ...outcome } : outcome) as never;
    },
    async [Symbol.asyncDispose]() {
      closing = true;
      rest();
      await closed.promise;
    },
  };
}

function createLane(): Lane {
  return { queue: [], running: [], runningSince: 0, groupMilliseconds: 0 };
}

function settle(waiting: Waiting, outcome: GroupOutcome | undefined): void {
  if (outcome === undefined) waiting.reject(new Error(`${waiting.name} has no outcome`));
  else if ('error' in outcome) waiting.reject(outcome.error);
  else waiting.resolve(outcome);
}

/** Of the longest wait, what nobody may expect to exceed: the rest is for groups that take longer than the last. */
const waitShareMax = 0.8;

/** Whether a new command would wait too long at the pace of the last group (docs/decisions/storage.md). */
function isTooSlow(
  { groupCommandsMax, waitMillisecondsMax }: CommandQueueLimits,
  { queue, runningSince, groupMilliseconds }: Lane,
  now: number,
): boolean {
  const rest = Math.max(0, groupMilliseconds - (now - runningSince));
  const groups = Math.floor(queue.length / groupCommandsMax) + 1;
  return rest + groups * groupMilliseconds > waitShareMax * waitMillisecondsMax;
}
