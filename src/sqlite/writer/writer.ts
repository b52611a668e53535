import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
  DatabaseUnusable,
} from '../../domain/database/database-error.ts';
import type { GroupOutcome, PendingCommand } from '../../storage/commands/commit-group.ts';
import { readMessage, toMessage } from './message.ts';
import type { EncodedError, ThreadCall, ThreadFunctions, ThreadReply } from './thread.ts';

/** An executable (`npm run build`) has its modules at the root, and the thread below it. */
const url = new URL(
  import.meta.url.includes('/$bunfs/') ? './sqlite/writer/thread.ts' : './thread.ts',
  import.meta.url,
).href;

/** Writes to a file in a separate thread. */
export async function openWriter(path: string) {
  using opening = new DisposableStack();
  const thread = opening.use(openThread());
  await thread.call('open', path);
  const open = opening.move();
  const broken = Promise.withResolvers<Error>();
  let fault: DatabaseUnavailable | undefined;
  let hasDied = false;

  /** Rejects all later writes, and settles `broken`. */
  function giveUp(reason: DatabaseUnavailable): void {
    fault ??= reason;
    // The running group may be committed.
    thread.abandon(new DatabaseOutcomeUnknown(reason.message));
    broken.resolve(reason);
  }

  thread.died.then(({ message }) => {
    hasDied = true;
    giveUp(new DatabaseUnavailable(message));
  });

  return {
    broken: broken.promise,
    giveUp,
    /** The memory must stay mapped until the writer is disposed of. */
    shareCommits: (...shared: Parameters<ThreadFunctions['shareCommits']>) =>
      thread.call('shareCommits', ...shared),
    /** Commits a group. The caller waits for the end of each group. */
    async commit(group: readonly PendingCommand[]): Promise<readonly GroupOutcome[]> {
      if (fault !== undefined) throw fault;
      const outcomes = readMessage(await thread.call('commit', toMessage(group)));
      return outcomes.map((outcome) =>
        'error' in outcome ? { error: decodeError(outcome.error) } : outcome,
      );
    },
    async pauseCheckpoints(): Promise<void> {
      if (fault !== undefined) throw fault;
      await thread.call('pauseCheckpoints');
    },
    async shortenLog(): Promise<boolean> {
      if (fault !== undefined) throw fault;
      return await thread.call('shortenLog', path);
    },
    async [Symbol.asyncDispose]() {
      if (!hasDied) await thread.call('close', fault !== undefined);
      open.dispose();
    },
  };
}

/** Opens the thread of `thread.ts`. */
export function openThread() {
  const worker = new Worker(url);
  const died = Promise.withResolvers<Error>();
  let death: Error | undefined;
  /** Replies come in the order of the calls. */
  const calls: PromiseWithResolvers<unknown>[] = [];

  /** Rejects all calls that are running. */
  function abandon(reason: Error): void {
    for (const call of calls) call.reject(reason);
  }

  worker.onmessage = ({ data }: MessageEvent<ThreadReply>) => {
    const call = calls.shift();
    if ('error' in data) call?.reject(decodeError(data.error));
    else call?.resolve(data.result);
  };
  worker.onerror = (event) => {
    death = new DatabaseOutcomeUnknown(`The SQLite thread failed: ${event.message}`);
    abandon(death);
    died.resolve(death);
  };

  return {
    /** Settles when the thread dies. Later calls fail. */
    died: died.promise,
    abandon,
    /** Calls a function of the thread. Calls run one after the other. */
    call<Name extends keyof ThreadFunctions>(
      name: Name,
      ...input: Parameters<ThreadFunctions[Name]>
    ): Promise<Awaited<ReturnType<ThreadFunctions[Name]>>> {
      if (death !== undefined) return Promise.reject(death);
      const call = Promise.withResolvers<unknown>();
      calls.push(call);
      worker.postMessage({ name, input } satisfies ThreadCall);
      return call.promise as Promise<never>;
    },
    [Symbol.dispose]: () => worker.terminate(),
  };
}

/** The error with its stack. Errors of the database keep their class. */
function decodeError({ name, message, stack, ...flags }: EncodedError): Error {
  const error = new (classes[name] ?? Error)(message, flags);
  if (stack !== undefined) error.stack = stack;
  return error;
}

type ErrorClass = new (message: string, flags: Pick<EncodedError, 'isFull' | 'isDamaged'>) => Error;

const classes: Readonly<Record<string, ErrorClass>> = {
  DatabaseUnavailable,
  DatabaseOutcomeUnknown,
  DatabaseUnusable,
};
