import { background, endOf, isOver } from '../../context/context.ts';
import { every, turn } from '../../context/deadline.ts';
import type { Context } from '../../domain/values/context.ts';
import {
  countBounds,
  createHistogram,
  observe,
  secondsBounds,
} from '../../domain/values/histogram.ts';
import type {
  CommandInput,
  CommandName,
  CommandOutcome,
  CommandWriter,
  GroupOutcome,
  KeyedOutcome,
  ManyOutcome,
  PendingCommand,
} from '../contract/command-writer.ts';
import type { CommitStatistics } from '../contract/database.ts';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../contract/database-error.ts';
import type { IdempotencyKey } from '../contract/idempotency-key.ts';
import {
  countCommands,
  createPartition,
  isBusy,
  isTooSlow,
  ofMany,
  otherKind,
  type Partition,
  type WaitingCall,
} from './partition.ts';

export interface CommandQueueLimits {
  /** The commands of one transaction. It bounds how long a group keeps the lock or the row that others need. */
  readonly groupCommandsMax: number;
  /** The commands that wait. More are rejected at once, and can be retried later. */
  readonly queueCommandsMax: number;
  /** How long a command waits at most, even if its call may take longer, and the disk or the server is slow. */
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
  readonly commit: (
    context: Context,
    group: readonly PendingCommand[],
  ) => Promise<readonly GroupOutcome[]>;
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

interface QueueState extends CommandQueueOptions {
  readonly partitions: Map<string, Partition>;
  /** Partitions with commands and no transaction, the longest waiting first. */
  readonly ready: Set<string>;
  readonly commits: CommitStatistics;
  waitingCount: number;
  transactionCount: number;
  isClosing: boolean;
  timer: Disposable | undefined;
  readonly closed: PromiseWithResolvers<void>;
}

/**
 * The bounded queue of writes. Commands wait while a group of their partition is committed, and then form the next group. So
 * groups grow with the load, and a single command does not wait.
 */
export function createCommandQueue(options: CommandQueueOptions): CommandQueue {
  const queue: QueueState = {
    ...options,
    partitions: new Map([[commonPartition, createPartition(options.limits.groupCommandsMax)]]),
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
    write: <Name extends CommandName>(context: Context, name: Name, input: CommandInput<Name>) =>
      enqueueOne(queue, context, { name, input, key: undefined }) as Promise<CommandOutcome<Name>>,
    writeKeyed: <Name extends CommandName>(
      context: Context,
      name: Name,
      input: CommandInput<Name>,
      key: IdempotencyKey,
    ) => enqueueOne(queue, context, { name, input, key }) as Promise<KeyedOutcome<Name>>,
    writeMany: <Name extends CommandName>(
      context: Context,
      commands: readonly PendingCommand<Name>[],
    ) => enqueueMany(queue, context, commands) as Promise<readonly ManyOutcome<Name>[]>,
    async [Symbol.asyncDispose]() {
      queue.isClosing = true;
      stopIfIdle(queue);
      await queue.closed.promise;
    },
  };
}

function enqueueOne(
  queue: QueueState,
  context: Context,
  command: PendingCommand,
): Promise<GroupOutcome> {
  return new Promise((resolve, reject) => {
    const settle = ([outcome]: readonly GroupOutcome[]) => {
      if (outcome === undefined) reject(new Error(`${command.name} has no outcome`));
      else if ('error' in outcome) reject(outcome.error);
      else resolve(outcome);
    };
    enqueue(queue, '', { commands: [command], context, resolve: settle, reject });
  });
}

/** The commands of one call share a transaction up to this number, so that other writes wait for 100 rows and not for 500. */
const commandsOfManyMax = 100;

/** If a transaction fails, those of the same call before and after it are done, as single commands would be. */
async function enqueueMany(
  queue: QueueState,
  context: Context,
  commands: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  const parts: Promise<readonly GroupOutcome[]>[] = [];
  for (let start = 0; start < commands.length; start += commandsOfManyMax) {
    const part = commands.slice(start, start + commandsOfManyMax);
    parts.push(
      new Promise((resolve) => {
        const reject = (error: unknown) => resolve(part.map(() => ({ error })));
        enqueue(queue, ofMany, { commands: part, context, resolve, reject });
      }),
    );
  }
  return (await Promise.all(parts)).flat();
}

function enqueue(
  queue: QueueState,
  kind: '' | typeof ofMany,
  { commands, context, resolve, reject }: Omit<WaitingCall, 'endsAt'>,
): void {
  const { partitions, ready, limits } = queue;
  const now = performance.now();
  const endsAt = Math.min(context.deadline, now + limits.waitMillisecondsMax);
  const [first] = commands;
  const key = ((first && queue.partitionOf?.(first)) ?? commonPartition) + kind;
  const groupCallsMax = kind === ofMany ? 1 : limits.groupCommandsMax;
  const partition = partitions.get(key) ?? createPartition(groupCallsMax);
  const refusal = refusalOf(queue, partition, commands.length, { now, endsAt });
  if (refusal !== undefined) {
    reject(new DatabaseUnavailable(refusal));
    return;
  }
  partitions.set(key, partition);
  partition.waiting.push({ commands, context, endsAt, resolve, reject });
  queue.waitingCount += commands.length;
  queue.timer ??= every(limits.waitMillisecondsMax / 20, () => endLongWaits(queue));
  if (isBusy(partition) || ready.has(key)) return;
  ready.add(key);
  // Commands of the same turn of the event loop share a group.
  queueMicrotask(() => startGroups(queue));
}

/** Why commands cannot wait now. */
function refusalOf(
  { isClosing, waitingCount, limits }: QueueState,
  partition: Partition,
  count: number,
  { now, endsAt }: { readonly now: number; readonly endsAt: number },
): string | undefined {
  if (isClosing) return 'The database is closing';
  if (waitingCount + count > limits.queueCommandsMax) return 'The command queue is full';
  const isLate = isBusy(partition) && isTooSlow(partition, now, endsAt);
  return isLate ? 'The command queue is too slow' : undefined;
}

/** Asking whether a client has left costs as much as a small statement. Few leave so soon, and their commands are then done. */
const shortWaitMilliseconds = 100;

function startGroups(queue: QueueState): void {
  const { ready, partitions, limits } = queue;
  for (const key of ready) {
    if (queue.transactionCount >= limits.transactionsMax) return;
    // It begins when the other has ended, because a row lock of PostgreSQL lets a newcomer in before those that wait.
    if (isBusy(partitions.get(otherKind(key)))) continue;
    ready.delete(key);
    const partition = partitions.get(key);
    if (partition === undefined || partition.waiting.length === 0) continue;
    const taken = partition.waiting.splice(0, partition.groupCallsMax);
    queue.waitingCount -= countCommands(taken);
    const now = performance.now();
    partition.running = taken.filter(({ context, endsAt, reject }) => {
      const hasJustArrived = endsAt - now > limits.waitMillisecondsMax - shortWaitMilliseconds;
      if (hasJustArrived || !isOver(context)) return true;
      reject(endOf(context));
      return false;
    });
    if (partition.running.length === 0) {
      if (partition.waiting.length > 0) ready.add(key);
      else removePartition(queue, key);
      continue;
    }
    queue.transactionCount += 1;
    void runGroup(queue, key, partition);
  }
}

async function runGroup(queue: QueueState, key: string, partition: Partition): Promise<void> {
  const group = partition.running;
  partition.runningSince = performance.now();
  // The others of a group may have less time. They get their answer from `endLongWaits`.
  const deadline = Math.max(...group.map(({ endsAt }) => endsAt));
  const commands = group.flatMap((call) => call.commands);
  const outcomes = await queue
    .commit({ ...background, deadline }, commands)
    .catch((error: unknown) => commands.map(() => ({ error })));
  partition.groupMilliseconds = performance.now() - partition.runningSince;
  observe(queue.commits.seconds, partition.groupMilliseconds / 1000);
  observe(queue.commits.commands, commands.length);
  let start = 0;
  for (const { commands, resolve } of group) {
    resolve(outcomes.slice(start, start + commands.length));
    start += commands.length;
  }
  // The callers of this group continue first, so that their next commands share the next group, with one flush.
  if (partition.waiting.length > 0) await turn();
  partition.running = [];
  queue.transactionCount -= 1;
  if (partition.waiting.length > 0) queue.ready.add(key);
  else removePartition(queue, key);
  startGroups(queue);
  stopIfIdle(queue);
}

function removePartition({ partitions }: QueueState, key: string): void {
  if (key !== commonPartition) partitions.delete(key);
}

function stopIfIdle(queue: QueueState): void {
  if (queue.waitingCount > 0 || queue.transactionCount > 0) return;
  queue.timer?.[Symbol.dispose]();
  queue.timer = undefined;
  if (queue.isClosing) queue.closed.resolve();
}

/** Rejects the commands that have waited too long. A command that is running may still be committed. */
function endLongWaits(queue: QueueState): void {
  const now = performance.now();
  for (const [key, partition] of queue.partitions) {
    const { waiting, running } = partition;
    for (const started of running) {
      if (started.endsAt > now) continue;
      started.reject(new DatabaseOutcomeUnknown('The database did not answer in time'));
    }
    const late = waiting.filter(({ endsAt }) => endsAt <= now);
    for (const { reject } of late) {
      reject(new DatabaseUnavailable('The write waited too long in the command queue'));
    }
    if (late.length > 0) {
      queue.waitingCount -= countCommands(late);
      partition.waiting = waiting.filter(({ endsAt }) => endsAt > now);
    }
    if (partition.waiting.length > 0 || isBusy(partition)) continue;
    removePartition(queue, key);
    queue.ready.delete(key);
  }
  stopIfIdle(queue);
}
