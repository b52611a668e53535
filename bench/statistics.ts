/** The middle value. Of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * The median of the ratios of values that were measured one after the other. If a shared machine is slow for a while, both
 * values change, and their ratio changes less.
 */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  const pairs = Math.min(above.length, below.length);
  return median(above.slice(0, pairs).map((value, index) => value / (below[index] ?? Number.NaN)));
}

/**
 * The 95 % interval of the median, for any distribution: the number of values below the median follows a binomial
 * distribution. It needs at least 6 values (NIST/SEMATECH e-Handbook, 7.2.4).
 */
export function medianBounds(values: readonly number[]): readonly [lower: number, upper: number] {
  const sorted = values.toSorted((left, right) => left - right);
  const count = sorted.length;
  let outside = 0;
  let probability = 0.5 ** count;
  let ways = probability;
  while (2 * ways <= 0.05) {
    outside += 1;
    probability *= (count - outside + 1) / outside;
    ways += probability;
  }
  return [sorted[outside - 1] ?? Number.NaN, sorted[count - outside] ?? Number.NaN];
}
