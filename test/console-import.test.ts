import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { CategoryChoice } from '../console/src/categories/category-choice.ts';
import { formatCsvLine, localSeparator, parseCsv, plainCell } from '../console/src/files/csv.ts';
import {
  exportedColumnsOf,
  guessMapping,
  type Mapping,
} from '../console/src/import/prepare/mapping.ts';
import { type Matches, noMatches, planImport } from '../console/src/import/prepare/plan-import.ts';
import { readRows } from '../console/src/import/prepare/read-rows.ts';
import { describeResult, listRows, showCells } from '../console/src/import/prepare/shown-rows.ts';
import type { CategoryIndex } from '../console/src/import/prepare/words.ts';

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
    ['with one column of texts', 'name\nBello, the Big\nRex\n', undefined, [1, 1, 1]],
    ['with a quote in its header', 'name;height 5"\nRex;"3, 0"\n', ';', [2, 2]],
    ['with an empty first heading', '\tname\n1\tRex\n', '\t', [2, 2]],
    ['below a title without separators', 'Home\n\nname;x\nRex;1\n', ';', [1, 2, 2]],
    ['below a title with another', 'Home, 2026\nname;x\nRex;1\n', ';', [1, 2, 2]],
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

  const formulas =
    "=1+1|+1|-1|@A1|\tx|'x|＝1+1|＋1|－1|＠A1| =1|\u00a0=1|\u200b=1|\ufeff=1|\u3000\u200b＝1";
  test.each(formulas.split('|'))('is exported so that a spreadsheet does not run %j', (name) => {
    expect(formatCsvLine([name, ''], ',')).toMatch(/^"?'/);
  });
});

