import { echo } from '../../domain/echo.ts';
import type { FileOrFolder } from '../open-database.ts';

/** Reads an argument FILE, or an option with a folder. Anything but exactly one of them is a fault. */
export function parseFileOrFolder(
  file: string | undefined,
  flag: string,
  folder: string | undefined,
  faults: string[],
): FileOrFolder {
  if (file !== undefined && folder === undefined) return { file };
  if (file === undefined && folder) return { folder };
  if (file !== undefined) faults.push(`FILE and ${flag} exclude each other: give one of them`);
  else if (folder === undefined) faults.push(`FILE or ${flag} FOLDER is required`);
  else faults.push(`${flag} must not be empty`);
  return { folder: '' };
}

export const idGapDefault = '1000000';

/** The distance of new ids above those of the restored data, or 0 and a fault. */
export function parseIdGap(text: string, faults: string[]): number {
  if (/^[0-9]{1,12}$/.test(text)) return Number(text);
  faults.push(`--id-gap must be a whole number of at most 12 digits, got ${echo(text)}`);
  return 0;
}
