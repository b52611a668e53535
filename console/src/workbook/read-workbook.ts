import { sheetsMax, UnreadableFile } from '../files/file-limits.ts';
import { workbookTexts as texts } from '../texts/files.ts';
import { openParts, type Parts } from './parts.ts';
import { readSheet } from './read-sheet.ts';
import { readStyles } from './read-styles.ts';
import type { SheetTable } from './sheet-table.ts';
import { createItemText } from './strings.ts';
import { isTrue } from './xml.ts';

/**
 * Reads the sheets that have rows, with the texts that a spreadsheet shows. Hidden sheets come last. The message of an
 * `UnreadableFile` is for the user.
 */
export async function readWorkbook(file: Blob, locale: string): Promise<SheetTable[]> {
  try {
    return readTables(openParts(new Uint8Array(await file.arrayBuffer())), locale);
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(texts.damaged, { cause: error });
  }
}

function readTables(parts: Parts, locale: string): SheetTable[] {
  const workbook = findWorkbook(parts);
  const { sheets, isDate1904 } = readSheetList(parts, workbook);
  const relations = readRelations(parts, workbook);
  const targetOf = (kind: string) => relations.find((relation) => relation.kind === kind)?.target;
  const culture = { locale, isDate1904 };
  const book = {
    strings: readStrings(parts, targetOf('sharedStrings')),
    showNumberOf: readStyles(parts, targetOf('styles'), culture),
    culture,
    cellCount: 0,
    textLength: 0,
  };
  const tables: SheetTable[] = [];
  for (const { name, relationId, isHidden } of sheets) {
    const relation = relations.find(({ id }) => id === relationId);
    // A sheet can also be a chart.
    if (relation?.kind !== 'worksheet') continue;
    const table = readSheet(parts, relation.target, book);
    if (table.rows.length > 0) tables.push({ name, isHidden, ...table });
  }
  return tables;
}

/** The name of the main part. */
function findWorkbook(parts: Parts): string {
  const relations = readRelations(parts, '');
  const name = relations.find(({ kind }) => kind === 'officeDocument')?.target;
  if (name !== undefined) {
    if (name.toLowerCase().endsWith('.bin')) throw new UnreadableFile(texts.binaryWorkbook);
    return name;
  }
  if (parts.isAny(/^index\/.*\.iwa$|^index\.zip$/)) {
    throw new UnreadableFile(texts.numbersDocument);
  }
  const isOpenDocument = parts.has('mimetype') && parts.has('content.xml');
  throw new UnreadableFile(isOpenDocument ? texts.openDocument : texts.notWorkbook);
}

interface SheetEntry {
  readonly name: string;
  readonly relationId: string | undefined;
  readonly isHidden: boolean;
}

function readSheetList(
  parts: Parts,
  workbook: string,
): { readonly sheets: readonly SheetEntry[]; readonly isDate1904: boolean } {
  const sheets: SheetEntry[] = [];
  let isDate1904 = false;
  let root = '';
  const isFound = parts.read(workbook, {
    open({ name, parent, attribute }) {
      root ||= name;
      if (name === 'workbookPr' && isTrue(attribute('date1904'))) isDate1904 = true;
      if (name !== 'sheet' || parent !== 'sheets') return;
      const state = attribute('state');
      // Only a program can show such a sheet.
      if (state === 'veryHidden') return;
      if (sheets.length === sheetsMax) throw new UnreadableFile(texts.tooManySheets(sheetsMax));
      sheets.push({
        name: attribute('name') ?? '',
        relationId: attribute('id'),
        isHidden: state === 'hidden',
      });
    },
  });
  if (!isFound) throw new UnreadableFile(texts.damaged);
  // Documents and presentations of the same family.
  if (root !== 'workbook') throw new UnreadableFile(texts.notWorkbook);
  sheets.sort((one, two) => Number(one.isHidden) - Number(two.isHidden));
  return { sheets, isDate1904 };
}

interface Relation {
  readonly id: string | undefined;
  /** The last word of its type, which is the same in all versions of the format. */
  readonly kind: string;
  readonly target: string;
}

/** The parts that a part refers to, or with '' those of the whole file. */
function readRelations(parts: Parts, from: string): readonly Relation[] {
  const slash = from.lastIndexOf('/') + 1;
  const folder = from.slice(0, slash);
  const relations: Relation[] = [];
  parts.read(`${folder}_rels/${from.slice(slash)}.rels`, {
    open({ name, attribute }) {
      if (name !== 'Relationship' || attribute('TargetMode') === 'External') return;
      relations.push({
        id: attribute('Id'),
        kind: attribute('Type')?.split('/').at(-1) ?? '',
        target: resolve(folder, attribute('Target') ?? ''),
      });
    },
  });
  return relations;
}

function resolve(folder: string, target: string): string {
  const path: string[] = [];
  for (const step of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (step === '..') path.pop();
    else if (step !== '' && step !== '.') path.push(step);
  }
  return path.join('/');
}

/** The texts that cells refer to by their places. */
function readStrings(parts: Parts, name: string | undefined): readonly string[] {
  const strings: string[] = [];
  if (name === undefined) return strings;
  const item = createItemText();
  parts.read(name, {
    open(element) {
      if (element.name === 'si') item.clear();
      item.open(element);
    },
    text: item.add,
    close(element) {
      item.close(element);
      if (element === 'si') strings.push(item.read());
    },
  });
  return strings;
}
