import { readdir, readFile } from 'node:fs/promises';
import { every } from '../context/deadline.ts';
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
  const timer = every(sampleMilliseconds, () => {
    const now = performance.now();
    observe(lagSeconds, Math.max(0, now - last - sampleMilliseconds) / 1000);
    last = now;
  });
  return { lagSeconds, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/** Counts the open files, sockets and pipes of the process, and reads their limit. Empty on systems without /proc. */
export async function readOpenFiles(): Promise<{
  readonly open?: number;
  readonly max?: number | undefined;
}> {
  try {
    const [names, limits] = await Promise.all([
      readdir('/proc/self/fd'),
      readFile('/proc/self/limits', 'utf8'),
    ]);
    const [, softLimit] = /^Max open files +([0-9]+)/m.exec(limits) ?? [];
    // It can be unlimited.
    return { open: names.length, max: softLimit === undefined ? undefined : Number(softLimit) };
  } catch {
    return {};
  }
}
