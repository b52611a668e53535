import { type Draft, exportedHeadings, members } from '../../animals/members.ts';
import type { TableRow } from '../import-file.ts';

/** The headings are looked for in this many rows at the beginning of a file. */
export const firstRowsCount = 10;

/** The columns that a progress report adds to the rows that it saves. */
export const reportColumns = ['line', 'reason'] as const;

/** No known heading is longer. The patterns below would take minutes for a text of megabytes. */
const headingLengthMax = 200;
/** “Name (Besitzer)” is no name of an animal. */
const person =
  /besitzer|halter|eigentümer|finder|pate|patin|pfleg|tierarzt|owner|adopter|adoptant|foster/;

/** A text without case, accents, blanks and punctuation, and without a part in brackets that does not name a person. */
function foldHeading(text: string): string {
  return text
    .slice(0, headingLengthMax)
    .normalize('NFC')
    .toLowerCase()
    .replace(/\(.*\)/, (part) => (person.test(part) ? part : ''))
    .replaceAll('ß', 'ss')
    .replace(/[äöü]/g, (letter) => `${letter.normalize('NFD').charAt(0)}e`)
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

const membersByHeading = members.map(
  ({ name, headings }) => [name, headings.map(foldHeading)] as const,
);

const takenHeadings = new Set([
  ...membersByHeading.flatMap(([, headings]) => headings),
  ...exportedHeadings.map(foldHeading),
]);

/** Whether an import would take a column with this heading for that of a member or of a number. */
export function isTakenHeading(heading: string): boolean {
  return takenHeadings.has(foldHeading(heading));
}

/** Whether the console itself uses this heading for categories, so that its numbers are those of categories. */
export function isOwnCategoryHeading(heading: string): boolean {
  return ['category', 'categoryid'].includes(foldHeading(heading));
}

/** The columns of the members by their headings. A heading of two columns is not certain. */
export function findColumns(cells: readonly string[]): ReadonlyMap<keyof Draft, number> {
  const folded = cells.map(foldHeading);
  const columns = new Map<keyof Draft, number>();
  for (const [name, headings] of membersByHeading) {
    const found = headings.find((heading) => folded.includes(heading));
    if (found === undefined) continue;
    const index = folded.indexOf(found);
    if (index === folded.lastIndexOf(found)) columns.set(name, index);
  }
  return columns;
}

/** The columns that only an export of the console has. */
export interface ExportedColumns {
  /** The numbers of the animals. */
  readonly id: number | undefined;
  /** The names of the categories, if the category is in the column with their numbers. */
  readonly categoryName: number | undefined;
}

/** Finds the columns of an export, also if some are missing or in another order. */
export function findExportedColumns(
  cells: readonly string[],
  categoryColumn: number | undefined,
): ExportedColumns {
  const headings = cells.map((cell) => cell.trim());
  const at = (heading: string) => {
    const index = headings.indexOf(heading);
    return index < 0 ? undefined : index;
  };
  const known: readonly string[] = [...exportedHeadings, ...reportColumns, ''];
  const categoryId = at('categoryId');
  const isExport = categoryId !== undefined || headings.every((one) => known.includes(one));
  return {
    id: isExport ? at('id') : undefined,
    categoryName:
      categoryId === categoryColumn && categoryId !== undefined ? at('category') : undefined,
  };
}

/** The row of the headings, if it is certain. */
export function guessHeadingRow(rows: readonly TableRow[]): number | undefined {
  const first = rows.slice(0, firstRowsCount);
  const counts = first.map(({ cells }) => findColumns(cells).size);
  const most = Math.max(0, ...counts);
  const index = counts.indexOf(most);
  if (most > 1) return index;
  // One known word can also be in a title, which is narrower than the table, or the name of an animal.
  const widths = first.map(({ cells }) => cells.filter(isFilled).length);
  const width = widths[index] ?? 0;
  return most === 1 && widths.slice(index).every((other) => other <= width) ? index : undefined;
}

const total =
  /^(?:(?:zwischen)?summe|(?:ins)?gesamt|gesamt(?:summe|(?:an)?zahl)|anzahl|(?:grand|sub)?total|sum|count)(?:(?:der)?tiere|animals|rows)?$|^tieregesamt$/;
/** “Zwischensumme Esel: 2”. The words are no names of animals. */
const totalOfGroup =
  /^\s*(?:zwischensumme|gesamtsumme|gesamt(?:an)?zahl|summe|anzahl|insgesamt|subtotal|grand total)\b[^\d]*(?:\d+[\d.,\s]*)?$/i;
/** “Stand: 1.10.2026”, “erstellt von Frau Krause”. */
const note =
  /^\s*(?:(?:stand|datum|date|as of|seite|page)\b[:\s]*\d|(?:erstellt|gedruckt|ausgedruckt|exportiert|created|printed|exported)\s+(?:von|am|by|on)\b)/i;
/** Between the totals, or below them, this many rows can have a single cell with a text. */
const footerRowsMax = 5;

/**
 * The index after which all rows look like totals, or like notes below the table: a word such as “Summe”, and otherwise only
 * numbers.
 */
export function findTotals(
  rows: readonly TableRow[],
  from: number,
  headings: readonly string[] = [],
): number {
  const isWide = rows.slice(from).some(({ cells }) => cells.filter(isFilled).length > 1);
  let first = rows.length;
  for (let index = rows.length - 1; index >= from; index -= 1) {
    const cells = withoutReport(rows[index]?.cells ?? [], headings);
    const filled = cells.filter(isFilled);
    if (isTotal(filled) || (filled.length === 1 && note.test(filled[0] ?? ''))) first = index;
    else if (filled.length > 1 || !isWide || first - index > footerRowsMax) break;
  }
  return first;
}

/** The cells without the columns that a progress report adds. */
export function withoutReport(
  cells: readonly string[],
  headings: readonly string[],
): readonly string[] {
  const isReport = headings.slice(-reportColumns.length).join() === reportColumns.join();
  return isReport ? cells.slice(0, headings.length - reportColumns.length) : cells;
}

function isTotal(filled: readonly string[]): boolean {
  const [text = '', ...others] = filled.filter((cell) => !/^[-+\d.,\s%€$]+$/.test(cell));
  if (others.length > 0 || text.length > headingLengthMax) return false;
  return totalOfGroup.test(text) || total.test(foldHeading(text.replace(/[\d.,\s]+$/, '')));
}

export function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}
