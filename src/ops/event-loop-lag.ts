import {
  createHistogram,
  type Histogram,
  observe,
  secondsBounds,
} from '../domain/values/histogram.ts';

const sampleMilliseconds = 100;

/**
 * How much later than asked a timer runs, ten times a second: so long, at that moment, anything else would have waited
 * for its turn as well. A counted histogram, unlike the runtime's own, loses nothing when two ask for it.
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