describe('an import', () => {
  const categories: CategoryIndex = {
    idOf: (name) => (name.toLowerCase() === 'dogs' ? 7n : undefined),
    nameOf: (id) => (id === 7n ? 'Dogs' : undefined),
  };

  /** Reads and plans a file with the answers of a user, by default to create all new categories. */
  function planOf(text: string, answers: Partial<Mapping> = {}, matches: Matches = noMatches) {
    const csv = parseCsv(text);
    const mapping = { ...guessMapping(csv.rows), ...answers };
    const asked = readRows(csv, mapping, categories);
    const created = asked.categoryWords.flatMap(({ key, newName }) =>
      newName === undefined ? [] : [[key, { kind: 'new', text: newName }] as const],
    );
    const categoryWords = new Map([...created, ...mapping.categoryWords]);
    const answered = { ...mapping, categoryWords };
    const read = readRows(csv, answered, categories);
    return { ...{ mapping, asked, answered, read }, ...planImport(read, answered, matches) };
  }
  const names = { nameOf: () => undefined };
  const numberOf = (text: string) => ({ kind: 'number', text }) as const;
  const namesOf = ({ rows }: ReturnType<typeof planOf>) => rows.map(({ draft }) => draft.name);

  test('finds the columns by their names, in any order', () => {
    const { rows } = planOf('status,Name,CategoryId\nsold,Rex,9223372036854775807\n');
    expect(rows).toEqual([
      {
        index: 1,
        line: 2,
        draft: { name: 'Rex', category: numberOf('9223372036854775807'), status: 'sold' },
        animalId: undefined,
      },
    ]);
  });

  test.each([
    ['Rufname;Tierart;Status', [0, 1, 2]],
    ['Nr.;NAME DES TIERES;Spezies;Zustand', [1, 2, 3]],
    ['Tiername:;Gattung*;Verfugbarkeit', [0, 1, undefined]],
    ['Tier-Name;Art;VERFÜGBARKEIT', [0, 1, 2]],
    ['Hundename;Art;Status', [0, 1, 2]],
    ['Verfuegbarkeit;Name (wie im Impfpass);category_id', [1, 2, 0]],
    ['Tier;Kategorie;Status;Vermittlungsstatus', [undefined, 1, 3]],
    ['Tiername;Name (Halter);Art;Tierart', [0, 3, undefined]],
    ['Name;Vorname;Rufname;Kategorie', [2, 3, undefined]],
    ['Name (Besitzer);Gattung;Status (frei/reserviert)', [undefined, 1, 2]],
    [`${'('.repeat(300_000)};Tierart;Status`, [undefined, 1, 2]],
    ['Tier;Rufname;Status', [1, undefined, 2]],
    ['Tierart', [undefined, 0, undefined]],
    ['Name;Tierart;Name', [undefined, 1, undefined]],
  ])('finds the columns %j', (header, [name, category, status]) => {
    const cells = header.split(';').map(() => 'x');
    const { columns } = guessMapping(parseCsv(`${header}\n${cells.join(';')}\n`).rows);
    const found = (['name', 'category', 'status'] as const).map((one) => columns.get(one));
    expect(found).toEqual([name, category, status]);
  });

  test.each([
    ['below titles', 'Tierheim;;\nStand: 2026;;\nName;Tierart;Status\nRex;Hund;frei\n', 2],
    ['of one column', 'Rufname\nRex\nTom\n', 0],
    ['of which one is known, if no row is wider', 'Name;Farbe\nRex;rot\n', 0],
    ['not in a similar title', 'Status;Entwurf;\nRuf;Farbe;Ort\nRex;rot;A\n', undefined],
    ['not in an animal that is available', 'Rex;Hund;verfügbar\nTom;Hund;available\n', undefined],
    ['not if none is known', 'Rex;Hund\nTom;Hund\n', undefined],
  ])('finds the row of the headings %s', (_what, text, row) => {
    expect(guessMapping(parseCsv(text).rows).headingRow).toBe(row);
  });

  test('reads no row until the user has chosen the headings', () => {
    const text = 'Ruf;Kind of animal\nRex;Dogs\n';
    expect(planOf(text)).toMatchObject({ rows: [], faults: [] });
    const columns = new Map([
      ['name', 0],
      ['category', 1],
    ] as const);
    const chosen = planOf(text, { headingRow: 0, columns, forAll: { status: 'sold' } });
    expect(chosen.rows.map(({ draft }) => draft)).toEqual([
      { name: 'Rex', category: numberOf('7'), status: 'sold' },
    ]);
    // The header of the rows that are left out.
    expect(chosen.columnNames).toEqual(['name', 'category']);
    const all = { headingRow: -1, columns, forAll: { status: 'sold' } } as const;
    expect(namesOf(planOf(text, all))).toEqual(['Ruf', 'Rex']);
  });

  test.each([
    ['Summe;62;', 1],
    ['Gesamt: 63;;', 1],
    ['Anzahl Tiere;;63', 1],
    [';TOTAL;1.234,00 €', 1],
    ['Gesamtzahl;;\nSumme;3;', 2],
    ['Zwischensumme Esel: 2;;\nGesamtzahl: 3;;\nStand: 1.10.2026;;\nerstellt von Frau Krause;;', 4],
    ['Summe;3;\nFrau Krause;;', 2],
    ['Frau Krause;;', 0],
    ['Total;Hund;sold', 0],
    ['Sumo;7;', 0],
  ])('leaves out the last rows %j if they look like totals', (last, count) => {
    const text = `name;category;status\nRex;7;sold\n${last}\n`;
    const { totals, rows } = planOf(text);
    expect([totals.length, rows[0]?.draft.name]).toEqual([count, 'Rex']);
    const { totals: none, read } = planOf(text, { keepsTotals: true });
    const rowCount = last.split('\n').length + 1;
    expect([none.length, read.rows.length + read.faults.length]).toEqual([0, rowCount]);
    // A row of a file with the rows that an import left out also has its line and the reason.
    const reasons = planOf(
      text.replaceAll('\n', ';3;\n').replace('status;3;', 'status;line;reason'),
    );
    expect(reasons.totals).toHaveLength(count);
  });

  test.each([
    ['Art', '3\n12', true],
    ['Art', '3\n7', false],
    ['Art', '3\nOwls', false],
    ['categoryId', '3\n12', false],
  ])('asks if a column %s with %j has categories', (heading, cells, isAsked) => {
    const text = `${heading};name;x\n${cells.replaceAll('\n', ';A;\n')};B;\n`;
    expect(planOf(text).read.areNumbersUnknown).toBe(isAsked);
  });

  test('skips a row with a text that is cut at a separator', () => {
    const plan = planOf('name,status\nBello, the Big,sold\nRex,sold,\n', {
      forAll: { category: numberOf('7') },
    });
    expect(namesOf(plan)).toEqual(['Rex']);
    expect(plan.faults).toMatchObject([{ column: 'Column 3', value: 'sold' }]);
  });

  test('knows words of a status in English and German, and asks for the others', () => {
    const text =
      'name,category,status\nRex,7,Verkauft\nTom,7,sold\nMia,7,?\nBo,7,reserviert\nAl,7,\nJo,7,Reserved\n';
    const rowsOf = ({ rows }: ReturnType<typeof planOf>) =>
      rows.map(({ draft }) => `${draft.name} ${draft.status}`).join(', ');
    const plan = planOf(text);
    expect(plan.asked.statusWords.map(({ key }) => key)).toEqual([
      'verkauft',
      '?',
      'reserviert',
      '',
    ]);
    expect(rowsOf(plan)).toBe('Rex sold, Tom sold, Bo pending, Jo pending');
    const statusWords = new Map([
      ['?', 'sold'],
      ['', 'none'],
      ['verkauft', 'pending'],
    ] as const);
    const answered = planOf(text, { statusWords });
    expect(rowsOf(answered)).toBe('Rex pending, Tom sold, Mia sold, Bo pending, Jo pending');
    expect(answered.faults).toMatchObject([{ line: 6, column: 'status', value: '' }]);
  });

  test('asks for the meaning of words of a category that the catalogue does not have', () => {
    const text = 'name,category,status\nRex,DOGS,sold\nTom,Hund,frei\nMia,hund,x\nBo,Katze,sold\n';
    const { asked } = planOf(text);
    expect(asked.rows.map(({ draft }) => draft.name)).toEqual(['Rex']);
    // A row can ask for both of its words.
    expect(asked.statusWords.map(({ key }) => key)).toEqual(['frei', 'x']);
    expect(asked.categoryWords.map(({ text: word, rowCount }) => [word, rowCount])).toEqual([
      ['Hund', 2],
      ['Katze', 1],
    ]);
    const categoryWords = new Map<string, CategoryChoice | 'none'>([
      ['hund', numberOf('7')],
      ['katze', 'none'],
    ]);
    const { rows, newCategories } = planOf(text, { categoryWords });
    expect(rows.map(({ draft }) => [draft.name, draft.category.text])).toEqual([
      ['Rex', '7'],
      ['Tom', '7'],
    ]);
    expect(newCategories).toEqual([]);
  });

  test('creates one category for a name, however its letters are composed, and none for rows that are left out', () => {
    const { newCategories } = planOf(
      'name,category,status\nA,Vögel,sold\nB,Vo\u0308gel,sold\nC,VÖGEL,sold\nD,Fische,?\n',
    );
    expect(newCategories).toEqual([{ name: 'Vögel', id: undefined }]);
  });

  describe('of an exported file', () => {
    const header = 'id,name,categoryId,category,status';

    test.each([
      [
        'creates a category with its number and name',
        '5,Cats',
        numberOf('5'),
        [{ id: 5n, name: 'Cats' }],
      ],
      ['finds a category with its number and name', '7,dogs', numberOf('7'), []],
      ['keeps a number without a name', '5,', numberOf('5'), []],
    ])('%s', (_what, cells, category, created) => {
      const { rows, newCategories, asked } = planOf(`${header}\n1,Rex,${cells},sold\n`);
      expect(asked.categoryWords).toEqual([]);
      expect(rows[0]?.draft.category).toEqual(category);
      expect(newCategories).toEqual(created);
    });

    test.each([
      ['the number has another name', '7,Cats', 'Cats', undefined],
      ['the number has a name here, and none in the file', '7,', undefined, undefined],
      ['the name has another number', '5,Dogs', undefined, '5'],
    ])('asks if %s in the catalogue', (_what, cells, newName, freeNumber) => {
      const { asked } = planOf(`${header}\n1,Rex,${cells},sold\n`);
      expect(asked.rows).toEqual([]);
      expect(asked.categoryWords).toMatchObject([{ newName, freeNumber }]);
    });

    test('asks if it has two names for a number', () => {
      const { asked } = planOf(`${header}\n1,Rex,5,Cats,sold\n2,Tom,5,Birds,sold\n`);
      expect(asked.categoryWords).toMatchObject([{ text: '5, Birds' }]);
    });

    test('has the numbers of animals, unless another program has added them', () => {
      const idOf = (text: string) => {
        const { rows } = parseCsv(text);
        return exportedColumnsOf(rows, guessMapping(rows)).id;
      };
      expect(idOf(`${header},notes\n`)).toBe(0);
      expect(idOf('status,id,name\n')).toBe(1);
      expect(idOf('id,Rufname,Tierart,status\n')).toBeUndefined();
      // Rows that were left out keep that difference.
      expect(planOf(`${header}\n`).columnNames).toEqual(header.split(','));
      const { columnNames } = planOf('id,Rufname,Tierart,status\n');
      expect(columnNames).toEqual(['Column 1', 'name', 'category', 'status']);
    });

    test('updates what differs, adds unknown numbers, and leaves the other members as they are', () => {
      const pets = new Map(
        [1n, 2n].map(
          (id) => [id, { id, name: `Pet ${id}`, categoryId: 7n, status: 'sold' }] as const,
        ),
      );
      const matches = { found: new Map(), imported: new Map(), pets };
      const update = { mode: 'update' } as const;
      const whole = planOf(
        `${header}\n1,Pet 1,7,Dogs,sold\n2,Pet 2,7,Dogs,pending\n3,Pet 3,7,Dogs,sold\n2,Again,7,Dogs,sold\n`,
        update,
        matches,
      );
      expect(whole.rows.map(({ animalId, draft }) => [animalId, draft.name])).toEqual([
        [2n, 'Pet 2'],
        [undefined, 'Pet 3'],
      ]);
      expect(whole.skipped).toMatchObject([{ animalId: 1n, why: 'there' }]);
      expect(whole.faults).toMatchObject([{ line: 5, column: 'id', value: '2' }]);
      const part = planOf('id,status\n1,pending\n2,sold\n3,sold\n', update, matches);
      expect(part).toMatchObject({
        given: ['status'],
        rows: [{ animalId: 1n, draft: { status: 'pending' } }],
        skipped: [{ animalId: 2n, why: 'there' }],
        faults: [{ line: 4, column: 'id' }],
      });
    });
  });

  test('finds rows with the same name and category, and leaves them out or adds them', () => {
    const text =
      'name,category,status\nRex,7,sold\nREX ,dogs,sold\nRex,8,sold\nMia,Owls,sold\nmia,owls,sold\n';
    const plan = planOf(text);
    expect(plan.repeatedCount).toBe(2);
    expect([...plan.repeated]).toEqual([1, 2, 4, 5]);
    expect(plan.skipped).toMatchObject([
      { line: 3, why: 'repeated' },
      { line: 6, why: 'repeated' },
    ]);
    expect(planOf(text, { repeated: 'add' }).rows).toHaveLength(5);
  });

  test('leaves out animals that are in the catalogue already, unless the user wants them twice and no import of the file added them', () => {
    const text = 'name,category,status\nRex,7,sold\nRex,7,sold\nMia,7,sold\n';
    const matches = { found: new Map([[1, { id: 5n }]]), pets: new Map(), imported: new Map() };
    const plan = planOf(text, { repeated: 'add' }, matches);
    expect(plan.skipped).toMatchObject([{ line: 2, why: 'there' }]);
    expect(plan.rows).toHaveLength(2);
    const addsFound = { repeated: 'add', addedFound: new Set([1]) } as const;
    expect(planOf(text, addsFound, matches).rows).toHaveLength(3);
    const imported = planOf(text, addsFound, { ...matches, imported: new Map([[1, 5n]]) });
    expect(imported).toMatchObject({
      foundRows: [],
      skipped: [{ line: 2, why: 'imported', found: { id: 5n } }],
    });
  });

  test('shows for each row what the import will do, or that it is not decided yet', () => {
    const text =
      'name,category,status\nRex,7,ill\nTom,7,sold\nTom,7,sold\nMia,7,sold\n,7,sold\nSumme,40,\n';
    const found = new Map([[4, { id: 12n, status: 'sold' } as const]]);
    const listsOf = (answers: Partial<Mapping>, matches: Matches, isSearched: boolean) => {
      const plan = planOf(text, answers, matches);
      return listRows(plan, { isSearched, repeated: plan.mapping.repeated });
    };
    const countsOf = ({ add, there, undecided, leftOut }: ReturnType<typeof listRows>) =>
      [add, there, undecided, leftOut].map(({ length }) => length);
    // Before all words have an answer, and before the catalogue is searched.
    expect(countsOf(listsOf({}, noMatches, false))).toEqual([0, 0, 4, 2]);
    const statusWords = new Map([['ill', 'none']] as const);
    const matches = { ...noMatches, found };
    expect(countsOf(listsOf({ statusWords }, matches, true))).toEqual([1, 1, 1, 3]);
    const repeated = 'leave out';
    expect(countsOf(listsOf({ statusWords, repeated }, matches, true))).toEqual([1, 1, 0, 4]);
    // Rows of an earlier import are known at once, also if they have words without an answer.
    const imported = new Map([
      [1, 2n],
      [2, 3n],
    ]);
    const earlier = listsOf({}, { ...noMatches, imported }, false);
    expect(countsOf(earlier)).toEqual([0, 2, 2, 2]);
    expect(earlier.all.slice(0, 1).map(describeResult)).toEqual(['was imported before']);
  });

  test('shows the values before an update, and the names of categories that an export brings', () => {
    const file =
      'id,name,categoryId,category,status\n1,Rex,7,Dogs,sold\n2,Tom,58,Igel,sold\nSumme 2,,,,\n';
    const pet = { id: 1n, name: 'Rex', categoryId: 7n, status: 'available' } as const;
    const matches = { ...noMatches, pets: new Map([[1n, pet]]) };
    const plan = planOf(file, { mode: 'update' }, matches);
    const { rows } = parseCsv(file);
    const shown = listRows(plan, { isSearched: true, repeated: undefined }).all.map((one) =>
      showCells(one, { rows, plan, columns: new Map(), names }),
    );
    expect(shown).toEqual([
      ['Rex', '7', 'available → sold'],
      ['Tom', 'Igel (new)', 'sold'],
      // The numbers of a total are not those of an animal.
      ['', '', ''],
    ]);
    expect(plan.unknownCount).toBe(1);
    const found = new Map([[2, { id: 9n }]]);
    expect(planOf(file, { mode: 'update' }, { ...matches, found }).unknownCount).toBe(0);
  });

  test('leaves out a row whose cell the spreadsheet could not show, unless the cell is not imported', () => {
    const cells = ['Rex', '7', 'sold', '#REF!'];
    const rows = [
      { line: 1, cells: ['name', 'category', 'status', 'note'] },
      { line: 2, cells, faults: new Map([[3, 'An error.']]) },
      { line: 3, cells, faults: new Map([[1, 'An error.']]) },
    ];
    const read = readRows({ rows, separator: undefined }, guessMapping(rows), categories);
    expect(read.rows).toMatchObject([{ line: 2 }]);
    expect(read.faults).toMatchObject([{ line: 3, column: 'category', reason: 'An error.' }]);
  });

  const shortened = 'Excel has shortened this number';
  const notWhole = 'This is not a whole number of 64 bits.';
  test.each([
    ['name', '', 'The name is missing.'],
    ['name', '  ', 'The name is missing.'],
    ['name', 'x'.repeat(256), 'A name has at most 255 characters.'],
    ['name', 'a\nb', 'A name has no tabs, line ends or other control characters.'],
    ['category', '', 'The category is missing.'],
    ['category', '9.22E+18', shortened],
    ['category', '9,22337E+18', shortened],
    ['category', '9223372036854775808', notWhole],
    ['category', '1.5', notWhole],
    ['status', 'lost', ''],
    ['status', '__proto__', ''],
    ['status', 'constructor', ''],
  ])('skips a row with the %s %j, and gives the reason', (column, value, reason) => {
    const row = { name: 'Rex', category: '1', status: 'sold', [column]: `"${value}"` };
    const { rows, faults } = planOf(
      `name;category;status\n${row.name};${row.category};${row.status}\nTom;1;sold\n`,
    );
    expect(rows).toHaveLength(1);
    expect(faults).toMatchObject([
      { index: 1, line: 2, column, value, reason: expect.stringContaining(reason) },
    ]);
  });
});
