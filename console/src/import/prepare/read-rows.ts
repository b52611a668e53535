import { type CellFault, type Draft, members, newDraft } from '../../animals/members.ts';
import { parseInteger } from '../../api/integer.ts';
import { noCategory } from '../../categories/category-choice.ts';
import { plainCell } from '../../files/csv.ts';
import { prepareTexts as texts } from '../../texts/import.ts';
import type { Table, TableRow } from '../import-file.ts';
import type { PlannedRow, RowFault } from '../import-plan.ts';
import {
  type ExportedColumns,
  findTotals,
  isFilled,
  isOwnCategoryHeading,
  isTakenHeading,
  withoutReport,
} from './headings.ts';
import { columnName, exportedColumnsOf, headingsOf, type Mapping } from './mapping.ts';
import { type CategoryIndex, createWordReader, type Word } from './words.ts';

/** The rows of a file with the values that they have under a mapping. */
export interface ReadRows {
  /** The name of the member in each mapped column, and of the other columns their own. */
  readonly columnNames: readonly string[];
  readonly rows: readonly PlannedRow[];
  /** One for each row without a valid animal. */
  readonly faults: readonly RowFault[];
  /** The last rows that look like totals, unless they are kept. */
  readonly totals: readonly RowFault[];
  readonly statusWords: readonly Word[];
  readonly categoryWords: readonly Word[];
  /** The category is in a column of numbers, of which the catalogue has none. They can be other numbers, such as ages. */
  readonly areNumbersUnknown: boolean;
  /** The names of category numbers that the file has and the catalogue does not. */
  readonly newNumbers: ReadonlyMap<string, string>;
}

interface FaultInColumn extends CellFault {
  readonly column: number;
}

type ReadRow = Pick<PlannedRow, 'draft' | 'animalId'>;

/** Reads the rows below the headings, without those that look like totals. */
export function readRows(
  { rows, separator }: Pick<Table, 'rows' | 'separator'>,
  mapping: Mapping,
  categories: CategoryIndex,
): ReadRows {
  const { headingRow, columns, keepsTotals } = mapping;
  const headings = headingsOf(rows, headingRow);
  const words = createWordReader(mapping, categories);
  const exported = exportedColumnsOf(rows, mapping);
  const readRow = createRowReader(mapping, exported, words.contextOf);
  const from = (headingRow ?? rows.length) + 1;
  const totalsFrom = keepsTotals ? rows.length : findTotals(rows, from, headings);
  const first = headingRow === -1 ? (rows[0]?.cells ?? []) : headings;
  const width = Math.max(first.length, ...[...columns.values()].map((column) => column + 1));
  const planned: PlannedRow[] = [];
  const faults: RowFault[] = [];
  const totals: RowFault[] = [];
  for (const [index, row] of rows.entries()) {
    const { line, cells } = row;
    if (index < from || !cells.some(isFilled)) continue;
    const faultOf = ({ column, reason }: FaultInColumn): RowFault => {
      const name = columnName(headings, column);
      const value = cells[column] ?? '';
      const isChosen = reason === texts.wordLeftOut || undefined;
      const isOpen = reason === texts.openWord || undefined;
      return { index, line, column: name, value, reason, isChosen, isOpen };
    };
    if (index >= totalsFrom) {
      const column = cells.findIndex((cell) => /\p{L}/u.test(cell));
      const value = withoutReport(cells, headings).filter(isFilled).join(' ');
      totals.push({ ...faultOf({ column, reason: texts.isTotal }), value, isChosen: true });
      continue;
    }
    // Without a separator, no text can be cut.
    const surplus = separator === undefined ? undefined : findSurplusCell(cells, width);
    const read = surplus ?? readRow(row);
    if ('reason' in read) faults.push(faultOf(read));
    else planned.push({ index, line, ...read });
  }
  return {
    columnNames: nameColumns(first, exported, mapping),
    rows: planned,
    faults,
    totals,
    statusWords: [...words.statusWords.values()],
    categoryWords: [...words.categoryWords.values()],
    areNumbersUnknown:
      exported.categoryName === undefined &&
      words.areNumbersUnknown() &&
      !isOwnCategoryHeading(headings[columns.get('category') ?? -1] ?? ''),
    newNumbers: words.newNumbers,
  };
}

function createRowReader(
  { columns, forAll, mode }: Mapping,
  { id, categoryName }: ExportedColumns,
  contextOf: ReturnType<typeof createWordReader>['contextOf'],
) {
  const lines = new Map<bigint, number>();
  const { status, ...others } = newDraft(forAll.category ?? noCategory);
  const blank: Draft = { ...others, status: forAll.status ?? status };

  /** The number of the animal to update, which only one row can have. */
  function readNumber(row: TableRow, column: number): bigint | FaultInColumn | undefined {
    const cell = cellOf(row, column);
    if (!isFilled(cell)) return undefined;
    const number = parseInteger(cell);
    if (number === undefined) return { column, reason: texts.notNumber };
    const line = lines.get(number);
    if (line !== undefined) return { column, reason: texts.sameNumber(line) };
    lines.set(number, row.line);
    return number;
  }

  return (row: TableRow): ReadRow | FaultInColumn => {
    const context = contextOf(categoryName === undefined ? undefined : cellOf(row, categoryName));
    let draft = blank;
    let open: FaultInColumn | undefined;
    for (const { name, read } of members) {
      const column = columns.get(name);
      if (column === undefined) continue;
      const reason = row.faults?.get(column);
      if (reason !== undefined) return { column, reason };
      const found = read(draft, cellOf(row, column), context);
      if (!('reason' in found)) draft = found;
      // All questions are asked at once.
      else if (found.reason === texts.openWord) open ??= { column, ...found };
      else return { column, ...found };
    }
    if (open !== undefined) return open;
    const animalId = mode === 'update' && id !== undefined ? readNumber(row, id) : undefined;
    return typeof animalId === 'object' ? animalId : { draft, animalId };
  };
}

function cellOf({ cells }: TableRow, column: number): string {
  return plainCell(cells[column] ?? '');
}

/** An unquoted text with a separator in it would lose the part after the separator. */
function findSurplusCell(cells: readonly string[], width: number): FaultInColumn | undefined {
  const column = cells.findIndex((cell, index) => index >= width && isFilled(cell));
  return column < 0 ? undefined : { column, reason: texts.tooManyCells };
}

/** Names under which another import of the rows that were left out finds the same columns. */
function nameColumns(
  first: readonly string[],
  { id, categoryName }: ExportedColumns,
  mapping: Mapping,
): readonly string[] {
  return first.map((cell, index) => {
    const heading = cell.trim();
    if (index === id || index === categoryName) return heading;
    const member = members.find(({ name }) => mapping.columns.get(name) === index);
    if (member?.name === 'category' && categoryName !== undefined) return heading;
    // The heading of a column that is not mapped must not look like that of a member.
    const isFree = mapping.headingRow !== -1 && !isTakenHeading(heading);
    return member?.name ?? ((isFree && heading) || texts.column(index + 1));
  });
}
