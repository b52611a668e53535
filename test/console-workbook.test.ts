import { describe, expect, test } from 'bun:test';
import { UnreadableFile } from '../console/src/files/file-limits.ts';
import { readCsvFile } from '../console/src/import/csv-file.ts';
import { readWorkbook } from '../console/src/workbook/read-workbook.ts';
import type { SheetTable } from '../console/src/workbook/sheet-table.ts';
import { makeWorkbook, textRows, type WorkbookOptions } from './support/workbook-files.ts';
import { makeZip } from './support/zip-archive.ts';

type Bytes = Uint8Array<ArrayBuffer>;

async function read(bytes: Bytes, locale = 'en-US'): Promise<SheetTable[]> {
  return await readWorkbook(new Blob([bytes]), locale);
}

/** The rows of the first sheet, with their lines. A cell with a fault has a `!`. */
async function rowsOf(bytes: Bytes, locale?: string): Promise<string[]> {
  const [sheet] = await read(bytes, locale);
  return (sheet?.rows ?? []).map(({ line, cells, faults }) => {
    const shown = cells.map((text, column) => (faults?.has(column) ? `${text}!` : text));
    return `${line}: ${shown.join('|')}`;
  });
}

/** The cell of a workbook with one number. */
async function shown(
  stored: string,
  format: string | number,
  locale?: string,
  options?: WorkbookOptions,
): Promise<string> {
  const cell = `<row r="1"><c r="A1" s="1"><v>${stored}</v></c></row>`;
  const rows = await rowsOf(makeWorkbook(cell, { formats: [format], ...options }), locale);
  return (rows[0] ?? '').replace('1: ', '');
}

async function refusalOf(read_: () => unknown): Promise<string> {
  try {
    await read_();
  } catch (error) {
    return error instanceof UnreadableFile ? error.message : `a fault: ${String(error)}`;
  }
  return 'read';
}

const relationTo = (kind: string, target: string) =>
  `<R><Relationship Id="rId1" Type="x/${kind}" Target="${target}"/></R>`;

