import {
  type CommandName,
  type CommandOutput,
  type CommitStatistics,
  type Database,
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
  type OnceKey,
  type WrittenOnce,
} from '../domain/database.ts';
import {
  createCommitStatistics,
  isTooSlow,
  observeCommit,
  tooSlowLine,
  type WriterLimits,
} from '../domain/writer.ts';
import { runnerOf } from './commands.ts';
import type { Connections } from './connection.ts';
import { findOnceKeys, storeOnceKeys } from './once-keys.ts';
import type { Session } from './statement.ts';
import { transact } from './transaction.ts';

export interface PostgresWriterLimits extends WriterLimits {
  /** Transactions at once: each holds a connection that reads would use. */
  readonly transactionsMax: number;
}

export interface Writer extends Pick<Database, 'write' | 'writeOnce'>, AsyncDisposable {
  readonly commits: CommitStatistics;
  /** Commands that wait for those before them. */
  readonly commandsWaiting: number;
}

interface Waiting {
  readonly input: unknown;
  readonly once: OnceKey | undefined;
  readonly since: number;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Commands that may share a transaction: of one name, and of one workspace. They wait here in order. */
interface Lane {
  readonly key: string;
  readonly name: CommandName;
  queue: Waiting[];
  running: Waiting[];
  runningSince: number;
  /** What the last group took; 0 where none went before in this line. */
  groupMilliseconds: number;
}

/**
 * The road of every write: commands wait while those before them are committed, and then go together. So
 * the group grows with the load, and a lone command waits for nobody. `committed` is called before anybody
 * is told of a commit.
 */
export function createWriter(
  connections: Connections,
  limits: PostgresWriterLimits,
  committed: () => void,
): Writer {
  const { groupCommandsMax, queueCommandsMax, waitMillisecondsMax, transactionsMax } = limits;
  const lanes = new Map<string, Lane>();
  /** Lanes with commands and no transaction, the longest waiting first. */
  const ready = new Set<Lane>();
  const commits = createCommitStatistics();
  let waitingCount = 0;
  let transactionCount = 0;
  let closing = false;
  let watch: ReturnType<typeof setInterval> | undefined;
  const closed = Promise.withResolvers<void>();

  function enqueue(name: CommandName, input: unknown, once: OnceKey | undefined): Promise<unknown> {
    if (closing) return Promise.reject(new DatabaseUnavailable('The database is closing'));
    if (waitingCount >= queueCommandsMax) {
      return Promise.reject(new DatabaseUnavailable('The queue of writes is full'));
    }
    const since = performance.now();
    const lane = findLane(laneKey(name, input), name);
    const { runningSince, groupMilliseconds } = lane;
    const line = { commandsWaiting: lane.queue.length, runningSince, groupMilliseconds };
    if (lane.running.length > 0 && isTooSlow(limits, line, since)) {
      return Promise.reject(new DatabaseUnavailable(tooSlowLine));
    }
    return new Promise((resolve, reject) => {
      lane.queue.push({ input, once, since, resolve, reject });
      waitingCount += 1;
      watch ??= setInterval(endLongWaits, waitMillisecondsMax / 20);
      if (lane.running.length > 0 || ready.has(lane)) return;
      ready.add(lane);
      // What arrives in the same turn of the event loop travels together.
      queueMicrotask(startGroups);
    });
  }

  function findLane(key: string, name: CommandName): Lane {
    let lane = lanes.get(key);
    if (lane === undefined) {
      lane = { key, name, queue: [], running: [], runningSince: 0, groupMilliseconds: 0 };
      lanes.set(key, lane);
    }
    return lane;
  }

  function startGroups(): void {
    for (const lane of ready) {
      if (transactionCount >= transactionsMax) return;
      ready.delete(lane);
      const group = takeGroup(lane, groupCommandsMax);
      waitingCount -= group.length;
      if (group.length === 0) {
        // All who waited here have gone.
        lanes.delete(lane.key);
        continue;
      }
      lane.running = group;
      transactionCount += 1;
      void runGroup(lane, group);
    }
  }

  async function runGroup(lane: Lane, group: readonly Waiting[]): Promise<void> {
    lane.runningSince = performance.now();
    await commitGroup(connections, lane.name, group, committed);
    lane.groupMilliseconds = performance.now() - lane.runningSince;
    observeCommit(commits, lane.groupMilliseconds, group.length);
    lane.running = [];
    transactionCount -= 1;
    if (lane.queue.length > 0) ready.add(lane);
    else lanes.delete(lane.key);
    startGroups();
    rest();
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
    for (const lane of lanes.values()) {
      for (const waiting of lane.running) {
        if (waiting.since > since) break;
        waiting.reject(new DatabaseOutcomeUnknown('PostgreSQL did not answer in time'));
      }
      while (lane.queue[0] !== undefined && lane.queue[0].since <= since) {
        waitingCount -= 1;
        lane.queue
          .shift()
          ?.reject(new DatabaseUnavailable('The queue of writes did not move in time'));
      }
    }
  }

  return {
    commits,
    get commandsWaiting() {
      return waitingCount;
    },
    write<Name extends CommandName>(name: Name, input: unknown) {
      return enqueue(name, input, undefined) as Promise<CommandOutput<Name>>;
    },
    writeOnce<Name extends CommandName>(name: Name, input: unknown, once: OnceKey) {
      return enqueue(name, input, once) as Promise<WrittenOnce<CommandOutput<Name>>>;
    },
    async [Symbol.asyncDispose]() {
      closing = true;
      rest();
      await closed.promise;
    },
  };
}

function laneKey(name: CommandName, input: unknown): string {
  const { workspaceId } = input as { workspaceId?: bigint };
  return workspaceId === undefined ? name : `${name} ${workspaceId}`;
}

/**
 * The next commands of a lane. Two under one key do not share a group, since the second is to find what the
 * first stored, nor do keys of different operations.
 */
function takeGroup(lane: Lane, commandsMax: number): Waiting[] {
  const keys = new Set<string>();
  const group: Waiting[] = [];
  const left: Waiting[] = [];
  let operationId: string | undefined;
  for (const waiting of lane.queue) {
    const { once } = waiting;
    operationId ??= once?.operationId;
    const fits = once === undefined || (once.operationId === operationId && !keys.has(once.key));
    if (fits && group.length < commandsMax) {
      group.push(waiting);
      if (once !== undefined) keys.add(once.key);
    } else {
      left.push(waiting);
    }
  }
  lane.queue = left;
  return group;
}

/** Commits commands together and tells each what became of it. Should one fail, each is tried alone. */
async function commitGroup(
  connections: Connections,
  name: CommandName,
  group: readonly Waiting[],
  committed: () => void,
): Promise<void> {
  try {
    const outputs = await transact(connections, (session) => runTogether(session, name, group));
    committed();
    for (const [index, waiting] of group.entries()) waiting.resolve(outputs[index]);
  } catch (error) {
    const concernsAll =
      error instanceof DatabaseUnavailable || error instanceof DatabaseOutcomeUnknown;
    // A commit of which nothing is known may well have been one.
    if (error instanceof DatabaseOutcomeUnknown) committed();
    if (concernsAll || group.length === 1) {
      for (const waiting of group) waiting.reject(error);
    } else {
      for (const waiting of group) await commitGroup(connections, name, [waiting], committed);
    }
  }
}

async function runTogether(
  session: Session,
  name: CommandName,
  group: readonly Waiting[],
): Promise<unknown[]> {
  const run = runnerOf(name);
  const keys = group.flatMap(({ once }) => once ?? []);
  const [scope] = keys;
  if (scope === undefined)
    return run(
      session,
      group.map(({ input }) => input),
    );

  const found = await findOnceKeys(session, scope, keys);
  const fresh = group.filter(({ once }) => once === undefined || !found.has(once.key));
  const outputs = await run(
    session,
    fresh.map(({ input }) => input),
  );
  const outputOf = new Map(fresh.map((waiting, index) => [waiting, outputs[index]]));
  const done = fresh.flatMap((waiting) => {
    const output = outputOf.get(waiting);
    // Where nothing was done, such as in a workspace that is gone, there is nothing to repeat.
    return waiting.once === undefined || output === undefined
      ? []
      : [{ once: waiting.once, output }];
  });
  await storeOnceKeys(session, scope, done);

  return group.map((waiting) => {
    const { once } = waiting;
    if (once === undefined) return outputOf.get(waiting);
    const before = found.get(once.key);
    if (before === undefined) return { output: outputOf.get(waiting), replayed: false };
    return before.requestDigest === once.requestDigest
      ? { output: before.output, replayed: true }
      : 'key_reused';
  });
}
