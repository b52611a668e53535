import type { Awaitable } from '../domain/values/awaitable.ts';

// The timers of this program, with repeat.ts. A timer that only watches does not keep the process alive.

/** Waits, at most until the signal is aborted. It never rejects. */
export function rest(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (milliseconds <= 0 || signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });
}

/** Lets everything else run that is ready, such as other requests, before a long piece of work continues. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Runs a function once after a time, unless it is disposed of before. */
export function after(milliseconds: number, run: () => void): Disposable {
  const timer = setTimeout(run, milliseconds);
  timer.unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/**
 * Repeats work until it is disposed of. Each rest begins when the work has ended, so that slow work never runs twice at once. The
 * work must not reject.
 */
export function every(milliseconds: number, work: () => Awaitable<void>): Disposable {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;

  function start(): void {
    if (isEnded) return;
    timer = setTimeout(run, milliseconds);
    timer.unref();
  }

  function run(): void {
    const working = work();
    if (working instanceof Promise) void working.then(start);
    else start();
  }

  start();
  return {
    [Symbol.dispose]() {
      isEnded = true;
      clearTimeout(timer);
    },
  };
}

/** Waits for a promise for a limited time. Returns false if it is still pending then, and throws if it rejects before. */
export async function settlesWithin(
  promise: Promise<unknown>,
  milliseconds: number,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A signal that is aborted after a time. */
export function timeout(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(milliseconds);
}
