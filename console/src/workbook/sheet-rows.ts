import {
  cellsMax,
  columnsMax,
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
}

/** Collects the rows of a sheet within the bounds. */
export function createSheetRows(total: SheetTotals) {
  const rows: OpenRow[] = [];

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

  function finish(): Pick<SheetTable, 'rows' | 'hiddenRowCount'> {
    return {
      rows: rows.map(({ line, cells, faults }) =>
        faults.size === 0 ? { line, cells } : { line, cells, faults },
      ),
      hiddenRowCount: rows.filter(({ isHidden }) => isHidden).length,
    };
  }

  return { addCell, addRow, finish };
}

function isEmpty({ cells, faults }: OpenRow): boolean {
  return faults.size === 0 && cells.every((text) => text.trim() === '');
}
