import { type Command, Option } from 'commander';
import { echo } from '../domain/echo.ts';
import type { PageAfterItem } from '../domain/page.ts';
import type { Awaitable } from '../domain/values/awaitable.ts';
import { type Int64, parseInt64 } from '../domain/values/int64.ts';
import { orMustBe, type Parsed, wholeNumber } from '../ops/setting-values.ts';
import type { Reads } from '../storage/contract/reads-and-commands.ts';
import { addSettings, optional, type Parsers, settingsOf } from '../terminal/command-line.ts';
import { jsonPrinter, printNote, tablePrinter, waitForOutput } from '../terminal/print.ts';
import { databaseSettings, openReader } from './open-database.ts';

/** The rows of one read. This bounds the memory of a command for a list of any length. */
const rowsMax = 500;

/** A list that is read in pages. `Cursor` is the start of a page. */
interface PagedList<Item, Cursor> {
  readonly headings: readonly string[];
  readonly toRow: (item: Item) => readonly string[];
  readonly toJson: (item: Item) => unknown;
  readonly first?: Cursor | undefined;
  readonly readPage: (
    limit: number,
    cursor: Cursor | undefined,
  ) => Awaitable<{ readonly items: readonly Item[]; readonly next: Cursor | undefined }>;
  /** Says that the list continues, and names the option that shows the rest. */
  readonly moreText: (cursor: Cursor) => string;
}

interface ListOptions {
  readonly all?: true;
  readonly json?: true;
  readonly limit: string;
}

/**
 * Makes a command list records from a database that it does not change. `prepare` gets the values of the options in `parsers`.
 */
export function addListAction<Values extends object, Item, Cursor>(
  command: Command,
  parsers: Parsers<Values>,
  prepare: (reads: Reads, values: Values) => Awaitable<PagedList<Item, Cursor>>,
): void {
  command
    .option('--json', 'print JSON')
    .option('--limit <number>', 'how many to list', '100')
    .addOption(new Option('--all', 'list all').conflicts('limit'));
  addSettings(command, databaseSettings).action(async (options: ListOptions) => {
    const limit = wholeNumber(options.limit, 1, 999_999_999);
    const isValid = 'value' in limit;
    const faults = isValid ? [] : [`--limit must be ${limit.mustBe}, got ${echo(options.limit)}`];
    const config = settingsOf(command, databaseSettings, parsers, faults);
    await using reads = await openReader(config);
    const itemsMax = options.all || !isValid ? Number.POSITIVE_INFINITY : limit.value;
    await printPages(await prepare(reads, config), itemsMax, options.json);
  });
}

/** Prints at most `itemsMax` items, and says on standard error if the list continues. */
async function printPages<Item, Cursor>(
  { headings, toRow, toJson, first, readPage, moreText }: PagedList<Item, Cursor>,
  itemsMax: number,
  json: true | undefined,
): Promise<void> {
  const printer = json ? jsonPrinter(toJson) : tablePrinter(headings, toRow);
  let remaining = itemsMax;
  let cursor = first;
  do {
    const page = await readPage(Math.min(remaining, rowsMax), cursor);
    printer.add(page.items);
    await waitForOutput();
    remaining -= page.items.length;
    cursor = page.next;
  } while (cursor !== undefined && remaining > 0);
  printer.end();
  if (cursor !== undefined) printNote(`${moreText(cursor)}, or --all to list everything.`);
}

/** Reads all items of a list. */
export async function* readAllPages<Item>(
  readPage: (limit: number, after: Item | undefined) => Awaitable<PageAfterItem<Item>>,
): AsyncGenerator<readonly Item[], undefined> {
  let after: Item | undefined;
  do {
    const { items, next } = await readPage(rowsMax, after);
    yield items;
    after = next;
  } while (after !== undefined);
  return undefined;
}

/** For an option with a name, which may be left out. */
export const optionalText = optional((value: string) => ({ value }));

/** Reads an id, which is at least 1. */
export function parseIdOf(record: string): (text: string) => Parsed<Int64> {
  return (text) => {
    const id = parseInt64(text) ?? 0n;
    return orMustBe(id < 1n ? undefined : id, `the number of ${record}`);
  };
}
