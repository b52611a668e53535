import type { Log } from './log.ts';

export interface OutageLogOptions {
  readonly log: Log;
  /** Reads and writes. Rejects while storage fails. */
  readonly checkStorage: () => Promise<unknown>;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
}

export interface OutageLog extends Disposable {
  /** Call this when storage rejects a request. */
  readonly rejected: () => void;
}

const checkMilliseconds = 1000;

/**
 * Logs when storage works again after it rejected requests. During the outage, storage is checked each second, unless it
 * rejected a request in that second, so that the line does not depend on requests.
 */
export function createOutageLog({ log, checkStorage, steadyNow }: OutageLogOptions): OutageLog {
  let timer: ReturnType<typeof setInterval> | undefined;
  let startedAt = 0;
  let rejections = 0;
  let rejectionsSeen = 0;
  let isChecking = false;

  function end(): void {
    clearInterval(timer);
    timer = undefined;
  }

  async function check(): Promise<void> {
    isChecking = true;
    const works = await checkStorage().then(
      () => true,
      () => false,
    );
    isChecking = false;
    if (timer === undefined || !works || rejections > rejectionsSeen) return;
    end();
    // At the level `warn`, because the outage was logged at `error`.
    log.warn({ seconds: Math.round((steadyNow() - startedAt) / 1000) }, 'storage works again');
  }

  function checkUnlessRejected(): void {
    if (isChecking) return;
    if (rejections === rejectionsSeen) void check();
    rejectionsSeen = rejections;
  }

  return {
    rejected() {
      rejections += 1;
      if (timer !== undefined) return;
      startedAt = steadyNow();
      timer = setInterval(checkUnlessRejected, checkMilliseconds);
      timer.unref();
    },
    [Symbol.dispose]: end,
  };
}
