import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { guessMapping, planImport } from '../src/console/import/import-plan.ts';
import { formatCsvLine, localSeparator, parseCsv, plainCell } from '../src/console/parts/csv.ts';

function cellsOf(text: string): readonly (readonly string[])[] {
  return parseCsv(text).rows.map(({ cells }) => cells);
}

describe('a CSV file', () => {
  test.each([
    ['commas', 'a,b\r\n1,2\r\n', ['a,b', '1,2']],
    ['semicolons, as in most of Europe', 'a;b\n1,5;2\n', ['a|b', '1,5|2']],
    ['tabs', 'a\tb\n1\t2', ['a|b', '1|2']],
    ['a byte order mark', '\ufeffa,b\n1,2', ['a|b', '1|2']],
    ['the line with which Excel names the separator', 'sep=;\r\na;b,c\r\n', ['a|b,c']],
    ['old line ends', 'a,b\r1,2\r', ['a|b', '1|2']],
    ['quotes, also around separators and line ends', '"a,""x""\nb",c\n', ['a,"x"\nb|c']],
    ['a quote that is not closed', 'a,b\n"x,y\n', ['a|b', 'x,y\n']],
    ['empty lines', '\n\na,b\n\n1,2\n,\n\n', ['a|b', '1|2']],
    ['an empty last cell', 'a,b\n1,', ['a|b', '1|']],
  ])('is read with %s', (_what, text, rows) => {
    const separator = rows[0] === 'a,b' ? ',' : '|';
    expect(cellsOf(text).map((cells) => cells.join(separator))).toEqual(rows);
  });

  test.each([
    [
      'with one column of texts with separators',
      'name\nBello, the Big\nRex\n',
      undefined,
      [1, 1, 1],
    ],
    ['with a quote in its header', 'name;height 5"\nRex;"3, 0"\n', ';', [2, 2]],
    ['with an empty first heading', '\tname\n1\tRex\n', '\t', [2, 2]],
    ['with one very long line', `"${'a'.repeat(2 ** 22)}`, undefined, [1]],
  ])('is read %s', (_what, text, separator, widths) => {
    const csv = parseCsv(text);
    expect(csv.separator).toBe(separator);
    expect(csv.rows.map(({ cells }) => cells.length)).toEqual(widths);
  });

  test('has the line on which each row begins', () => {
    const { rows } = parseCsv('name,category\n"two\nlines",1\nRex,2\n');
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 4]);
  });

  test('that the console exported is read with the same texts', () => {
    const formula = fc.constantFrom(..."=+-@＝＋－＠' \t\r\u00a0\u200b\ufeffx");
    const cell = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: formula, maxLength: 5 }),
    );
    const row = fc.tuple(fc.bigInt(), cell, cell);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), fc.constantFrom(',', ';', '\t'), (rows, by) => {
        const lines = [['id', 'a', 'b'], ...rows].map((cells) => formatCsvLine(cells, by));
        const text = `\ufeff${lines.join('')}`;
        const read = cellsOf(text)
          .slice(1)
          .map((cells) => cells.map(plainCell));
        expect(read).toEqual(rows.map(([id, ...rest]) => [String(id), ...rest]));
      }),
    );
  });

  test('has the list separator of the language', () => {
    expect(['en-US', 'de-DE', 'ja-JP', 'fr-FR'].map(localSeparator)).toEqual([',', ';', ',', ';']);
  });

  test.each([
    ...['=1+1', '+1', '-1', '@A1', '\tx', "'x"],
    ...[
      '＝1+1',
      '＋1',
      '－1',
      '＠A1',
      ' =1',
      '\u00a0=1',
      '\u200b=1',
      '\ufeff=1',
      '\u3000\u200b＝1',
    ],
  ])('is exported so that a spreadsheet does not run %j', (name) => {
    expect(formatCsvLine([name, ''], ',')).toMatch(/^"?'/);
  });
});

