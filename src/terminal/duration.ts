const unitMilliseconds = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Ten years. A longer duration is probably a mistake. */
const durationMillisecondsMax = 3653 * unitMilliseconds.d;

export const durationRule =
  'must be a whole number followed by s, m, h or d, such as 90d, and at most 3653d';

/** Reads `90d`, `24h`, `30m`, `10s` or `0` as milliseconds. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const match = /^([0-9]{1,10})([smhd])$/.exec(text);
  if (match === null) return undefined;
  const value = Number(match[1]) * unitMilliseconds[match[2] as keyof typeof unitMilliseconds];
  return value <= durationMillisecondsMax ? value : undefined;
}
