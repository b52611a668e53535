import {
  type CommandName,
  type CommandOutput,
  type CommitStatistics,
  type Database,
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
  DatabaseUnusable,
  type WrittenOnce,
} from '../domain/database.ts';
import {
  createCommitStatistics,
  isTooSlow,
  observeCommit,
  tooSlowLine,
  type WriterLimits,
} from '../domain/writer.ts';
import type { CommandOutcome, PendingCommand } from './group-commit.ts';
import { threadUrl } from './thread-url.ts';
import type { FromWriter, ToWriter } from './writer-thread.ts';

export interface Writer extends Pick<Database, 'write' | 'writeOnce' | 'broken'>, AsyncDisposable {
  /** Refuses all that is written from now on; `broken` tells why. */
  giveUp(reason: DatabaseUnavailable): void;
  readonly commits: CommitStatistics;
  /** Commands that wait for those before them. */
  readonly commandsWaiting: number;
}

interface Waiting extends PendingCommand {
  readonly since: number;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The road of every write: commands wait here while the thread flushes those before them, and then go to
 * it together. So the group grows with the load, and a lone command waits for nobody.
 */
export async function openWriter(path: string, limits: WriterLimits): Promise<Writer> {
  const { groupCommandsMax, queueCommandsMax, waitMillisecondsMax } = limits;
  const thread = new Worker(threadUrl('writer-thread.ts'));
  let queue: Waiting[] = [];
  let running: Waiting[] = [];
  let runningSince = 0;
  /** What the last group took. */
  let groupMilliseconds = 0;
  const commits = createCommitStatistics();
  let fault: DatabaseUnavailable | undefined;
  let hasDied = false;
  let closing = false;
  let watch: ReturnType<typeof setInterval> | undefined;

  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const broken = Promise.withResolvers<Error>();
  thread.onmessage = ({ data }: MessageEvent<FromWriter>) => {
    if ('outcomes' in data) {
      // They were told that nobody knows.
      if (fault !== undefined) return;
      const group = running;
      groupMilliseconds = performance.now() - runningSince;
      observeCommit(commits, groupMilliseconds, group.length);
      running = [];
      sendGroup();
      for (const [index, waiting] of group.entries()) settle(waiting, data.outcomes[index]);
    } else if ('opened' in data) {
      opened.resolve();
    } else if ('openFailed' in data) {
      opened.reject(new DatabaseUnusable(`${path} cannot be opened: ${data.openFailed}`));
    } else {
      closed.resolve();
    }
  };
  thread.onerror = (event) => {
    const error = new DatabaseUnavailable(`The writer failed: ${event.message}`);
    hasDied = true;
    giveUp(error);
    opened.reject(error);
    closed.resolve();
  };

  function giveUp(reason: DatabaseUnavailable): void {
    fault ??= reason;
    // What was under way may have been done; what waited was not.
    for (const waiting of running) waiting.reject(new DatabaseOutcomeUnknown(reason.message));
    for (const waiting of queue) waiting.reject(reason);
    running = [];
    queue = [];
    broken.resolve(reason);
  }

  function send(message: ToWriter): void {
    thread.postMessage(message);
  }

  function sendGroup(): void {
    if (running.length > 0) return;
    running = queue.splice(0, groupCommandsMax);
    if (running.length > 0) {
      runningSince = performance.now();
      send({ group: running.map(({ name, input, once }) => ({ name, input, once })) });
    } else if (closing) {
      send({ close: true, folds: fault !== undefined });
    } else {
      clearInterval(watch);
      watch = undefined;
    }
  }

  /** Ends the wait of those who have waited too long. What is under way may yet be done. */
  function endLongWaits(): void {
    const since = performance.now() - waitMillisecondsMax;
    for (const waiting of running) {
      if (waiting.since > since) break;
      waiting.reject(new DatabaseOutcomeUnknown('The disk did not answer in time'));
    }
    while (queue[0] !== undefined && queue[0].since <= since) {
      queue.shift()?.reject(new DatabaseUnavailable('The queue of writes did not move in time'));
    }
  }

  function enqueue(
    name: CommandName,
    input: unknown,
    once: PendingCommand['once'],
  ): Promise<unknown> {
    if (fault !== undefined) return Promise.reject(fault);
    if (closing) return Promise.reject(new DatabaseUnavailable('The database is closing'));
    if (queue.length >= queueCommandsMax) {
      return Promise.reject(new DatabaseUnavailable('The queue of writes is full'));
    }
    const since = performance.now();
    const line = { commandsWaiting: queue.length, runningSince, groupMilliseconds };
    if (running.length > 0 && isTooSlow(limits, line, since)) {
      return Promise.reject(new DatabaseUnavailable(tooSlowLine));
    }
    return new Promise((resolve, reject) => {
      queue.push({ name, input, once, since, resolve, reject });
      watch ??= setInterval(endLongWaits, waitMillisecondsMax / 20);
      // What arrives in the same turn of the event loop travels together.
      if (queue.length === 1) queueMicrotask(sendGroup);
    });
  }

  send({ open: path });
  try {
    await opened.promise;
  } catch (error) {
    thread.terminate();
    throw error;
  }

  return {
    giveUp,
    broken: broken.promise,
    commits,
    get commandsWaiting() {
      return queue.length;
    },
    write<Name extends CommandName>(name: Name, input: unknown) {
      return enqueue(name, input, undefined) as Promise<CommandOutput<Name>>;
    },
    writeOnce<Name extends CommandName>(name: Name, input: unknown, once: PendingCommand['once']) {
      return enqueue(name, input, once) as Promise<WrittenOnce<CommandOutput<Name>>>;
    },
    async [Symbol.asyncDispose]() {
      if (!closing && !hasDied) {
        closing = true;
        sendGroup();
      }
      await closed.promise;
      clearInterval(watch);
      thread.terminate();
    },
  };
}

function settle(waiting: Waiting, outcome: CommandOutcome | undefined): void {
  if (outcome === undefined) {
    waiting.reject(new Error('The writer gave no outcome'));
  } else if ('output' in outcome) {
    waiting.resolve(outcome.output);
  } else if (outcome.kind === 'unavailable' || outcome.kind === 'full') {
    waiting.reject(new DatabaseUnavailable(outcome.error, { isFull: outcome.kind === 'full' }));
  } else if (outcome.kind === 'outcome_unknown') {
    waiting.reject(new DatabaseOutcomeUnknown(outcome.error));
  } else {
    waiting.reject(new Error(`The writer refused ${waiting.name}: ${outcome.error}`));
  }
}
