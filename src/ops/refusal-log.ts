import type { Log } from './log.ts';

const messages = {
  'sign-in': 'sign-in refused',
  origin: 'request to the console refused: its origin is forbidden',
} as const;

type Refusal = keyof typeof messages;

/** Rejections of one kind since the first line about them. */
interface Window {
  count: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

const windowMilliseconds = 60_000;
const linesMax = 20;

/**
 * Logs rejected requests, at most `linesMax` lines a minute of each kind, so that guessed keys do not fill the disk. Then one
 * line has the number of `requests` without a line. Disposing of the log writes this line at once.
 */
export function createRefusalLog(log: Log) {
  const windows = new Map<Refusal, Window>();

  function endWindow(refusal: Refusal, { count, timer }: Window): void {
    clearTimeout(timer);
    windows.delete(refusal);
    const requests = count - linesMax;
    if (requests > 0) log.warn({ requests }, `${messages[refusal]}; requests without a line`);
  }

  function openWindow(refusal: Refusal): Window {
    const timer = setTimeout(() => endWindow(refusal, opened), windowMilliseconds);
    timer.unref();
    const opened: Window = { count: 0, timer };
    windows.set(refusal, opened);
    return opened;
  }

  return {
    /** The log has all members of the request. */
    refused({ refusal, ...request }: { readonly refusal: Refusal }): void {
      const window = windows.get(refusal) ?? openWindow(refusal);
      window.count += 1;
      if (window.count <= linesMax) log.warn(request, messages[refusal]);
    },
    [Symbol.dispose]() {
      for (const [refusal, window] of windows) endWindow(refusal, window);
    },
  };
}
