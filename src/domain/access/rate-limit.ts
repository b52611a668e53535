/** `count` requests in `seconds` seconds; `count` requests may also come at once. */
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

/** The state of a limit after one or several requests. */
export interface RateLimitState {
  readonly allowed: boolean;
  /** How many of the requests are allowed. */
  readonly admittedCount: number;
  /** Requests that may come at once after this one. */
  readonly remaining: number;
  /** The seconds, rounded up, over which `remaining` requests may be spread, or until the next request if none remain. */
  readonly waitSeconds: number;
}

/** For each caller, the time when its full allowance is available again, in milliseconds of a steady clock. */
export type RateLimitTimes = Map<bigint | string, number>;

/**
 * The generic cell rate algorithm: requests use up an allowance, which grows back evenly. It keeps one number for each caller
 * and needs no timer. No window has an edge at which a caller can send twice as many requests. Of several requests at once, as many
 * are counted as are allowed.
 */
export function takeRequest(
  times: RateLimitTimes,
  callerId: bigint | string,
  { count, seconds }: RateLimit,
  now: number,
  requestCount = 1,
): RateLimitState {
  const intervalMilliseconds = (seconds * 1000) / count;
  const windowMilliseconds = seconds * 1000;
  const fullAt = Math.max(times.get(callerId) ?? now, now);
  const allowance = (now + windowMilliseconds + 0.01 - fullAt) / intervalMilliseconds;
  const admittedCount = Math.max(1, Math.min(requestCount, Math.floor(allowance)));
  const nextFullAt = fullAt + admittedCount * intervalMilliseconds;
  // A tolerance of a hundredth of a millisecond, so that rounding does not reject the last request of a full allowance.
  const overdrawn = nextFullAt - now - windowMilliseconds - 0.01;
  if (overdrawn > 0) {
    const waitSeconds = Math.max(1, Math.ceil(overdrawn / 1000));
    return { allowed: false, admittedCount: 0, remaining: 0, waitSeconds };
  }
  // The Map is in the order of the last requests.
  times.delete(callerId);
  times.set(callerId, nextFullAt);
  const remaining = Math.floor(
    (windowMilliseconds - (nextFullAt - now)) / intervalMilliseconds + 1e-6,
  );
  const waitMilliseconds =
    remaining === 0
      ? nextFullAt + intervalMilliseconds - windowMilliseconds - now
      : remaining * intervalMilliseconds;
  const waitSeconds = Math.max(1, Math.ceil(waitMilliseconds / 1000));
  return { allowed: true, admittedCount, remaining, waitSeconds };
}

/**
 * Above `callersMax`, removes callers with a full allowance, and then those whose last request is oldest, until 90 % remain. So a
 * new caller seldom waits for the search.
 */
export function forgetCallers(times: RateLimitTimes, callersMax: number, now: number): void {
  if (times.size <= callersMax) return;
  for (const [callerId, fullAt] of times) if (fullAt <= now) times.delete(callerId);
  for (const callerId of times.keys()) {
    if (times.size <= callersMax * 0.9) return;
    times.delete(callerId);
  }
}
