import { type Csv, parseCsv } from '../files/csv.ts';
import { UnreadableFile } from '../files/file-limits.ts';
import { fileTexts as texts } from '../texts/files.ts';

interface CsvFile extends Csv {
  /** False if the character set was guessed. */
  readonly isUtf8: boolean;
}

/** Reads the bytes of a CSV file, and refuses other files. The message of an error is for the user. */
export function readCsvFile(bytes: Uint8Array<ArrayBuffer>): CsvFile {
  refuseOldWorkbook(bytes);
  const { text, isUtf8 } = decode(bytes);
  // Pictures and other binary files have such characters, web pages and XML begin with a tag.
  if (text.includes('\0') || /^\s*<[!?a-z]/i.test(text)) throw new UnreadableFile(texts.notTable);
  const { rows, separator } = parseCsv(text);
  if (rows.length === 0) throw new UnreadableFile(texts.noRows);
  return { rows, separator, isUtf8 };
}

const oldMark = [0xd0, 0xcf, 0x11, 0xe0];

/** Old workbooks and those with a password are files of the same container, which lists its parts in UTF-16. */
function refuseOldWorkbook(bytes: Uint8Array<ArrayBuffer>): void {
  if (oldMark.some((byte, index) => bytes[index] !== byte)) return;
  const content = new TextDecoder('windows-1252').decode(bytes);
  const has = (part: string) => content.includes([...part].join('\0'));
  if (has('EncryptedPackage')) throw new UnreadableFile(texts.protectedWorkbook);
  throw new UnreadableFile(
    has('Workbook') || has('Book') ? texts.oldWorkbook : texts.oldOrProtected,
  );
}

/** Spreadsheets on Windows often write their old character set, and UTF-16 as “Unicode text”. */
function decode(bytes: Uint8Array<ArrayBuffer>): { text: string; isUtf8: boolean } {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) {
    return { text: new TextDecoder('utf-16le').decode(bytes), isUtf8: true };
  }
  if (first === 0xfe && second === 0xff) {
    return { text: new TextDecoder('utf-16be').decode(bytes), isUtf8: true };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isUtf8: true };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), isUtf8: false };
  }
}
