import type { PetStatus } from '../../client/src/contract.ts';
import { makeWorkbook, textRows } from './workbook-files.ts';

const names =
  'Äffchen Bärbel Cäsar Dörte Emil Fräulein_Frieda Größe Hänsel Ilse Jörg Käthe Lümmel Mäuschen Nüsschen Öhrchen Püppi Quäker Rüdiger Süße Tüte Übermut Völkchen Wölfi Xaver Yoshi Zottel Anton Bella Coco Diego Elsa Findus Gina Hasso Indi Jule Krümel Lotte Minka Nero Oskar Paula Queenie Rocky Susi Tasso Uschi Viktor Wilma Xena Ypsi Zora Akela Balu Charly Dobby Ella Felix Garfield Hermine'
    .split(' ')
    .map((name) => name.replace('_', ' '));

const species = ['Hund', 'Katze', 'Kaninchen'] as const;

const words: Readonly<Record<string, PetStatus>> = {
  frei: 'available',
  reserviert: 'pending',
  vermittelt: 'sold',
  Frei: 'available',
};

interface GermanAnimal {
  readonly name: string;
  readonly species: string;
  readonly status: PetStatus;
}

const statusWords = Object.keys(words);

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('The list is empty');
  return item;
}

const speciesOf = (index: number) => pick(species, index + Math.floor(index / 7));

const animalRows = names.map((name, index) => [
  String(index + 1).padStart(4, '0'),
  name,
  speciesOf(index),
  pick(statusWords, index),
  index % 5 === 0 ? 'Mischling; groß' : '',
  `${(index % 28) + 1}.03.2026`,
  index % 7 === 0 ? `Verträgt sich\nmit "${pick(names, index + 1)}"` : '',
]);

const blank = ['', '', '', '', '', '', ''];

/**
 * The list of a shelter, as a spreadsheet of Excel in German: titles, blank rows, headings in the third row with text, columns
 * that no animal has, line breaks in cells, two animals twice, and a row with the sum.
 */
const rows = [
  ['Tierheim Musterstadt - Bestand', '', '', '', '', '', ''],
  ['Stand: 23.11.2026', '', '', '', '', '', ''],
  blank,
  ['Nr.', 'Rufname', 'Tierart', 'Status', 'Rasse', 'Aufnahmedatum', 'Bemerkung'],
  ...animalRows.slice(0, 30),
  blank,
  ...animalRows.slice(30),
  ...animalRows.slice(10, 12),
  blank,
  ['Summe', String(animalRows.length + 2), '', '', '', '', ''],
];

/** The animals without those that are in the file twice. */
export const germanAnimals: readonly GermanAnimal[] = names.map((name, index) => ({
  name,
  species: speciesOf(index),
  status: words[pick(statusWords, index)] ?? 'available',
}));

/** As Excel in German saves it: in Windows-1252, with semicolons. */
export function germanCsv(): Buffer {
  const cellOf = (text: string) => (/[;"\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map((cells) => `${cells.map(cellOf).join(';')}\r\n`);
  return Buffer.from(lines.join(''), 'latin1');
}

export function germanWorkbook(): Buffer {
  return Buffer.from(makeWorkbook(textRows(rows)));
}
