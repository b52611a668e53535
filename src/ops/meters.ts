import { readdir, readFile } from 'node:fs/promises';
import {
  createHistogram,
  type Histogram,
  observe,
  secondsBounds,
} from '../domain/values/histogram.ts';

const sampleMilliseconds = 100;

/**
 * Measures ten times a second how late a timer runs. Other work waits for its turn as long. The runtime has its own histogram,
 * but loses values if two readers use it.
 */
export function watchEventLoop(): { readonly lagSeconds: Histogram } & Disposable {
  const lagSeconds = createHistogram(secondsBounds);
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    observe(lagSeconds, Math.max(0, now - last - sampleMilliseconds) / 1000);
    last = now;
  }, sampleMilliseconds);
  timer.unref();
  return { lagSeconds, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Counts the open files, sockets and pipes of the process, and reads their limit. Empty on systems without /proc. */
export async function readOpenFiles(): Promise<{ readonly open?: number; readonly max?: number }> {
  try {
    const [names, limits] = await Promise.all([
      readdir('/proc/self/fd'),
      readFile('/proc/self/limits', 'utf8'),
    ]);
    const [, softLimit] = /^Max open files +([0-9]+)/m.exec(limits) ?? [];
    // It can be unlimited.
    return { open: names.length, ...(softLimit && { max: Number(softLimit) }) };
  } catch {
    return {};
  }
}

/**
 * Counts responses in plain numbers, because every request pays for it. The labels are operations, statuses and error codes, so
 * the number of counts is limited.
 */
export function createRequestMeters(errorCodes: readonly string[]) {
  const series: { operation: string; httpStatus: number; seconds: Histogram }[] = [];
  const refusals = Object.fromEntries(errorCodes.map((code) => [code, 0]));

  return {
    /** Responses with the same labels. */
    series,
    /** The number of responses with each error code. */
    refusals,
    /** Counts responses of an operation, or of documents, health checks and unknown paths. */
    meterOf(operation = 'other') {
      const byStatus = new Map<number, Histogram>();
      return (httpStatus: number, refusal: string | undefined, seconds: number): void => {
        let histogram = byStatus.get(httpStatus);
        if (histogram === undefined) {
          histogram = createHistogram(secondsBounds);
          byStatus.set(httpStatus, histogram);
          series.push({ operation, httpStatus, seconds: histogram });
        }
        observe(histogram, seconds);
        if (refusal !== undefined) refusals[refusal] = (refusals[refusal] ?? 0) + 1;
      };
    },
  };
}

export type RequestMeters = ReturnType<typeof createRequestMeters>;
