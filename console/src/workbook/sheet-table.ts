/** A sheet of a workbook, with its rows that have text. */
export interface SheetTable {
  readonly name: string;
  /** The spreadsheet does not show the sheet. */
  readonly isHidden: boolean;
  readonly rows: readonly SheetRow[];
  /** The rows that a filter or the user hides. They are among the rows. */
  readonly hiddenRowCount: number;
}

export interface SheetRow {
  /** The number of the row in the sheet. */
  readonly line: number;
  readonly cells: readonly string[];
  /** The reasons of cells that cannot be read exactly, by the index of the column. */
  readonly faults?: ReadonlyMap<number, string>;
}

/** What the page sends to the worker, and gets from it. */
export interface WorkbookQuestion {
  readonly file: Blob;
  /** BCP 47, of the browser. */
  readonly locale: string;
}

export type WorkbookAnswer =
  | { readonly sheets: readonly SheetTable[] }
  | { readonly refused: string };