describe('a workbook', () => {
  const shared = '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="C2" t="s"><v>0</v></c></row>';
  const strings = ['<t>Katze</t>', '<t xml:space="preserve"> Zoë </t>'];
  const plain = '<c r="A1"><v>1</v></c>';

  test.each<[string, Bytes, readonly string[]]>([
    [
      'of LibreOffice, with the types of all cells',
      makeWorkbook(
        '<row r="1" customFormat="false" hidden="false"><c r="A1" s="1" t="n"><v>7</v></c><c r="B1" s="2" t="n"><v>45657</v></c><c r="C1" s="1" t="str"><f aca="false">A1</f><v>é</v></c></row>',
        { formats: ['General', 'dd/mm/yy'] },
      ),
      ['1: 7|31/12/24|é'],
    ],
    [
      'with texts in the cells, and without places of rows and cells',
      makeWorkbook(textRows([['name', 'Art'], ['Mäuschen &amp; Co', 'Hündin'], [], ['Noël', '']])),
      ['1: name|Art', '2: Mäuschen & Co|Hündin', '4: Noël'],
    ],
    [
      'with names of parts in the style of Windows, or from the root',
      makeZip(
        Object.entries({
          '_rels\\.rels': relationTo('officeDocument', 'XL/Book.xml'),
          'xl\\book.xml': '<workbook><sheets><sheet name="A" r:id="rId1"/></sheets></workbook>',
          'xl\\_rels\\book.xml.rels': relationTo('worksheet', '../XL/./s.xml'),
          '/xl/s.xml': `<worksheet><sheetData><row>${plain}</row></sheetData></worksheet>`,
        }).map(([name, content]) => ({ name, content })),
      ),
      ['1: 1'],
    ],
    [
      'with formatted parts of a text, and how it is pronounced',
      makeWorkbook('<row><c t="s"><v>0</v></c></row>', {
        strings: [
          '<r><t>東</t></r><r><rPr><b/></rPr><t xml:space="preserve">京 </t></r><rPh sb="0" eb="1"><t>トウ</t></rPh>',
        ],
      }),
      ['1: 東京 '],
    ],
    [
      'with line breaks, emoji as numbers, and characters that XML cannot contain',
      makeWorkbook(
        '<row><c t="s"><v>0</v></c><c t="str"><f>A1</f><v>a_x0009_b_x005F_x0009_</v></c></row>',
        {
          strings: [
            '<t>Rex&#10;&#128054;&#x1F436;\r\n&lt;b&gt;&apos;&unknown;&constructor;_x0007_</t>',
          ],
        },
      ),
      ["1: Rex\n🐶🐶\n<b>'&unknown;&constructor;\u0007|a\tb_x0009_"],
    ],
    [
      'with results of formulas, and without them',
      makeWorkbook(
        '<row><c><f>1+1</f><v>2</v></c><c t="str"><f>A1&amp;"x"</f><v>2x</v></c><c t="str"><f>""</f><v></v></c><c t="b"><v>1</v></c></row><row><c><f>1+1</f><v></v></c><c><f>2+2</f></c></row>',
      ),
      ['1: 2|2x||TRUE', '2: !|!'],
    ],
    [
      'with errors of formulas',
      makeWorkbook('<row><c t="e"><f>A0</f><v>#REF!</v></c><c t="e"><v>#N/A</v></c></row>'),
      ['1: #REF!!|#N/A!'],
    ],
    [
      'with formats for all columns, many empty rows, and a row at the end',
      makeWorkbook(
        `<row r="1"><c r="A1"><v>1</v></c><c r="XFD1" s="1"/></row>${'<row/>'.repeat(200_001)}<row r="1048576"><c r="B1048576"><v>2</v></c></row>`,
        { formats: [9] },
      ),
      ['1: 1', '1048576: |2'],
    ],
    ['without rows', makeWorkbook('<row r="1"><c r="A1" s="1"/></row>'), []],
  ])('is read %s', async (_what, bytes, rows) => {
    expect(await rowsOf(bytes)).toEqual([...rows]);
  });

  test.each<[string, WorkbookOptions, number[]?]>([
    ['of Excel, with shared strings', {}],
    ['with prefixes and absolute targets', { prefix: 'x:', hasAbsoluteTargets: true }],
    ['of a program that writes the sizes after the data', { hasDescriptors: true }],
    ['of a program that writes numbers of 64 bits', { hasWideNumbers: true }],
    ['with other bytes at its end', {}, [13, 10]],
  ])('is read if it is one %s', async (_what, options, end = []) => {
    const bytes = makeWorkbook(shared, { strings, ...options });
    expect(await rowsOf(new Uint8Array([...bytes, ...end]))).toEqual(['2:  Zoë ||Katze']);
  });

  test('has its sheets with rows, hidden ones at the end, and counts its hidden rows', async () => {
    const row = (attributes: string) => `<row${attributes}><c><v>1</v></c></row>`;
    const sheets = await read(
      makeWorkbook([
        { name: 'Lists', rows: row(''), state: 'hidden' },
        { name: 'Only for programs', rows: row(''), state: 'veryHidden' },
        { name: 'Empty', rows: '<row hidden="1"/>' },
        { name: 'Tiere &amp; Halter', rows: row(' hidden="1"') + row('') + row(' hidden="true"') },
      ]),
    );
    expect(
      sheets.map((one) => [one.name, one.rows.length, one.hiddenRowCount, one.isHidden]),
    ).toEqual([
      ['Tiere & Halter', 3, 2, false],
      ['Lists', 1, 0, true],
    ]);
  });
});

describe('a number of a workbook', () => {
  test.each([
    ['General', '7', '7'],
    ['General', '1.1000000000000001', '1.1'],
    ['General', '2.9999999999999996', '3'],
    ['General', '0.30000000000000004', '0.3'],
    ['General', '1E-3', '0.001'],
    // Excel shows 2.76098E+14: the number of a chip.
    ['General', '276098106012345', '276098106012345'],
    ['General', '1.23456789012345E+14', '123456789012345'],
    ['0.00E+00', '123456', '123456'],
    ['#,##0.00', '1234567', '1234567'],
    ['#,##0.00', '1234567.5', '1,234,567.50'],
    ['0000', '7', '0007'],
    ['000\\-000', '123456', '123-456'],
    ['"Box "0', '5', 'Box 5'],
    [9, '0.5', '50%'],
    [49, '12', '12'],
    [';;;', '5', ''],
    // Formats that Excel could not read.
    ['0"', '5', '5'],
    ['', '5', '5'],
    // Other programs than Excel write all digits.
    ['General', '9223372036854775807', '9223372036854775807'],
    ['General', '9.2233720368547758E+18', '9.2233720368547758E+18!'],
    ['0', '9223372036854776000', '9223372036854776000!'],
    ['0', '1234567890123450', '1234567890123450!'],
    ['General', '1E+999', '1E+999!'],
    ['General', 'NaN', 'NaN!'],
  ] as const)(
    'with the format %j and the value %s is shown as %s',
    async (format, stored, text) => {
      expect(await shown(stored, format)).toBe(text);
    },
  );

  test.each([
    ['en-US', 14, '12/31/2024'],
    ['en-GB', 14, '31/12/2024'],
    ['de-DE', 14, '31.12.2024'],
    ['fr-FR', 15, '31-déc-24'],
    ['de-DE', 22, '31.12.2024 18:00'],
    ['de-DE', '[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', 'Dienstag, 31. Dezember 2024'],
    ['en-US', '[$-407]d. mmmm yyyy;@', '31. Dezember 2024'],
    ['en-US', 'dd\\.mm\\.yy', '31.12.24'],
    ['en-US', 'yyyy\\-mm\\-dd;@', '2024-12-31'],
    ['en-US', 18, '6:00 PM'],
    ['en-US', '[h]:mm', '1095786:00'],
  ] as const)(
    'is shown as a date: in a browser in %s, with the format %j, as %s',
    async (locale, format, text) => {
      expect(await shown('45657.75', format, locale)).toBe(text);
    },
  );

  test('is shown as a date in both ways to count days, with the 29 February 1900 of Excel', async () => {
    const format = 'yyyy-mm-dd';
    const inMac = { isDate1904: true };
    expect(await Promise.all(['59', '60', '61', '-1'].map((day) => shown(day, format)))).toEqual([
      '1900-02-28',
      '1900-02-29',
      '1900-03-01',
      '-1!',
    ]);
    expect(await shown('44195', format, 'en-US', inMac)).toBe('2024-12-31');
    expect(await shown('1.5', '[h]:mm', 'en-US', inMac)).toBe('36:00');
  });

  test('is not shown in place of a date that is stored as text', async () => {
    const cell = '<row><c t="d" s="1"><v>2024-12-31T00:00:00</v></c></row>';
    expect(await rowsOf(makeWorkbook(cell))).toEqual(['1: 2024-12-31T00:00:00']);
  });

  test('has the decimal separator and the words of the browser', async () => {
    expect(await shown('1.5', 'General', 'de-DE')).toBe('1,5');
    expect(await shown('1234567', '#,##0.00', 'de-DE')).toBe('1234567');
    const yes = makeWorkbook('<row><c t="b"><v>1</v></c></row>');
    expect(await rowsOf(yes, 'de-DE')).toEqual(['1: WAHR']);
  });
});

