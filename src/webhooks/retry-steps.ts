import type { AttemptResult } from '../domain/webhook.ts';

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

/** Answers that say how long the endpoint takes no event (RFC 6585, section 4; RFC 9110, section 15.6.4). */
const throttlingStatuses: readonly (number | undefined)[] = [429, 503];

/**
 * Milliseconds until the next attempt if the endpoint limits its rate: it answered 429 or 503 with a `Retry-After` up to the length of the
 * step after `failures` failures. Undefined for any other failure.
 */
export function throttleDelay(
  { httpStatus, retryAfterSeconds }: Pick<AttemptResult, 'httpStatus' | 'retryAfterSeconds'>,
  failures: number,
  random: () => number,
): number | undefined {
  if (retryAfterSeconds === undefined || !throttlingStatuses.includes(httpStatus)) return undefined;
  const requested = Math.max(retryAfterSeconds * 1000, secondMilliseconds);
  return requested > stepOf(failures) ? undefined : Math.round(requested * (1 + jitter * random()));
}

/** The last step repeats. */
function stepOf(failures: number): number {
  return stepsMilliseconds[failures - 1] ?? 24 * hourMilliseconds;
}

/**
 * Milliseconds until the attempt after `failures` failures, at least 1. `Retry-After` can extend a step, up to a day. `random` returns 0 to 1.
 */
export function retryDelay(
  failures: number,
  random: () => number,
  retryAfterSeconds: number | undefined,
): number {
  const delay = Math.round(stepOf(failures) * (1 - jitter + 2 * jitter * random()));
  const requested = (retryAfterSeconds ?? 0) * 1000;
  return Math.max(delay, Math.min(requested, retryAfterMillisecondsMax));
}
