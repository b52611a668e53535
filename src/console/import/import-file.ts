import { type Csv, parseCsv } from '../parts/csv.ts';
import { texts } from '../texts/import.ts';

const fileBytesMax = 20 * 2 ** 20;
const columnsMax = 500;

export interface ReadFile {
  readonly name: string;
  readonly digest: string;
  readonly csv: Csv;
  /** False if the character set was guessed. */
  readonly isUtf8: boolean;
}

/** Reads a chosen file. The message of an error is for the user. */
export async function readFile(file: File): Promise<ReadFile> {
  if (file.size > fileBytesMax) throw new Error(texts.tooLarge);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) throw new Error(texts.isWorkbook);
  const decoded = decode(bytes);
  const csv = parseCsv(decoded.text);
  if (csv.rows.length === 0) throw new Error(texts.noRows);
  if (csv.rows.some(({ cells }) => cells.length > columnsMax)) {
    throw new Error(texts.tooWide(columnsMax));
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

/** SHA-256, in hexadecimal. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
