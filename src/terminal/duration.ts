import { orMustBe, type Parsed } from '../ops/setting-values.ts';

const unitMilliseconds = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Ten years. A longer duration is probably a mistake. */
const durationMillisecondsMax = 3653 * unitMilliseconds.d;

const durationRule = 'a whole number followed by s, m, h or d, such as 90d,';

/** Reads `90d`, `24h`, `30m`, `10s` or `0` as milliseconds. */
export function parseDuration(text: string, min = 0): Parsed<number> {
  const match = /^(?:0|([0-9]{1,10})([smhd]))$/.exec(text);
  const [, count = 0, unit = 's'] = match ?? [];
  const value = Number(count) * unitMilliseconds[unit as keyof typeof unitMilliseconds];
  const fits = match !== null && value >= min && value <= durationMillisecondsMax;
  const rule =
    min > 0
      ? `${durationRule} at least 1s and at most 3653d`
      : `0, or ${durationRule} and at most 3653d`;
  return orMustBe(fits ? value : undefined, rule);
}
