import type { PetStatus } from '../../../../client/src/contract.ts';
import { type Draft, members } from '../../animals/members.ts';
import type { CategoryChoice } from '../../categories/category-choice.ts';
import { prepareTexts as texts } from '../../texts/import.ts';
import type { Table } from '../import-file.ts';
import {
  type ExportedColumns,
  findColumns,
  findExportedColumns,
  guessHeadingRow,
  isFilled,
} from './headings.ts';
import type { WordAnswers } from './words.ts';

export type Rows = Table['rows'];

/** What the user has chosen about a file, or what was certain. */
export interface Mapping extends WordAnswers {
  /** The index of the row with the headings, -1 if there is none; undefined until it is chosen. */
  readonly headingRow: number | undefined;
  /** The index of the column of each member that has one. */
  readonly columns: ReadonlyMap<keyof Draft, number>;
  /** The same category or status for all rows, in place of a column. */
  readonly forAll: {
    readonly category?: CategoryChoice | undefined;
    readonly status?: PetStatus | undefined;
  };
  /** The column of the category, if it has only numbers that the user has confirmed as numbers of new categories. */
  readonly numberColumn: number | undefined;
  /** Whether the last rows are animals although they look like totals. */
  readonly keepsTotals: boolean;
  /** Only an export of the console has the numbers of the animals, so that it can update them. */
  readonly mode: 'add' | 'update' | undefined;
  /** For rows with the name and the category of an earlier row. */
  readonly repeated: 'add' | 'leave out' | undefined;
  /** The indexes of rows that are added although the catalogue has such an animal already. */
  readonly addedFound: ReadonlySet<number>;
}

/** The mapping of a file before the user has chosen anything. */
export function guessMapping(rows: Rows): Mapping {
  return {
    ...mapHeadings(rows, guessHeadingRow(rows)),
    statusWords: new Map(),
    categoryWords: new Map(),
    numberColumn: undefined,
    keepsTotals: false,
    repeated: undefined,
    addedFound: new Set(),
  };
}

/** The columns that the headings of a row name. */
export function mapHeadings(
  rows: Rows,
  headingRow: number | undefined,
): Pick<Mapping, 'headingRow' | 'columns' | 'forAll' | 'mode'> {
  const columns = new Map(findColumns(headingsOf(rows, headingRow)));
  const isOnlyColumn = columns.size === 0 && countColumns(rows) === 1;
  if (headingRow !== undefined && isOnlyColumn) columns.set('name', 0);
  return { headingRow, columns, forAll: {}, mode: undefined };
}

export function headingsOf(rows: Rows, headingRow: number | undefined): readonly string[] {
  return rows[headingRow ?? -1]?.cells ?? [];
}

/** The heading of a column, or a number for a column without one. */
export function columnName(headings: readonly string[], index: number): string {
  return headings[index]?.trim() || texts.column(index + 1);
}

/** The columns of the first rows that are not empty. */
export function countColumns(rows: Rows): number {
  const widths = rows.slice(0, 100).map(({ cells }) => cells.findLastIndex(isFilled) + 1);
  return Math.max(0, ...widths);
}

/** The columns that only an export of the console has. */
export function exportedColumnsOf(rows: Rows, { headingRow, columns }: Mapping): ExportedColumns {
  return findExportedColumns(headingsOf(rows, headingRow), columns.get('category'));
}

/** The members that the file has, or that were chosen for all rows. */
export function givenMembers({ columns, forAll }: Mapping): readonly (keyof Draft)[] {
  const values = { name: undefined, ...forAll };
  return members
    .map(({ name }) => name)
    .filter((name) => columns.has(name) || values[name] !== undefined);
}
