import { type Command, Option } from 'commander';
import { echo } from '../domain/echo.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import { type Int64, parseInt64 } from '../domain/values/int64.ts';
import { jsonPrinter, outputIsWritten, printNote, tablePrinter } from './print.ts';

/** The rows of one read. This bounds the memory of a command, however long the list is. */
const rowsMax = 500;

export interface ListOptions {
  readonly limit: string;
  readonly all?: true;
  readonly json?: true;
}

export function addListOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option('--limit <number>', 'how many to list', '100')
    .addOption(new Option('--all', 'list all').conflicts('limit'));
}

/** How many rows to list, or 0 and a fault. */
export function readLimit({ limit, all }: ListOptions, faults: string[]): number {
  if (all) return Number.POSITIVE_INFINITY;
  if (/^[1-9][0-9]{0,8}$/.test(limit)) return Number(limit);
  faults.push(`--limit must be a whole number from 1 to 999999999, got ${echo(limit)}`);
  return 0;
}

/** The id in `--before`, or undefined to list all; with a fault if it is not an id. */
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
  readonly headings: readonly string[];
  readonly toRow: (item: Item) => readonly string[];
  readonly toJson: (item: Item) => unknown;
  readonly first?: Place | undefined;
  readonly readPage: (
    limit: number,
    place: Place | undefined,
  ) => Awaitable<{ readonly items: readonly Item[]; readonly next: Place | undefined }>;
  /** Says that the list continues, and names the option that shows the rest. */
  readonly moreText: (place: Place) => string;
}

/** Prints at most `limit` items, and says on standard error if the list continues. */
export async function printPages<Item, Place>(
  { headings, toRow, toJson, first, readPage, moreText }: PagedList<Item, Place>,
  limit: number,
  json: true | undefined,
): Promise<void> {
  const printer = json ? jsonPrinter(toJson) : tablePrinter(headings, toRow);
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
