/** The middle value; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** How far apart the values lie, as a share of their median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/**
 * The median of the ratios of values taken one after the other. What slows a shared machine down for a
 * while slows both, and so leaves each ratio, more than it leaves the values.
 */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  const pairs = Math.min(above.length, below.length);
  return median(above.slice(0, pairs).map((value, index) => value / (below[index] ?? Number.NaN)));
}
