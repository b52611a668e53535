import { every } from '../context/deadline.ts';
import type { Log } from './log.ts';

const checkMilliseconds = 1000;

/**
 * Logs when storage works again after an outage. During the outage, storage is checked each second, unless a request failed in
 * that second, so that the line does not depend on requests.
 */
export function createOutageLog(
  log: Log,
  /** Reads and writes. Rejects while storage fails. */
  checkStorage: () => Promise<unknown>,
  /** Milliseconds of a clock that is never set. */
  steadyNow: () => number,
) {
  let timer: Disposable | undefined;
  let startedAt = 0;
  let faults = 0;
  let faultsSeen = 0;

  function end(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
  }

  async function check(): Promise<void> {
    if (faults > faultsSeen) {
      faultsSeen = faults;
      return;
    }
    const works = await checkStorage().then(
      () => true,
      () => false,
    );
    if (timer === undefined || !works || faults > faultsSeen) return;
    end();
    // At the level `warn`, because the outage was logged at `error`.
    log.warn({ seconds: Math.round((steadyNow() - startedAt) / 1000) }, 'storage works again');
  }

  return {
    /** Call this when a request fails in storage. */
    failed(): void {
      faults += 1;
      if (timer !== undefined) return;
      startedAt = steadyNow();
      timer = every(checkMilliseconds, check);
    },
    [Symbol.dispose]: end,
  };
}
