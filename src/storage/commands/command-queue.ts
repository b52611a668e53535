import type {
  CommandInput,
  CommandName,
  CommandOutcome,
  CommandWriter,
  KeyedOutcome,
} from '../../domain/database/command-writer.ts';
import type { CommitStatistics } from '../../domain/database/database.ts';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import type { IdempotencyKey } from '../../domain/database/idempotency.ts';
import {
  countBounds,
  createHistogram,
  observe,
  secondsBounds,
} from '../../domain/values/histogram.ts';
import type { GroupOutcome, PendingCommand } from './commit-group.ts';

export interface CommandQueueLimits {
  /** The commands of one transaction. It bounds how long a group keeps the lock or the row that others need. */
  readonly groupCommandsMax: number;
  /** The commands that wait. More are rejected at once, and can be retried later. */
  readonly queueCommandsMax: number;
  /** How long a command waits at most, even if the disk or the server is slow. */
  readonly waitMillisecondsMax: number;
  /** Transactions at once. */
  readonly transactionsMax: number;
}

export const defaultCommandQueueLimits = {
  groupCommandsMax: 1024,
  queueCommandsMax: 8192,
  waitMillisecondsMax: 5000,
} as const;

interface CommandQueueOptions {
  readonly limits: CommandQueueLimits;
  /** Commits a group. The outcomes are in the order of the commands. */
  readonly commit: (group: readonly PendingCommand[]) => Promise<readonly GroupOutcome[]>;
  /** Commands of one partition share transactions. They do not wait for other partitions. By default, there is one for all. */
  readonly partitionOf?: (command: PendingCommand) => string;
}

export interface CommandQueue extends CommandWriter, AsyncDisposable {
  readonly commits: CommitStatistics;
  /** Commands that wait for their transaction. */
  readonly commandsWaiting: number;
}

/** The partition of commands that need none of their own. It is never removed, so that it keeps the time of its last group. */
const commonPartition = '';

interface WaitingCommand {
  readonly command: PendingCommand;
  readonly since: number;
  readonly resolve: (outcome: GroupOutcome) => void;
  readonly reject: (error: unknown) => void;
}

interface Partition {
  readonly waiting: WaitingCommand[];
  isGathering: boolean;
  running: readonly WaitingCommand[];
  runningSince: number;
  /** The time that the last group took, or 0 before the first. */
  groupMilliseconds: number;
}

interface QueueState extends CommandQueueOptions {
  readonly partitions: Map<string, Partition>;
  /** Partitions with commands and no transaction, the longest waiting first. */
  readonly ready: Set<string>;
  readonly commits: CommitStatistics;
  waitingCount: number;
  transactionCount: number;
  isClosing: boolean;
  timer: ReturnType<typeof setInterval> | undefined;
  readonly closed: PromiseWithResolvers<void>;
}

/**
 * The bounded queue of writes. Commands wait while a group of their partition is committed, and then form the next group. So
 * groups grow with the load, and a single command does not wait.
 */
export function createCommandQueue(options: CommandQueueOptions): CommandQueue {
  const queue: QueueState = {
    ...options,
    partitions: new Map([[commonPartition, createPartition()]]),
    ready: new Set(),
    commits: {
      seconds: createHistogram(secondsBounds),
      commands: createHistogram(countBounds),
    },
    waitingCount: 0,
    transactionCount: 0,
    isClosing: false,
    timer: undefined,
    closed: Promise.withResolvers(),
  };
  return {
    commits: queue.commits,
    get commandsWaiting() {
      return queue.waitingCount;
    },
    // The name of a command decides the type of its outcome. A group has commands of several names.
    write: <Name extends CommandName>(name: Name, input: CommandInput<Name>) =>
      enqueue(queue, { name, input, key: undefined }) as Promise<CommandOutcome<Name>>,
    writeKeyed: <Name extends CommandName>(
      name: Name,
      input: CommandInput<Name>,
      key: IdempotencyKey,
    ) => enqueue(queue, { name, input, key }) as Promise<KeyedOutcome<Name>>,
    async [Symbol.asyncDispose]() {
      queue.isClosing = true;
      stopIfIdle(queue);
      await queue.closed.promise;
    },
  };
}

function createPartition(): Partition {
  return { waiting: [], isGathering: false, running: [], runningSince: 0, groupMilliseconds: 0 };
}

function enqueue(queue: QueueState, command: PendingCommand): Promise<GroupOutcome> {
  const { partitions, ready, limits } = queue;
  const reject = (reason: string) => Promise.reject(new DatabaseUnavailable(reason));
  if (queue.isClosing) return reject('The database is closing');
  if (queue.waitingCount >= limits.queueCommandsMax) return reject('The command queue is full');
  const since = performance.now();
  const key = queue.partitionOf?.(command) ?? commonPartition;
  const partition = partitions.get(key) ?? createPartition();
  if (isBusy(partition) && isTooSlow(limits, partition, since)) {
    return reject('The command queue is too slow');
  }
  partitions.set(key, partition);
  return new Promise((resolve, reject) => {
    partition.waiting.push({ command, since, resolve, reject });
    queue.waitingCount += 1;
    queue.timer ??= setInterval(() => endLongWaits(queue), limits.waitMillisecondsMax / 20);
    if (isBusy(partition) || ready.has(key)) return;
    ready.add(key);
    // Commands of the same turn of the event loop share a group.
    queueMicrotask(() => startGroups(queue));
  });
}