describe('a file that is not read', () => {
  const one = '<row><c><v>1</v></c></row>';
  const good = makeWorkbook(one);
  /** A workbook whose directory has another byte for its last part, the sheet. */
  const directoryWith = (place: number, byte: number) =>
    good.with(Buffer.from(good).lastIndexOf('PK\u0001\u0002') + place, byte);
  const sheetName = 'xl/worksheets/sheet1.xml';
  const withParts = (parts: WorkbookOptions['parts']) =>
    makeWorkbook(one, { ...(parts && { parts }) });
  const sheet = (content: string, before = '') =>
    withParts({ [sheetName]: `${before}<worksheet>${content}</worksheet>` });
  const wide = '<row><c r="SF1"><v>1</v></c></row>';
  const zipOf = (...names: string[]) => makeZip(names.map((name) => ({ name, content: '<x/>' })));
  const megabyte = `<a>${' '.repeat(2 ** 20 - 7)}</a>`;
  const spaces = Buffer.alloc(30 * 2 ** 20, megabyte);
  /** Each sheet has the same data. */
  const overlapping = () => {
    const content = Buffer.from(`<worksheet>${spaces}</worksheet>`);
    const names = [1, 2, 3, 4].map((number) => `xl/worksheets/sheet${number}.xml`);
    const parts = Object.fromEntries(names.map((name) => [name, content]));
    return makeWorkbook(Array(4).fill({ rows: '' }), { parts, overlaps: true });
  };

  const filesBy: Readonly<Record<string, Readonly<Record<string, () => Bytes>>>> = {
    'The workbook is damaged.': {
      'a cut workbook': () => good.slice(0, good.length - 30),
      'an archive with a wrong byte': () => good.with(good.length >> 1, 0x55),
      'an archive with a wrong checksum': () => directoryWith(16, 0),
      'an archive that is encrypted': () => directoryWith(8, 1),
      'an archive with another compression': () => directoryWith(10, 12),
      'an archive with a wrong size': () =>
        makeZip([{ name: '_rels/.rels', content: ' '.repeat(2 ** 20), declaredBytes: 10 }]),
      'a workbook without its sheet': () =>
        withParts({ 'xl/_rels/workbook.xml.rels': relationTo('worksheet', 'gone.xml') }),
      'a text that does not exist': () => makeWorkbook('<row><c t="s"><v>5</v></c></row>'),
      'a text of 6 MB': () => sheet(`<a>${'&amp;'.repeat(1_300_000)}</a>`),
      'a sheet that is cut': () => sheet('<sheetData><row>'),
      'a sheet with entities that expand': () =>
        sheet(
          '<sheetData><row><c t="str"><v>&b;</v></c></row></sheetData>',
          '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>',
        ),
    },
    'This file is not an .xlsx workbook.': {
      'a zip archive of other files': () => zipOf('notes.txt'),
      'a document of Word': () => withParts({ 'xl/workbook.xml': '<w:document/>' }),
      'a workbook in a zip archive': () => makeZip([{ name: 'a.xlsx', content: good }]),
      'a workbook among very many files': () =>
        withParts(Object.fromEntries(Array.from({ length: 10_000 }, (_none, name) => [name, '']))),
    },
    'This is an OpenDocument file (.ods).': {
      'an .ods file': () => zipOf('mimetype', 'content.xml'),
    },
    'This is a Numbers document.': { 'a .numbers file': () => zipOf('Index/Document.iwa') },
    'This is a binary workbook (.xlsb).': {
      'an .xlsb file': () =>
        withParts({ '_rels/.rels': relationTo('officeDocument', 'xl/workbook.bin') }),
    },
    'The content of the workbook is larger than 100 MB.': {
      'a sheet that unpacks to 120 MB': () =>
        withParts({ [sheetName]: Buffer.concat([Buffer.from('<a>'), ...Array(4).fill(spaces)]) }),
      'sheets that share their data': overlapping,
      'cells that repeat a long text': () =>
        makeWorkbook('<row><c t="s"><v>0</v></c></row>'.repeat(120), {
          strings: [`<t>${'a'.repeat(2 ** 20)}</t>`],
        }),
    },
    'The file has more than 500 columns.': {
      '501 columns': () => makeWorkbook('<row><c r="SG1"><v>1</v></c></row>'),
    },
    'The file has more than 200,000 rows. Split it.': {
      '200 001 rows': () => makeWorkbook(one.repeat(200_001)),
    },
    'The workbook has more than 10,000,000 cells.': {
      'very many cells, although most are empty': () => makeWorkbook(wide.repeat(20_001)),
      'many sheets, each with many cells': () =>
        makeWorkbook(Array(2).fill({ rows: wide.repeat(11_000) })),
    },
    'The workbook has more than 500 sheets.': {
      '501 sheets': () => makeWorkbook(Array(501).fill({ rows: one })),
    },
  };

  describe.each(Object.entries(filesBy))('because: %s', (message, files) => {
    test.each(Object.entries(files))('is %s', async (_what, make) => {
      expect(await refusalOf(() => read(make()))).toStartWith(message);
    });
  });
});

