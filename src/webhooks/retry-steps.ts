const secondMilliseconds = 1000;
const minuteMilliseconds = 60 * secondMilliseconds;
const hourMilliseconds = 60 * minuteMilliseconds;

/** The delays before the attempts after a failure, as the Standard Webhooks specification recommends. */
const stepsMilliseconds = [
  5 * secondMilliseconds,
  5 * minuteMilliseconds,
  30 * minuteMilliseconds,
  2 * hourMilliseconds,
  5 * hourMilliseconds,
  10 * hourMilliseconds,
  14 * hourMilliseconds,
  20 * hourMilliseconds,
  24 * hourMilliseconds,
] as const;

/** The first attempt and one for each step. */
export const attemptsMax = stepsMilliseconds.length + 1;

const retryAfterMillisecondsMax = 24 * hourMilliseconds;

/** Delays vary by this share, so that endpoints that failed together are not called together. */
const jitter = 0.2;

/**
 * Milliseconds until the attempt after `failures` failures, at least 1. The last step repeats. `Retry-After` can extend a step, up to a
 * day. `random` returns 0 to 1.
 */
export function retryDelay(
  failures: number,
  random: () => number,
  retryAfterSeconds: number | undefined,
): number {
  const step = stepsMilliseconds[failures - 1] ?? 24 * hourMilliseconds;
  const delay = Math.round(step * (1 - jitter + 2 * jitter * random()));
  const requested = (retryAfterSeconds ?? 0) * 1000;
  return Math.max(delay, Math.min(requested, retryAfterMillisecondsMax));
}
