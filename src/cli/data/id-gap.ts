import { echo } from '../../domain/echo.ts';

export const idGapDefault = '1000000';

/** How far ids are to go on, or 0 and a fault. */
export function parseIdGap(text: string, faults: string[]): number {
  if (/^[0-9]{1,12}$/.test(text)) return Number(text);
  faults.push(`--id-gap must be a whole number of at most 12 digits, got ${echo(text)}`);
  return 0;
}
