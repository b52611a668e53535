import { after } from '../context/deadline.ts';
import type { Log } from './log.ts';

const messages = {
  'sign-in': 'sign-in refused',
  origin: 'request to the console refused: its origin is forbidden',
} as const;

type Refusal = keyof typeof messages;

/** Refusals of one kind since the first line about them. */
interface Period {
  count: number;
  readonly timer: Disposable;
}

const periodMilliseconds = 60_000;
const linesMax = 20;

/**
 * Logs refused requests, at most `linesMax` lines a minute of each kind, so that guessed keys do not fill the disk. Then one
 * line has the number of `requests` without a line. Disposing of the log writes this line at once.
 */
export function createRefusalLog(log: Log) {
  const periods = new Map<Refusal, Period>();

  function endPeriod(refusal: Refusal, { count, timer }: Period): void {
    timer[Symbol.dispose]();
    periods.delete(refusal);
    const requests = count - linesMax;
    if (requests > 0) log.warn({ requests }, `${messages[refusal]}; requests without a line`);
  }

  function startPeriod(refusal: Refusal): Period {
    const timer = after(periodMilliseconds, () => endPeriod(refusal, started));
    const started: Period = { count: 0, timer };
    periods.set(refusal, started);
    return started;
  }

  return {
    /** Logs all members of the request. */
    refused({ refusal, ...request }: { readonly refusal: Refusal }): void {
      const period = periods.get(refusal) ?? startPeriod(refusal);
      period.count += 1;
      if (period.count <= linesMax) log.warn(request, messages[refusal]);
    },
    [Symbol.dispose]() {
      for (const [refusal, period] of periods) endPeriod(refusal, period);
    },
  };
}
