import { makeZip, type ZipEntry } from './zip-archive.ts';

interface SheetParts {
  readonly name?: string;
  readonly state?: 'hidden' | 'veryHidden';
  /** The content of `sheetData`. */
  readonly rows: string;
}

export interface WorkbookOptions {
  /** The texts of the shared strings, as XML of their items. */
  readonly strings?: readonly string[];
  /** The codes of the number formats 164, 165, …, with the styles 1, 2, …. A number is a built-in format. */
  readonly formats?: readonly (string | number)[];
  readonly isDate1904?: boolean;
  /** Of all elements, such as `x:`. */
  readonly prefix?: string;
  readonly hasAbsoluteTargets?: boolean;
  readonly hasDescriptors?: boolean;
  readonly hasWideNumbers?: boolean;
  /** Parts with the same content object share their data. */
  readonly overlaps?: boolean;
  /** Replaces the parts with these names, or adds them. */
  readonly parts?: Readonly<Record<string, string | Uint8Array>>;
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Makes an .xlsx file with the parts that spreadsheet programs write. */
export function makeWorkbook(
  sheets: readonly SheetParts[] | string,
  options: WorkbookOptions = {},
): Uint8Array<ArrayBuffer> {
  const list = typeof sheets === 'string' ? [{ rows: sheets }] : sheets;
  return makeZip(
    Object.entries({ ...makeParts(list, options), ...options.parts }).map(
      ([name, content]): ZipEntry => ({
        name,
        content,
        hasDescriptor: options.hasDescriptors ?? false,
        isWide: options.hasWideNumbers ?? false,
      }),
    ),
    options.overlaps,
  );
}

function makeParts(
  sheets: readonly SheetParts[],
  options: WorkbookOptions,
): Record<string, string | Uint8Array> {
  const { strings = [], formats = [], isDate1904 = false, prefix = '' } = options;
  const folder = options.hasAbsoluteTargets ? '/xl/' : '';
  const xml = (content: string) =>
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n${content.replace(/<(\/?)(?=\w)/g, `<$1${prefix}`)}`;
  const root = `${prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`}="${main}"`;
  const formatIds = formats.map((format, index) =>
    typeof format === 'number' ? format : 164 + index,
  );
  const relations = [
    ...sheets.map((_sheet, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const),
    ['styles', 'styles.xml'] as const,
    ['sharedStrings', 'sharedStrings.xml'] as const,
  ];
  return {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': relationships([['officeDocument', `${folder && '/'}xl/workbook.xml`]]),
    'xl/workbook.xml': xml(
      `<workbook ${root} xmlns:r="${office}"><workbookPr${isDate1904 ? ' date1904="1"' : ''}/><sheets>${sheets
        .map(
          ({ name, state }, index) =>
            `<sheet name="${name ?? `Sheet${index + 1}`}" sheetId="${index + 7}"${state ? ` state="${state}"` : ''} r:id="rId${index + 1}"/>`,
        )
        .join('')}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': relationships(
      relations.map(([kind, target]) => [kind, folder + target] as const),
    ),
    'xl/styles.xml': xml(
      `<styleSheet ${root}><numFmts>${formats
        .map((format, index) =>
          typeof format === 'string'
            ? `<numFmt numFmtId="${164 + index}" formatCode="${format.replaceAll('"', '&quot;')}"/>`
            : '',
        )
        .join(
          '',
        )}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formatIds
        .map((id) => `<xf numFmtId="${id}" applyNumberFormat="1"/>`)
        .join(
          '',
        )}</cellXfs><dxfs><dxf><numFmt numFmtId="164" formatCode="0%"/></dxf></dxfs></styleSheet>`,
    ),
    'xl/sharedStrings.xml': xml(
      `<sst ${root}>${strings.map((item) => `<si>${item}</si>`).join('')}</sst>`,
    ),
    ...Object.fromEntries(
      sheets.map(({ rows }, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        xml(`<worksheet ${root}><dimension ref="A1"/><sheetData>${rows}</sheetData></worksheet>`),
      ]),
    ),
  };
}

function relationships(list: readonly (readonly [kind: string, target: string])[]): string {
  const items = list.map(
    ([kind, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${office}/${kind}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`;
}

/** Rows of texts as some programs write them: in the cells, and without places. */
export function textRows(rows: readonly (readonly string[])[]): string {
  const cellOf = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  return rows.map((cells) => `<row>${cells.map(cellOf).join('')}</row>`).join('');
}
