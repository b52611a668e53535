/** How often values were up to each bound, as counts that cost nothing to keep and can be read at any time. */
export interface Histogram {
  /** Rising. */
  readonly bounds: readonly number[];
  /** Values above the bound before and up to the bound of the same place; the last count is of those above all. */
  readonly counts: number[];
  sum: number;
}

/** From a tenth of a millisecond, which a cached page takes, to the longest that anybody waits. */
export const secondsBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const;

/** Of things that are counted, up to as many as share a transaction. */
export const countBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const;

export function createHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: Array(bounds.length + 1).fill(0), sum: 0 };
}

/** From the smallest bound up: most values are small. */
export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram;
  let place = 0;
  while (place < bounds.length && value > (bounds[place] ?? 0)) place += 1;
  counts[place] = (counts[place] ?? 0) + 1;
  histogram.sum += value;
}
