import type { AnimalStoreError } from './error.ts';

export const retryMillisecondsMaxDefault = 10_000;
const delayMillisecondsMax = 8000;

/** A longer delay would overflow the timers of JavaScript, which then fire at once. */
const timerMillisecondsMax = 2 ** 31 - 1;

/** Whether the same request can succeed later. Every write has an Idempotency-Key, so that it is safe to repeat. */
export function isRetryable({ code, httpStatus = 0 }: AnimalStoreError): boolean {
  return (
    code === 'connection_failed' ||
    code === 'timed_out' ||
    code === 'idempotency_in_progress' ||
    httpStatus === 429 ||
    httpStatus >= 500
  );
}

/**
 * The time of `Retry-After`, and exponential backoff with full jitter after it. Without the jitter, clients that failed together
 * would retry together.
 */
export function delayOf({ retryAfterSeconds = 0 }: AnimalStoreError, failures: number): number {
  const jitterMax = Math.min(delayMillisecondsMax, 500 * 2 ** failures);
  return retryAfterSeconds * 1000 + Math.random() * jitterMax;
}

/**
 * Plans the retries of one call: milliseconds until the next attempt, or undefined after the last one. The time counts from
 * the first failure, because a first attempt that times out takes as long as all retries together.
 */
export function planRetries(retryMillisecondsMax: number) {
  let failures = 0;
  let deadline = 0;
  return (error: AnimalStoreError): number | undefined => {
    const now = performance.now();
    if (failures === 0) deadline = now + retryMillisecondsMax;
    const remaining = deadline - now;
    const delayMin = (error.retryAfterSeconds ?? 0) * 1000;
    if (!isRetryable(error) || !(remaining > 0) || delayMin > remaining) return undefined;
    failures += 1;
    // The last attempt is at the deadline, so that an outage shorter than the limit fails no call.
    return Math.min(delayOf(error, failures - 1), remaining);
  };
}

/** Waits, or throws what the signal was aborted with. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, Math.min(milliseconds, timerMillisecondsMax));
    signal?.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
  signal?.throwIfAborted();
}

/**
 * Runs a request with a signal that aborts with the signal of the caller, or when the time is up. `AbortSignal.any` is missing in
 * browsers of 2023, and in Node.js 22 each call of it leaves memory at a signal that lives on.
 */
export async function inTime<Value>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (ended: AbortSignal, isLate: () => boolean) => Promise<Value>,
): Promise<Value> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      ending.abort();
    },
    Math.min(milliseconds, timerMillisecondsMax),
  );
  const abort = () => ending.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await run(ending.signal, () => isLate);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
