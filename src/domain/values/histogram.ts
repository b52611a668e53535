/** Counts of values up to each bound. */
export interface Histogram {
  /** Rising. */
  readonly bounds: readonly number[];
  /**
   * The count of values above the previous bound and up to the bound with the same index. The last count is of values above all
   * bounds.
   */
  readonly counts: number[];
  sum: number;
}

/** From the duration of a cached page to the longest time that clients wait. */
export const secondsBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const;

/** For numbers of commands that share a transaction. */
export const countBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const;

export function createHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: Array(bounds.length + 1).fill(0), sum: 0 };
}

/** Most values are small, so the search begins with the smallest bound. */
export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram;
  let index = 0;
  while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1;
  counts[index] = (counts[index] ?? 0) + 1;
  histogram.sum += value;
}
