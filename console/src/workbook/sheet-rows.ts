import {
  cellsMax,
  columnsMax,
  mergedRangesMax,
  rowsMax,
  UnreadableFile,
  unpackedBytesMax,
} from '../files/file-limits.ts';
import { fileTexts, workbookTexts as texts } from '../texts/files.ts';
import type { SheetTable } from './sheet-table.ts';
import type { ShownCell } from './shown-number.ts';

/** A row while its cells are read. */
export interface OpenRow {
  readonly line: number;
  readonly isHidden: boolean;
  readonly cells: string[];
  readonly faults: Map<number, string>;
}

/** What all sheets of a workbook have so far. Many cells can refer to one long text, and many sheets to one part. */
export interface SheetTotals {
  cellCount: number;
  textLength: number;
  mergedCount: number;
}

/** Collects the rows of a sheet within the bounds. */
export function createSheetRows(total: SheetTotals) {
  const rows: OpenRow[] = [];
  const merged: MergedCells[] = [];

  function addCell({ cells, faults }: OpenRow, column: number, { text, fault }: ShownCell): void {
    // A sheet can have formats for all its columns.
    if (text === '' && fault === undefined) return;
    if (column >= columnsMax) throw new UnreadableFile(fileTexts.tooWide(columnsMax));
    total.cellCount += Math.max(0, column + 1 - cells.length);
    if (total.cellCount > cellsMax) throw new UnreadableFile(texts.tooManyCells(cellsMax));
    total.textLength += text.length;
    if (total.textLength > unpackedBytesMax) throw new UnreadableFile(texts.unpacksTooLarge);
    while (cells.length < column) cells.push('');
    cells[column] = text;
    if (fault !== undefined) faults.set(column, fault);
  }

  function addRow(row: OpenRow): void {
    if (isEmpty(row)) return;
    if (rows.length === rowsMax) throw new UnreadableFile(fileTexts.tooManyRows(rowsMax));
    rows.push(row);
  }

  function addMerged(range: MergedCells): void {
    total.mergedCount += 1;
    if (total.mergedCount > mergedRangesMax) {
      throw new UnreadableFile(texts.tooManyMerged(mergedRangesMax));
    }
    merged.push(range);
  }

  function finish(): Pick<SheetTable, 'rows' | 'hiddenRowCount'> {
    clearMerged(rows, merged);
    const kept = rows.filter((row) => !isEmpty(row));
    return {
      rows: kept.map(({ line, cells, faults }) =>
        faults.size === 0 ? { line, cells } : { line, cells, faults },
      ),
      hiddenRowCount: kept.filter(({ isHidden }) => isHidden).length,
    };
  }

  return { addCell, addRow, addMerged, finish };
}

function isEmpty({ cells, faults }: OpenRow): boolean {
  return faults.size === 0 && cells.every((text) => text.trim() === '');
}

/** Lines from 1, columns from 0. */
export interface MergedCells {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/**
 * Merged cells show the first one. The others can still have values. A file can name many large ranges, so the work depends on the
 * number of cells and ranges, not on the size of the ranges.
 */
function clearMerged(rows: readonly OpenRow[], merged: readonly MergedCells[]): void {
  if (merged.length === 0) return;
  const cleared = merged.flatMap(withoutFirstCell);
  const byStart = [...cleared].sort((one, other) => one.firstLine - other.firstLine);
  const byEnd = [...cleared].sort((one, other) => one.lastLine - other.lastLine);
  /** By how many ranges more a column is covered than the column before it, in the present row. */
  const changes = new Int32Array(columnsMax + 1);
  const count = ({ firstColumn, lastColumn }: MergedCells, by: 1 | -1) => {
    changes[firstColumn] = (changes[firstColumn] ?? 0) + by;
    changes[lastColumn + 1] = (changes[lastColumn + 1] ?? 0) - by;
  };
  let started = 0;
  let ended = 0;
  for (const { line, cells, faults } of [...rows].sort((one, other) => one.line - other.line)) {
    for (const range of takeWhile(byStart, started, ({ firstLine }) => firstLine <= line)) {
      count(range, 1);
      started += 1;
    }
    for (const range of takeWhile(byEnd, ended, ({ lastLine }) => lastLine < line)) {
      count(range, -1);
      ended += 1;
    }
    let covering = 0;
    for (let column = 0; column < cells.length; column += 1) {
      covering += changes[column] ?? 0;
      if (covering === 0) continue;
      cells[column] = '';
      faults.delete(column);
    }
  }
}

/** The ranges from an index on, up to the first one that does not meet a condition. */
function* takeWhile(
  ranges: readonly MergedCells[],
  from: number,
  isTaken: (range: MergedCells) => boolean,
): Generator<MergedCells, undefined> {
  for (let index = from; index < ranges.length; index += 1) {
    const range = ranges[index];
    if (range === undefined || !isTaken(range)) return undefined;
    yield range;
  }
  return undefined;
}

/** The ranges of the cells that are not shown: the rest of the first line, and the other lines. */
function withoutFirstCell(range: MergedCells): MergedCells[] {
  const { firstLine, lastLine, firstColumn } = range;
  const lastColumn = Math.min(range.lastColumn, columnsMax - 1);
  const ranges = [
    { firstLine, lastLine: firstLine, firstColumn: firstColumn + 1, lastColumn },
    { firstLine: firstLine + 1, lastLine, firstColumn, lastColumn },
  ];
  return ranges.filter(
    (each) =>
      firstLine <= lastLine &&
      each.firstLine <= each.lastLine &&
      each.firstColumn <= each.lastColumn,
  );
}
