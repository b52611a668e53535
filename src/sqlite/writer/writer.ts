import type { GroupOutcome, PendingCommand } from '../../storage/contract/command-writer.ts';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
  DatabaseUnusable,
} from '../../storage/contract/database-error.ts';
import { endWithoutClosing } from '../file/end-without-closing.ts';
import type {
  EncodedError,
  EncodedOutcome,
  ThreadCall,
  ThreadFunctions,
  ThreadReply,
} from './thread.ts';

/** An executable (`npm run build`) has its modules at the root, and the thread below it. */
const url = new URL(
  import.meta.url.includes('/$bunfs/') ? './sqlite/writer/thread.ts' : './thread.ts',
  import.meta.url,
).href;

/**
 * Writes to a file in a separate thread. The files may be closed after it was disposed of, unless it `isLost`. `onBehind` is called
 * when a commit cannot be recorded in `NAME.life`.
 */
export async function openWriter(path: string, onBehind: () => void = () => {}) {
  using opening = new DisposableStack();
  const thread = opening.use(openThread());
  await thread.call('open', path);
  const open = opening.move();
  const broken = Promise.withResolvers<Error>();
  let fault: DatabaseUnavailable | undefined;
  let hasDied = false;
  let isLost = false;

  /** Rejects all later writes, and settles `broken`. The running group may be committed. */
  function giveUp(reason: DatabaseUnavailable): void {
    fault ??= reason;
    thread.abandon(new DatabaseOutcomeUnknown(reason.message));
    broken.resolve(reason);
  }

  /** Another program changed what is in the files. From now on, no connection may close, because that would checkpoint the log. */
  function lose(line: string): void {
    isLost = true;
    endWithoutClosing();
    thread.unref();
    giveUp(new DatabaseUnavailable(line));
  }

  thread.died.then(({ message }) => {
    hasDied = true;
    giveUp(new DatabaseUnavailable(message));
  });

  return {
    broken: broken.promise,
    giveUp,
    /** Whether the files were changed. Then the thread keeps its connection until the process ends. */
    get isLost(): boolean {
      return isLost;
    },
    /** Calls before the first commit. Files must stay open, and memory mapped, until the writer is disposed of. */
    call: thread.call,
    /** Finds changed files while nothing is committed. A thread that has ended reports it itself. */
    async checkFiles(): Promise<void> {
      if (fault !== undefined) return;
      const lost = await thread.call('check').catch(() => undefined);
      if (lost !== undefined) lose(lost);
    },
    /** The caller waits for the end of each group. */
    async commit(group: readonly PendingCommand[]): Promise<readonly GroupOutcome[]> {
      if (fault !== undefined) throw fault;
      const { outcomes, lost, isBehind } = await thread.call('commit', group);
      if (lost !== undefined) lose(lost);
      if (isBehind === true) onBehind();
      return outcomes.map(decodeOutcome);
    },
    async pauseCheckpoints() {
      if (fault !== undefined) throw fault;
      await thread.call('pauseCheckpoints');
    },
    async shortenWal(): Promise<boolean> {
      if (fault !== undefined) throw fault;
      return await thread.call('shortenWal', path);
    },
    /** Settles `broken` if the files were changed, and nothing found that before. */
    async [Symbol.asyncDispose]() {
      if (isLost) return;
      const lost = hasDied ? undefined : await thread.call('close', fault !== undefined);
      if (lost === undefined) open.dispose();
      else lose(lost);
    },
  };
}

function decodeOutcome(outcome: EncodedOutcome): GroupOutcome {
  return 'error' in outcome ? { error: decodeError(outcome.error) } : outcome;
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
      worker.postMessage({ name, input } satisfies ThreadCall);
      calls.push(call);
      return call.promise as Promise<never>;
    },
    /** Lets the process end while the thread exists. */
    unref: () => worker.unref(),
    [Symbol.dispose]: () => worker.terminate(),
  };
}

/** The error with its stack. Errors of the database keep their class. */
function decodeError({ name, message, stack, ...flags }: EncodedError): Error {
  const error = new (classes[name] ?? Error)(message, flags);
  if (stack !== undefined) error.stack = stack;
  return error;
}

type Flags = ErrorOptions & Pick<EncodedError, 'isFull' | 'isDamaged'>;
type ErrorClass = new (message: string, flags: Flags) => Error;

const classes: Readonly<Record<string, ErrorClass>> = {
  DatabaseUnavailable,
  DatabaseOutcomeUnknown,
  DatabaseUnusable,
};
