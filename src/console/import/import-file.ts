import { type Csv, parseCsv } from './csv.ts';
import { digestOf } from './import-run.ts';

const fileBytesMax = 20 * 2 ** 20;
const columnsMax = 500;

export interface ReadFile {
  readonly name: string;
  readonly digest: string;
  readonly csv: Csv;
  /** False where the character set was guessed. */
  readonly isUtf8: boolean;
}

/** What a chosen file holds; an error says what to do where it cannot be read. */
export async function readFile(file: File): Promise<ReadFile> {
  if (file.size > fileBytesMax) throw new Error('The file is larger than 20 MB: split it.');
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    throw new Error(
      'This is a workbook, and no CSV file. In the spreadsheet, choose “Save as” and CSV.',
    );
  }
  const decoded = decode(bytes);
  const csv = parseCsv(decoded.text);
  if (csv.rows.length === 0) throw new Error('The file has no rows.');
  if (csv.rows.some(({ cells }) => cells.length > columnsMax)) {
    throw new Error(`The file has more than ${columnsMax} columns: it is none of animals.`);
  }
  return { name: file.name, digest: await digestOf(bytes), csv, isUtf8: decoded.isUtf8 };
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
