import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
  DatabaseUnusable,
} from '../../domain/database/database-error.ts';
import type { EncodedError, ThreadCall, ThreadFunctions, ThreadReply } from './thread.ts';

/** An executable (`npm run build`) has its modules at the root, and the thread below it. */
const url = new URL(
  import.meta.url.includes('/$bunfs/') ? './sqlite/writer/thread.ts' : './thread.ts',
  import.meta.url,
).href;

/** Opens the thread of `thread.ts`. */
export function openThread() {
  const worker = new Worker(url);
  const died = Promise.withResolvers<Error>();
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
    const error = new DatabaseOutcomeUnknown(`The SQLite thread failed: ${event.message}`);
    abandon(error);
    died.resolve(error);
  };

  return {
    /** Settles when the thread dies. Later calls never settle. */
    died: died.promise,
    abandon,
    /** Calls a function of the thread. Calls run one after the other. */
    call<Name extends keyof ThreadFunctions>(
      name: Name,
      ...input: Parameters<ThreadFunctions[Name]>
    ): Promise<Awaited<ReturnType<ThreadFunctions[Name]>>> {
      const call = Promise.withResolvers<unknown>();
      calls.push(call);
      worker.postMessage({ name, input } satisfies ThreadCall);
      return call.promise as Promise<never>;
    },
    [Symbol.dispose]: () => worker.terminate(),
  };
}

/** The error with its original class and stack. */
export function decodeError({ name, message, stack, isFull }: EncodedError): Error {
  const error = new (classes[name] ?? Error)(message, { isFull });
  if (stack !== undefined) error.stack = stack;
  return error;
}

type ErrorClass = new (message: string, options: { readonly isFull: boolean }) => Error;

const classes: Readonly<Record<string, ErrorClass>> = {
  DatabaseUnavailable,
  DatabaseOutcomeUnknown,
  DatabaseUnusable,
};