describe('a CSV file', () => {
  const rowsIn = (bytes: Bytes) => readCsvFile(bytes).rows.map(({ cells }) => cells.join('|'));
  const text = 'sep=;\r\nname;Größe\r\n"Zoë; ""Z""";"5\n6"\r\n';
  const rows = ['name|Größe', 'Zoë; "Z"|5\n6'];
  const swapped = (bytes: Buffer) => new Uint8Array(bytes.swap16());

  test.each<[string, Bytes, boolean]>([
    ['UTF-8', new Uint8Array(Buffer.from(text)), true],
    ['UTF-8 with a mark', new Uint8Array(Buffer.from(`\ufeff${text}`)), true],
    ['UTF-16', new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le')), true],
    ['UTF-16 of old Macs', swapped(Buffer.from(`\ufeff${text}`, 'utf16le')), true],
    ['Windows-1252', new Uint8Array(Buffer.from(text, 'latin1')), false],
  ])('is read in %s', (_what, bytes, isUtf8) => {
    expect(rowsIn(bytes)).toEqual(rows);
    expect(readCsvFile(bytes).isUtf8).toBe(isUtf8);
  });

  const bytesOf = (content: string) => new Uint8Array(Buffer.from(content));
  const ole = (part: string) =>
    new Uint8Array([...Buffer.from('d0cf11e0a1b11ae1', 'hex'), ...Buffer.from(part, 'utf16le')]);
  test.each<[string, Bytes, string]>([
    ['an empty file', bytesOf(''), 'The file has no rows.'],
    ['empty lines', bytesOf('\r\n;;\r\n'), 'The file has no rows.'],
    ['an .xls file', ole('Root EntryWorkbook'), 'This is a workbook of the old format .xls.'],
    ['a workbook with a password', ole('EncryptedPackage'), 'This workbook has a password.'],
    ['another old file', ole('WordDocument'), 'This is a workbook of the old format .xls, or'],
    [
      'a picture',
      new Uint8Array(Buffer.from('\x89PNG\r\n\0\0', 'latin1')),
      'This file is not a table.',
    ],
    ['a web page called .xls', bytesOf('\n<html><table>'), 'This file is not a table.'],
    ['501 columns', bytesOf(`a${',b'.repeat(500)}`), 'The file has more than 500 columns.'],
    ['200 001 rows', bytesOf('a\n'.repeat(200_001)), 'The file has more than 200,000 rows.'],
  ])('is refused if it is %s', async (_what, bytes, message) => {
    expect(await refusalOf(() => readCsvFile(bytes))).toStartWith(message);
  });
});
