import type { Log } from './log.ts';

/** A request to the console that was refused. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly address?: string | undefined;
  readonly refusal: keyof typeof messages;
  readonly reason: string;
}

const messages = {
  'sign-in': 'sign-in refused',
  origin: 'request to the console refused: its origin is forbidden',
} as const;

export interface RefusalLog extends Disposable {
  readonly refused: (request: RefusedRequest) => void;
}

/** Refusals of one kind since the first line about them. */
interface Window {
  count: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

const windowMilliseconds = 60_000;
const linesMax = 20;

/**
 * Logs refused requests, at most so many lines a minute of each kind, so that guesses fill no disk. Then one line says how
 * many `requests` had none. Disposing of the log writes this line at once.
 */
export function createRefusalLog(log: Log): RefusalLog {
  const windows = new Map<RefusedRequest['refusal'], Window>();

  function endWindow(refusal: RefusedRequest['refusal'], { count, timer }: Window): void {
    clearTimeout(timer);
    windows.delete(refusal);
    const requests = count - linesMax;
    if (requests > 0) log.warn({ requests }, `${messages[refusal]}; requests without a line`);
  }

  function openWindow(refusal: RefusedRequest['refusal']): Window {
    const timer = setTimeout(() => endWindow(refusal, opened), windowMilliseconds);
    timer.unref();
    const opened: Window = { count: 0, timer };
    windows.set(refusal, opened);
    return opened;
  }

  return {
    refused({ refusal, ...request }) {
      const window = windows.get(refusal) ?? openWindow(refusal);
      window.count += 1;
      if (window.count <= linesMax) log.warn(request, messages[refusal]);
    },
    [Symbol.dispose]() {
      for (const [refusal, window] of windows) endWindow(refusal, window);
    },
  };
}