describe('an import', () => {
  const idOfName = (name: string) => (name.toLowerCase() === 'dogs' ? 7n : undefined);
  const planOf = (text: string) => {
    const csv = parseCsv(text);
    return planImport(csv, guessMapping(csv), idOfName);
  };

  test('finds the columns by their names, in any order', () => {
    const { rows } = planOf('status,Name,CategoryId\nsold,Rex,9223372036854775807\n');
    expect(rows).toEqual([
      {
        index: 1,
        line: 2,
        draft: {
          name: 'Rex',
          category: { kind: 'number', text: '9223372036854775807' },
          status: 'sold',
        },
      },
    ]);
  });

  test('asks for the meaning of columns with unknown names', () => {
    const german = parseCsv('Tiername;Tierart\nRex;Hund\n');
    const mapping = guessMapping(german);
    expect(mapping).toMatchObject({ hasHeader: undefined, columns: new Map() });
    const columns = new Map([
      ['name', 0],
      ['category', 1],
    ] as const);
    expect(planImport(german, { ...mapping, columns }, idOfName).rows).toEqual([]);
    const chosen = { ...mapping, hasHeader: true, columns };
    const { rows, columnNames } = planImport(german, chosen, idOfName);
    expect(rows.map(({ draft }) => draft.name)).toEqual(['Rex']);
    // The header of the rows that are skipped.
    expect(columnNames).toEqual(['name', 'category']);
    expect(guessMapping(parseCsv('Rex\nTom\n'))).toMatchObject({
      hasHeader: undefined,
      columns: new Map([['name', 0]]),
    });
  });

  test('skips a row with a text that is cut at a separator', () => {
    const { rows, faults } = planOf('name,status\nBello, the Big,sold\nRex,sold,\n');
    expect(rows.map(({ draft }) => draft.name)).toEqual(['Rex']);
    expect(faults).toMatchObject([{ column: 'Column 3', value: 'sold' }]);
  });

  test('asks for the meaning of unknown words for a status', () => {
    const csv = parseCsv('name,status\nRex,Verkauft\nTom,sold\nMia,?\n');
    const mapping = guessMapping(csv);
    expect(planImport(csv, mapping, idOfName)).toMatchObject({
      unknownStatusWords: ['verkauft', '?'],
      rows: [{ draft: { name: 'Tom' } }],
    });
    const statusWords = new Map([['verkauft', 'sold']] as const);
    expect(planImport(csv, { ...mapping, statusWords }, idOfName)).toMatchObject({
      unknownStatusWords: ['verkauft', '?'],
      rows: [
        { draft: { name: 'Rex', status: 'sold' } },
        { draft: { name: 'Tom', status: 'sold' } },
      ],
      faults: [{ value: '?' }],
    });
  });

  test('creates one category for a name, however its letters are composed', () => {
    const { newCategories } = planOf('name,category\nA,Vögel\nB,Vo\u0308gel\n');
    expect(newCategories).toEqual(['Vögel']);
  });

  test('prefers the number of a category to its name if an exported file has both', () => {
    const { rows } = planOf('id,name,categoryId,category,status\n1,Rex,5,Dogs,sold\n');
    expect(rows[0]?.draft.category).toEqual({ kind: 'number', text: '5' });
  });

  test('finds a category by its name, and creates each new one once', () => {
    const { rows, newCategories } = planOf('name,category\nRex,DOGS\nTom,Cats\nMia,cats\n');
    expect(rows.map(({ draft }) => draft.category)).toEqual([
      { kind: 'number', text: '7' },
      { kind: 'new', text: 'Cats' },
      { kind: 'new', text: 'cats' },
    ]);
    expect(newCategories).toEqual(['Cats']);
  });

  test.each([
    ['9.22E+18', 'category', 'Excel has shortened this number'],
    ['9,22337E+18', 'category', 'Excel has shortened this number'],
    ['9223372036854775808', 'category', 'This is not a whole number of 64 bits.'],
    ['1.5', 'category', 'This is not a whole number of 64 bits.'],
    ['', 'category', 'Enter a category, by its number or its name.'],
  ])('skips a row with the category %j, and gives the reason', (value, column, reason) => {
    const { rows, faults } = planOf(`name;category\nRex;${value}\nTom;1\n`);
    expect(rows).toHaveLength(1);
    expect(faults).toEqual([
      { index: 1, line: 2, column, value, reason: expect.stringContaining(reason) },
    ]);
  });

  test.each([
    ['', 'Enter a name.'],
    ['  ', 'Enter a name.'],
    ['x'.repeat(256), 'A name has at most 255 characters.'],
    ['"a\nb"', 'A name has no tabs, line ends or other control characters.'],
  ])('skips a row with the name %j', (name, reason) => {
    expect(planOf(`name,category\n${name},1\n`).faults[0]).toMatchObject({
      column: 'name',
      reason,
    });
  });

  test.each(['lost', '__proto__', 'constructor'])('skips a row with the status %s', (value) => {
    const { rows, faults } = planOf(`name,category,status\nRex,1,${value}\n`);
    expect([rows, faults]).toMatchObject([[], [{ column: 'status', value }]]);
  });
});