/** Whether a group of a partition is committed, or the next one is about to start. */
function isBusy({ running, isGathering }: Partition): boolean {
  return running.length > 0 || isGathering;
}

function startGroups(queue: QueueState): void {
  const { ready, partitions, limits } = queue;
  for (const key of ready) {
    if (queue.transactionCount >= limits.transactionsMax) return;
    ready.delete(key);
    const partition = partitions.get(key);
    if (partition === undefined || partition.waiting.length === 0) continue;
    partition.running = partition.waiting.splice(0, limits.groupCommandsMax);
    queue.waitingCount -= partition.running.length;
    queue.transactionCount += 1;
    void runGroup(queue, key, partition);
  }
}

async function runGroup(queue: QueueState, key: string, partition: Partition): Promise<void> {
  const group = partition.running;
  partition.runningSince = performance.now();
  const outcomes = await queue
    .commit(group.map(({ command }) => command))
    .catch((error: unknown) => group.map(() => ({ error })));
  partition.groupMilliseconds = performance.now() - partition.runningSince;
  observe(queue.commits.seconds, partition.groupMilliseconds / 1000);
  observe(queue.commits.commands, group.length);
  partition.running = [];
  queue.transactionCount -= 1;
  for (const [index, waiting] of group.entries()) settle(waiting, outcomes[index]);
  if (partition.waiting.length > 0) gather(queue, key, partition);
  else removePartition(queue, key);
  startGroups(queue);
  stopIfIdle(queue);
}

/** A group of this size gains little from more commands, and must not delay the thread that commits. */
const gatheredCommandsMax = 64;
const gatherMillisecondsMax = 0.5;

/**
 * Starts the next group of a partition when a turn of the event loop brings no further command, such as the next one of a caller that
 * has just continued. So groups are larger, and each has one flush.
 */
function gather(queue: QueueState, key: string, partition: Partition): void {
  const { waiting } = partition;
  const endsAt = performance.now() + gatherMillisecondsMax;
  let countBefore = 0;
  partition.isGathering = true;
  const continueGathering = () => {
    const isComplete =
      waiting.length === countBefore ||
      waiting.length >= gatheredCommandsMax ||
      performance.now() >= endsAt;
    countBefore = waiting.length;
    if (!isComplete) {
      setImmediate(continueGathering);
      return;
    }
    partition.isGathering = false;
    // The commands may have waited too long.
    if (waiting.length === 0) removePartition(queue, key);
    else queue.ready.add(key);
    startGroups(queue);
  };
  // In this turn, the callers of the last group continue.
  setImmediate(continueGathering);
}

function settle(
  { command, resolve, reject }: WaitingCommand,
  outcome: GroupOutcome | undefined,
): void {
  if (outcome === undefined) reject(new Error(`${command.name} has no outcome`));
  else if ('error' in outcome) reject(outcome.error);
  else resolve(outcome);
}

function removePartition({ partitions }: QueueState, key: string): void {
  if (key !== commonPartition) partitions.delete(key);
}

function stopIfIdle(queue: QueueState): void {
  if (queue.waitingCount > 0 || queue.transactionCount > 0) return;
  clearInterval(queue.timer);
  queue.timer = undefined;
  if (queue.isClosing) queue.closed.resolve();
}

/** Rejects the commands that have waited too long. A command that is running may still be committed. */
function endLongWaits(queue: QueueState): void {
  const since = performance.now() - queue.limits.waitMillisecondsMax;
  for (const [key, partition] of queue.partitions) {
    const { waiting, running } = partition;
    for (const started of running) {
      if (started.since > since) break;
      started.reject(new DatabaseOutcomeUnknown('The database did not answer in time'));
    }
    for (let first = waiting[0]; first !== undefined && first.since <= since; first = waiting[0]) {
      waiting.shift();
      queue.waitingCount -= 1;
      first.reject(new DatabaseUnavailable('The write waited too long in the command queue'));
    }
    if (waiting.length > 0 || isBusy(partition)) continue;
    removePartition(queue, key);
    queue.ready.delete(key);
  }
  stopIfIdle(queue);
}

/** The share of the longest wait that a new command may be expected to wait. The rest is for groups slower than the last. */
const waitShareMax = 0.8;

/** Whether a new command would wait too long at the pace of the last group (docs/decisions/storage.md). */
function isTooSlow(
  { groupCommandsMax, waitMillisecondsMax }: CommandQueueLimits,
  { waiting, runningSince, groupMilliseconds }: Partition,
  now: number,
): boolean {
  const rest = Math.max(0, groupMilliseconds - (now - runningSince));
  const groups = Math.floor(waiting.length / groupCommandsMax) + 1;
  return rest + groups * groupMilliseconds > waitShareMax * waitMillisecondsMax;
}
