import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Actions } from './in-bun.ts';

type Remote<Action> = Action extends (...args: infer Args) => infer Result
  ? (...args: Args) => Promise<Awaited<Result>>
  : never;

export interface BunProcess extends AsyncDisposable {
  /** Runs an action of `in-bun.ts` there. */
  readonly bun: { readonly [Name in keyof Actions]: Remote<Actions[Name]> };
}

const folder = import.meta.dirname;
const bunPath = join(folder, '../../../node_modules/.bin/bun');

/** Starts the process in Bun. */
export function startBunProcess(): BunProcess {
  const child = spawn(bunPath, [join(folder, 'in-bun.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  child.on('message', ({ id, result, error }: { id: number; result: never; error?: string }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  });
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`Bun ended with ${code}`));
  });
  let count = 0;
  const call = (name: string, args: readonly unknown[]) => {
    const answered = newPromise();
    count += 1;
    waiting.set(count, answered);
    child.send({ id: count, name, args });
    return answered.promise;
  };
  return {
    bun: new Proxy({} as BunProcess['bun'], {
      get:
        (_target, name: string) =>
        (...args: readonly unknown[]) =>
          call(name, args),
    }),
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}

/** As `Promise.withResolvers`, which Node 20 lacks. */
function newPromise(): PromiseWithResolvers<never> {
  let settle: Omit<PromiseWithResolvers<never>, 'promise'> | undefined;
  const promise = new Promise<never>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new Error('A promise calls its function at once');
  return { promise, ...settle };
}
