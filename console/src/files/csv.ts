import { fileTexts as texts } from '../texts/files.ts';
import { columnsMax, rowsMax, UnreadableFile } from './file-limits.ts';
import { groupBy } from './group-by.ts';

/** A table as text (RFC 4180), as spreadsheets write it: with commas, semicolons or tabs, with or without a byte order mark. */
export interface Csv {
  /** Undefined if the first line has none: the file is then one column. */
  readonly separator: string | undefined;
  /** Each with the number of the line on which it begins, from 1. */
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
}

const separators = [',', ';', '\t'] as const;

/** Reads a table within the bounds of a file. A quote that is not closed, and text after a quote, are kept. */
export function parseCsv(text: string): Csv {
  const content = text.startsWith('\ufeff') ? text.slice(1) : text;
  // Excel names the separator in a first line of its own.
  const named = /^sep=([,;\t])\r?\n/i.exec(content);
  const start = named?.[0].length ?? 0;
  const separator = named?.[1] ?? guessSeparator(content);
  return { separator, rows: readRows(content, start, separator) };
}

const guessedLinesMax = 20;
/** Longer than the first lines of any table. A quote that is not closed would make the whole file one line. */
const guessedLengthMax = 2 ** 20;

/** The separator that most of the first lines have outside quotes, or else the first line. A title may have another one. */
function guessSeparator(text: string): string | undefined {
  const lines = readSeparators(text);
  const counts = separators.map((separator) => {
    const found = lines.filter((line) => line.includes(separator));
    const lineCount = found.length * 2 > lines.length ? found.length : 0;
    return { separator, lineCount, count: found.flat().filter((one) => one === separator).length };
  });
  const [best] = counts.sort((one, two) => two.lineCount - one.lineCount || two.count - one.count);
  if (best !== undefined && best.lineCount > 0) return best.separator;
  const [first = []] = lines;
  const inFirst = [...groupBy(first, (separator) => separator)];
  return inFirst.sort(([, one], [, two]) => two.length - one.length)[0]?.[0];
}

/** The separators in each of the first lines with text, outside quotes. */
function readSeparators(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] | undefined;
  let isQuoted = false;
  // Only a quote at the beginning of a cell opens it. A later one is a part of its text, or one of two.
  let mayOpen = true;
  for (const character of text.slice(0, guessedLengthMax)) {
    const wasQuoted = isQuoted;
    if (character === '"' && (isQuoted || mayOpen)) isQuoted = !isQuoted;
    const separator = separators.find((one) => one === character);
    const isEnd = character === '\n' || character === '\r';
    mayOpen = separator !== undefined || isEnd || (wasQuoted && !isQuoted);
    if (isQuoted) continue;
    if (isEnd) line = undefined;
    else if (character !== ' ' && line === undefined) {
      if (lines.length === guessedLinesMax) break;
      line = [];
      lines.push(line);
    }
    if (separator !== undefined) line?.push(separator);
  }
  return lines;
}

function readRows(text: string, start: number, separator: string | undefined): Csv['rows'] {
  const rows: { line: number; cells: string[] }[] = [];
  /** The end of a cell: a separator, a line end, or the end of the text. */
  const ends = new RegExp(`\\r\\n|[\\r\\n${separator ?? ''}]|$`, 'g');
  let line = start > 0 ? 2 : 1;
  let rowLine = line;
  let cells: string[] = [];
  let index = start;

  let end: string;
  do {
    let cell = '';
    if (text[index] === '"') {
      const from = index + 1;
      let close = text.indexOf('"', from);
      while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
      const quoted = text.slice(from, close === -1 ? text.length : close);
      line += countLines(quoted);
      cell = quoted.replaceAll('""', '"');
      index = from + quoted.length + 1;
    }
    ends.lastIndex = index;
    end = ends.exec(text)?.[0] ?? '';
    cells.push(cell + text.slice(index, ends.lastIndex - end.length));
    index = ends.lastIndex;
    if (end !== '' && end === separator) {
      if (cells.length === columnsMax) throw new UnreadableFile(texts.tooWide(columnsMax));
      continue;
    }
    // An empty line is no row, even with the separators that spreadsheets write.
    if (cells.some((one) => one.trim() !== '')) {
      if (rows.length === rowsMax) throw new UnreadableFile(texts.tooManyRows(rowsMax));
      rows.push({ line: rowLine, cells });
    }
    cells = [];
    line += 1;
    rowLine = line;
  } while (end !== '');
  return rows;
}

function countLines(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** The separator of spreadsheets in a locale: a semicolon if its numbers have a comma. */
export function localSeparator(locale?: string): string {
  return (0.5).toLocaleString(locale).includes(',') ? ';' : ',';
}

/**
 * Text that a spreadsheet may run, or that looks marked already. Spreadsheets run full-width signs as well, and drop blanks and
 * invisible characters (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const needsMark = /^(?:[\t\r']|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;

/** Writes a line. A cell that a spreadsheet would run as a formula is marked as text. */
export function formatCsvLine(cells: readonly (string | bigint)[], separator: string): string {
  return `${cells.map(formatCell).join(separator)}\r\n`;
}

function formatCell(cell: string | bigint): string {
  if (typeof cell === 'bigint') return String(cell);
  const text = needsMark.test(cell) ? `'${cell}` : cell;
  return /[",;\t\r\n]/.test(text) || text !== text.trim()
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}

/** A cell without the mark that `formatCsvLine` gives it. */
export function plainCell(cell: string): string {
  const text = cell.slice(1);
  return cell.startsWith("'") && needsMark.test(text) ? text : cell;
}
