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

export interface OpenFiles {
  /** Files, sockets and pipes that the process has open. */
  readonly open: number;
  readonly max: number;
}

/** Counts the open files of the process, and reads their limit. Undefined on systems without /proc. */
export async function readOpenFiles(): Promise<OpenFiles | undefined> {
  try {
    const [names, limits] = await Promise.all([
      readdir('/proc/self/fd'),
      readFile('/proc/self/limits', 'utf8'),
    ]);
    const [, softLimit] = /^Max open files +([0-9]+)/m.exec(limits) ?? [];
    return { open: names.length, max: Number(softLimit) };
  } catch {
    return undefined;
  }
}
