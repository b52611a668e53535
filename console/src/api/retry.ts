import { isAnimalStoreError } from '../../../client/src/error.ts';
import { isRetryable, pause } from '../../../client/src/retry.ts';
import type { AnimalStore } from '../../../client/src/store.ts';

/** The page retries by itself, so that a row that cannot be added does not wait for ten seconds each time. */
export const oneAttempt = { retryMillisecondsMax: 0 } as const;

const failuresMax = 5;
const waitMilliseconds = 1000;

export interface Stops {
  /** Ends the work after the requests that run. Their answers are recorded. */
  readonly stop: AbortSignal;
  /** Ends the requests too, because another session or workspace is shown. */
  readonly signal: AbortSignal;
}

interface RetryOptions extends Stops {
  readonly sessionApi: Pick<AnimalStore, 'inventory'>;
  readonly onWaiting: () => void;
}

/** Runs a call until it succeeds. */
export type Retry = <Value>(act: () => Promise<Value>) => Promise<Value>;

/**
 * Retries a call while the server cannot be reached, is overloaded or limits requests. A call that fails five times with an answer
 * of 5xx fails, because the request itself may be the reason.
 */
export function createRetry({ stop, signal, sessionApi, onWaiting }: RetryOptions): Retry {
  async function isUnavailable(error: unknown): Promise<boolean> {
    if (!isAnimalStoreError(error)) return false;
    const { code, httpStatus = 0, retryAfterSeconds } = error;
    if (httpStatus < 500) return true;
    if (code !== 'unexpected_response')
      return httpStatus === 503 && retryAfterSeconds !== undefined;
    // A proxy answered. While the server is away, it answers other requests in the same way.
    return sessionApi.inventory.count({ ...oneAttempt, signal }).then(
      () => false,
      () => true,
    );
  }

  return async (act) => {
    for (let failures = 0; ; ) {
      stop.throwIfAborted();
      try {
        return await act();
      } catch (error) {
        signal.throwIfAborted();
        if (!isAnimalStoreError(error) || !isRetryable(error)) throw error;
        stop.throwIfAborted();
        onWaiting();
        if (await isUnavailable(error)) {
          await pause((error.retryAfterSeconds ?? 0) * 1000 || waitMilliseconds, stop);
        } else {
          failures += 1;
          if (failures === failuresMax) throw error;
          await pause(250 * failures, stop);
        }
      }
    }
  };
}

/** A handler that returns undefined for an error with this code. */
export function undefinedIf(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!isAnimalStoreError(error, code)) throw error;
  };
}

/** Reports at most four times a second, because drawing takes longer than a change. The last report is never left out. */
export function createReport(onProgress: (isWaiting: boolean) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let next: boolean | undefined;
  function report(isWaiting: boolean): void {
    next = undefined;
    timer = setTimeout(() => {
      timer = undefined;
      if (next !== undefined) report(next);
    }, 250);
    onProgress(isWaiting);
  }
  return (isWaiting: boolean, isLast = false): void => {
    next = isWaiting;
    if (isLast) clearTimeout(timer);
    if (isLast || timer === undefined) report(isWaiting);
  };
}
