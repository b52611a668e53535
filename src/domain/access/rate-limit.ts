/** So many requests in so many seconds; `count` is also how many may come at once. */
export interface RateLimit {
  readonly count: number;
  readonly seconds: number;
}

const units = { s: 1, min: 60, h: 3600, d: 86_400 } as const;

const countMax = 1_000_000_000;

export const rateLimitRule = 'a whole number followed by /s, /min, /h or /d, such as 600/min';

/** Reads `600/min`. */
export function parseRateLimit(text: string): RateLimit | undefined {
  const match = /^([1-9][0-9]{0,9})\/(s|min|h|d)$/.exec(text);
  const count = Number(match?.[1] ?? 0);
  if (match === null || count > countMax) return undefined;
  return { count, seconds: units[match[2] as keyof typeof units] };
}

/** Writes what `parseRateLimit` reads. */
export function formatRateLimit({ count, seconds }: RateLimit): string {
  const unit = Object.entries(units).find(([, length]) => length === seconds)?.[0];
  return `${count}/${unit}`;
}

/** What one request left of a limit. */
export interface RateLimitState {
  readonly allowed: boolean;
  /** Requests that may come at once after this one. */
  readonly remaining: number;
  /** Seconds, rounded up: over which those may come evenly; where none may, until the next one may. */
  readonly waitSeconds: number;
}

/** For each caller, the time at which its allowance is whole again, in milliseconds of a steady clock. */
export type RateLimitTimes = Map<bigint | string, number>;

/**
 * The generic cell rate algorithm: an allowance that is used up by requests and comes back evenly. One
 * number a caller is all it keeps, nothing ticks, and no window has an edge at which twice as much passes.
 */
export function takeRequest(
  times: RateLimitTimes,
  callerId: bigint | string,
  { count, seconds }: RateLimit,
  now: number,
): RateLimitState {
  const intervalMilliseconds = (seconds * 1000) / count;
  const windowMilliseconds = seconds * 1000;
  const wholeAt = Math.max(times.get(callerId) ?? now, now);
  const nextWholeAt = wholeAt + intervalMilliseconds;
  // A hundredth of a millisecond more, lest rounding refuse the last request of a full allowance.
  const overdrawn = nextWholeAt - now - windowMilliseconds - 0.01;
  if (overdrawn > 0) {
    return { allowed: false, remaining: 0, waitSeconds: Math.max(1, Math.ceil(overdrawn / 1000)) };
  }
  times.set(callerId, nextWholeAt);
  const remaining = Math.floor(
    (windowMilliseconds - (nextWholeAt - now)) / intervalMilliseconds + 1e-6,
  );
  const waitMilliseconds =
    remaining === 0
      ? nextWholeAt + intervalMilliseconds - windowMilliseconds - now
      : remaining * intervalMilliseconds;
  return { allowed: true, remaining, waitSeconds: Math.max(1, Math.ceil(waitMilliseconds / 1000)) };
}

/** Forgets callers whose allowance is whole, and then those of longest ago, until there are at most so many. */
export function forgetCallers(times: RateLimitTimes, callersMax: number, now: number): void {
  if (times.size <= callersMax) return;
  for (const [callerId, wholeAt] of times) if (wholeAt <= now) times.delete(callerId);
  for (const callerId of times.keys()) {
    if (times.size <= callersMax) return;
    times.delete(callerId);
  }
}
