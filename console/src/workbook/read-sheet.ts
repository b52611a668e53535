import { format } from 'numfmt';
import { UnreadableFile } from '../files/file-limits.ts';
import { workbookTexts as texts } from '../texts/files.ts';
import type { Parts } from './parts.ts';
import { createSheetRows, type OpenRow, type SheetTotals } from './sheet-rows.ts';
import type { SheetTable } from './sheet-table.ts';
import type { Culture, ShowNumber, ShownCell } from './shown-number.ts';
import { createItemText, decodeEscapes } from './strings.ts';
import { isTrue, type XmlElement } from './xml.ts';

/** What the cells of all sheets refer to. */
interface Book extends SheetTotals {
  readonly strings: readonly string[];
  readonly showNumberOf: (style: number) => ShowNumber;
  readonly culture: Culture;
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  readonly hasFormula: boolean;
  readonly value: string;
}

export function readSheet(
  parts: Parts,
  name: string,
  book: Book,
): Pick<SheetTable, 'rows' | 'hiddenRowCount'> {
  const rows = createSheetRows(book);
  const inlineText = createItemText();
  let row: OpenRow | undefined;
  let cell: OpenCell | undefined;
  // Some programs leave out the places of rows and cells.
  let line = 0;
  let column = -1;
  let isValue = false;

  function open(element: XmlElement): void {
    const { attribute } = element;
    if (element.name === 'row') {
      line = lineOf(attribute('r')) ?? line + 1;
      column = -1;
      row = { line, isHidden: isTrue(attribute('hidden')), cells: [], faults: new Map() };
    } else if (element.name === 'c') {
      column = columnOf(attribute('r')) ?? column + 1;
      const style = Number(attribute('s') ?? 0);
      cell = { column, type: attribute('t') ?? 'n', style, hasFormula: false, value: '' };
      inlineText.clear();
    } else if (element.name === 'f' && cell !== undefined) {
      cell = { ...cell, hasFormula: true };
    }
    isValue = element.name === 'v';
    inlineText.open(element);
  }

  function text(part: string): void {
    if (isValue && cell !== undefined) cell = { ...cell, value: cell.value + part };
    else inlineText.add(part);
  }

  function close(element: string): void {
    isValue = false;
    inlineText.close(element);
    if (element === 'c' && row !== undefined && cell !== undefined) {
      const isInline = cell.type === 'inlineStr';
      rows.addCell(row, cell.column, isInline ? { text: inlineText.read() } : show(cell, book));
      cell = undefined;
    } else if (element === 'row' && row !== undefined) {
      rows.addRow(row);
      row = undefined;
    }
  }

  const isFound = parts.read(name, { open, text, close });
  if (!isFound) throw new UnreadableFile(texts.damaged);
  return rows.finish();
}

/** The text that a spreadsheet shows in a cell. */
function show(cell: OpenCell, { strings, showNumberOf, culture }: Book): ShownCell {
  const { type, value, style, hasFormula } = cell;
  if (type === 'str') return { text: decodeEscapes(value) };
  // ISO 8601, in strict workbooks.
  if (type === 'd') return { text: value };
  if (value === '') return hasFormula ? { text: '', fault: texts.noResult } : { text: '' };
  if (type === 's') {
    const text = strings[Number(value)];
    if (text === undefined) throw new UnreadableFile(texts.damaged);
    return { text };
  }
  if (type === 'e') return { text: value, fault: texts.errorCell };
  if (type === 'b') return { text: format('General', isTrue(value), { locale: culture.locale }) };
  return showNumberOf(style)(value.trim());
}

function lineOf(text = ''): number | undefined {
  return /^\d{1,7}$/.test(text) ? Number(text) : undefined;
}

/** The column of a cell such as AB12. */
function columnOf(text = ''): number | undefined {
  const [, letters] = /^([a-z]{1,3})\d{1,7}$/i.exec(text) ?? [];
  if (letters === undefined) return undefined;
  const digitOf = (letter: string) => Number.parseInt(letter, 36) - 9;
  return [...letters].reduce((sum, letter) => sum * 26 + digitOf(letter), 0) - 1;
}
