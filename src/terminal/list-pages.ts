import { type Command, Option } from 'commander';
import { echo } from '../domain/echo.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import { type Int64, parseInt64 } from '../domain/values/int64.ts';
import { outputIsWritten, printNote, type RowPrinter } from './print.ts';

/** The rows of one read. It bounds the memory of a command, however long the list is. */
const rowsMax = 500;

export interface ListOptions {
  readonly limit: string;
  readonly all?: true;
  readonly json?: true;
}

export function addListOptions(command: Command): Command {
  return command
    .option('--limit <number>', 'how many to list', '100')
    .addOption(new Option('--all', 'list all').conflicts('limit'));
}

/** How many rows were asked for, or 0 and a fault. */
export function readLimit({ limit, all }: ListOptions, faults: string[]): number {
  if (all) return Number.POSITIVE_INFINITY;
  if (/^[1-9][0-9]{0,8}$/.test(limit)) return Number(limit);
  faults.push(`--limit must be a whole number from 1 to 999999999, got ${echo(limit)}`);
  return 0;
}

/** The id above those asked for, or undefined for all; with a fault if it is none. */
export function readBefore(
  text: string | undefined,
  record: string,
  faults: string[],
): Int64 | undefined {
  const id = text === undefined ? undefined : parseInt64(text);
  if (text !== undefined && (id === undefined || id < 1n)) {
    faults.push(`--before must be the number of ${record}, got ${echo(text)}`);
  }
  return id;
}

/** A list that is read in pages. `Place` is where a page begins. */
export interface PagedList<Item, Place> {
  readonly readPage: (
    limit: number,
    place: Place | undefined,
  ) => Awaitable<{ readonly items: readonly Item[]; readonly next: Place | undefined }>;
  /** States that there are more, and names the option that continues after the last one printed. */
  readonly moreText: (place: Place) => string;
}

/** Reads and prints one page after the other, and says on standard error if there are more than `limit`. */
export async function printPages<Item, Place>(
  { readPage, moreText }: PagedList<Item, Place>,
  printer: RowPrinter<Item>,
  limit: number,
  first: Place | undefined,
): Promise<void> {
  let left = limit;
  let place = first;
  do {
    const page = await readPage(Math.min(left, rowsMax), place);
    printer.add(page.items);
    await outputIsWritten();
    left -= page.items.length;
    place = page.next;
  } while (place !== undefined && left > 0);
  printer.end();
  if (place !== undefined) printNote(`${moreText(place)}, or --all to list everything.`);
}
