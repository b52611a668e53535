import { parseCsv } from '../parts/csv.ts';
import { texts } from '../texts/import.ts';

const fileBytesMax = 20 * 2 ** 20;
const columnsMax = 500;

/** A table of a file: of a CSV file, or one sheet of a workbook. */
export interface Table {
  /** The name of the sheet, or '' for a CSV file. */
  readonly name: string;
  /** Of a CSV file with more than one column. */
  readonly separator: string | undefined;
  readonly rows: readonly TableRow[];
  /** The rows that a filter or the user hides in the spreadsheet. They are among the rows. */
  readonly hiddenRowCount: number;
}

export interface TableRow {
  /** The line of a CSV file on which the row begins, or the number of the row in a sheet. */
  readonly line: number;
  readonly cells: readonly string[];
  /** The reasons of cells that cannot be read exactly, by the index of the column. */
  readonly faults?: ReadonlyMap<number, string>;
}

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
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) throw new Error(texts.isWorkbook);
  const decoded = decode(bytes);
  const { rows, separator } = parseCsv(decoded.text);
  if (rows.length === 0) throw new Error(texts.noRows);
  if (rows.some(({ cells }) => cells.length > columnsMax)) {
    throw new Error(texts.tooWide(columnsMax));
  }
  const digest = await digestOf(bytes);
  signal.throwIfAborted();
  const tables = [{ name: '', separator, rows, hiddenRowCount: 0 }];
  return { name: file.name, digest, tables, isUtf8: decoded.isUtf8, isWorkbook: false };
}

/** Spreadsheets on Windows often write their old character set, and UTF-16 as “Unicode text”. */
function decode(bytes: Uint8Array<ArrayBuffer>): { text: string; isUtf8: boolean } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return { text: new TextDecoder('utf-16le').decode(bytes), isUtf8: true };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isUtf8: true };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), isUtf8: false };
  }
}

/** SHA-256, in hexadecimal. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
