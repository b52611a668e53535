import { digestOf } from '../api/digest.ts';
import { fileBytesMax } from '../files/file-limits.ts';
import { fileTexts as texts } from '../texts/files.ts';
import type { SheetRow, SheetTable } from '../workbook/sheet-table.ts';
import { readCsvFile } from './csv-file.ts';
import { readSheets } from './workbook-reader.ts';

/** A table of a file: one sheet of a workbook, or a CSV file, which has an empty name and the numbers of its lines. */
export interface Table extends SheetTable {
  /** Of a CSV file with more than one column. */
  readonly separator: string | undefined;
}

export type TableRow = SheetRow;

export interface ReadFile {
  readonly name: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly digest: string;
  /** Those with rows, at least one. */
  readonly tables: readonly Table[];
  /** False if the character set was guessed. */
  readonly isUtf8: boolean;
  readonly isWorkbook: boolean;
}

/** Reads a chosen file. The message of an error is for the user. */
export async function readFile(file: File, signal: AbortSignal): Promise<ReadFile> {
  if (file.size > fileBytesMax) throw new Error(texts.tooLarge);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const { name } = file;
  const digest = await digestOf(bytes);
  // Workbooks are zip archives.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    const sheets = await readSheets(file, signal);
    if (sheets.length === 0) throw new Error(texts.noRows);
    const tables = sheets.map((sheet) => ({ ...sheet, separator: undefined }));
    return { name, digest, tables, isUtf8: true, isWorkbook: true };
  }
  const { rows, separator, isUtf8 } = readCsvFile(bytes);
  signal.throwIfAborted();
  const tables = [{ name: '', isHidden: false, separator, rows, hiddenRowCount: 0 }];
  return { name, digest, tables, isUtf8, isWorkbook: false };
}
