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
  /^(?:summe|(?:ins)?gesamt|gesamt(?:summe|(?:an)?zahl)|anzahl|(?:grand)?total|sum|count)(?:(?:der)?tiere|animals|rows)?$|^tieregesamt$/;

/** The index after which all rows look like totals: a word such as “Summe”, and otherwise only numbers. */
export function findTotals(rows: readonly TableRow[], from: number): number {
  let first = rows.length;
  while (first > from && isTotal(rows[first - 1]?.cells ?? [])) first -= 1;
  return first;
}

function isTotal(cells: readonly string[]): boolean {
  const texts = cells.filter((cell) => isFilled(cell) && !/^[-+\d.,\s%€$]+$/.test(cell));
  const [text = '', ...others] = texts;
  if (others.length > 0 || text.length > headingLengthMax) return false;
  return total.test(foldHeading(text.replace(/[\d.,\s]+$/, '')));
}

export function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}
