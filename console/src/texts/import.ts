import type { PetStatus } from '../../../client/src/contract.ts';
import { countRecords, localCount as local, pluralize } from './local-count.ts';
import { statusName } from './status.ts';

const rows = (count: number) => pluralize(count, { one: '# row', other: '# rows' });
const animals = (count: number) => countRecords('pet', count);

/** At the end of a sentence. */
const were = (count: number) => pluralize(count, { one: 'was', other: 'were' });

/** The import of a file: its choice, its preview, and its progress. */
export const texts = {
  notChecked: 'Earlier imports of this file could not be checked',
  title: 'Import animals from a spreadsheet',
  hint: 'Choose a workbook (.xlsx) or a CSV file, or drop it here. It needs a column with the names of the animals. You check the rows before any animal is added.',
  file: 'Workbook or CSV file',
  chooseSheet: 'Which sheet has the animals?',
  sheet: (count: number, isHidden: boolean) => `(${rows(count)}${isHidden ? ', hidden' : ''})`,
};

/** The meaning of the columns and words of the file, and its rows. */
export const prepareTexts = {
  notUtf8:
    'The file is not in UTF-8, so it was read as Windows-1252. Check the letters of the names.',
  hiddenRows: (count: number) =>
    `${rows(count)} of the sheet ${pluralize(count, { one: 'is', other: 'are' })} hidden in the spreadsheet. The import includes hidden rows.`,
  sheet: ', sheet ',
  choose: 'Choose',
  open: (count: number) =>
    pluralize(count, {
      one: 'One question has no answer yet.',
      other: '# questions have no answer yet.',
    }),
  chooseFault: 'Choose an answer.',
  line: 'Line',

  headings: 'Which row has the headings?',
  headingsHint: 'Click it. Rows above it are not imported.',
  headingsInLine: (line: number) => `Headings in line ${line}`,
  noHeadings: 'No row has headings: the first row is an animal',
  moreRows: 'Show more rows',

  columnOf: (member: string) => `${member} is in`,
  column: (number: number) => `Column ${number}`,
  oneCategory: 'One category for all',
  allStatus: (status: PetStatus) => `All are ${statusName(status)}`,
  unchanged: 'Not in the file: stays as it is',
  numbersAsked:
    'The category column has only numbers, and the catalogue has a category for none of them. Are these the numbers of categories?',
  numbersAreCategories: 'Yes, they are numbers of categories',
  numbersAreOther: 'No, choose another column',
  notImported: (names: string) => `Not imported: ${names}`,

  statusWords: 'Words for the status',
  categoryWords: 'Words for the category',
  categoryWordsHint:
    'The catalogue has no category of these names. Create them, or choose existing categories.',
  categoryNumbersHint:
    'In the catalogue, the number and the name are not of the same category. Choose the category that is meant.',
  emptyWord: 'Empty cells',
  word: (word: string, count: number) => `${word} (${rows(count)})`,
  numberedWord: (number: string, name: string) =>
    name === '' ? `${number}, without a name` : `${number}, ${name}`,
  secondCategory: (number: string) => `Number ${number}, a second category of this name`,
  noWord: 'Leave these rows out',
  createAll: (count: number) =>
    pluralize(count, { one: 'Create this new category', other: 'Create all # new categories' }),
  leaveOutAll: (count: number) => `Leave out the rows of all ${local(count)} words`,
  wordsShown: (from: number, to: number, count: number) =>
    `Words ${local(from)} to ${local(to)} of ${local(count)}`,
  previousWords: 'Previous words',
  nextWords: 'Next words',

  mode: 'This file has the numbers of animals. What do you want to do?',
  addAsNew: 'Add the animals as new ones, with new numbers',
  update: 'Update the animals with these numbers',
  unknownNumbers: (count: number) =>
    pluralize(count, {
      one: '# number of the file is not in the catalogue. This animal is added, with a new number.',
      other:
        '# numbers of the file are not in the catalogue. These animals are added, with new numbers.',
    }),

  totals: (count: number) =>
    pluralize(count, {
      one: 'The last row looks like a total or a note, so it is left out:',
      other: 'The last # rows look like totals or notes, so they are left out:',
    }),
  total: (line: number, text: string) => `Line ${line}: ${text}`,
  keepTotals: 'Import such last rows as animals',

  searching: (done: number, count: number) =>
    `Looking for animals that are in the catalogue already${count === 0 ? '' : `: ${local(done)} of ${local(count)}`}…`,
  searchFailed: 'The catalogue could not be searched for these animals.',
  addFound: (count: number) =>
    pluralize(count, {
      one: 'One animal is in the catalogue already, with the same name and category. Add it as well',
      other:
        '# animals are in the catalogue already, with the same names and categories. Add these as well',
    }),
  repeated: (count: number) =>
    pluralize(count, {
      one: 'One row has the name and the category of an earlier row. Is it another animal?',
      other: '# rows have the name and the category of an earlier row. Are these other animals?',
    }),
  addRepeated: (count: number) =>
    pluralize(count, { one: 'Yes, add it too', other: 'Yes, add them too' }),
  skipRepeated: (count: number) =>
    pluralize(count, { one: 'No, leave it out', other: 'No, leave them out' }),
  newCategories: (count: number, names: string, nameCount: number) =>
    `${pluralize(count, { one: 'one new category', other: '# new categories' })}: ${names}${nameCount < count ? ', …' : ''}`,

  rows: 'Rows of the file',
  filter: 'Show',
  filters: {
    all: 'All',
    add: 'To add',
    change: 'To change',
    there: 'There already',
    repeated: 'In the file twice',
    undecided: 'Not decided',
    leftOut: 'Left out',
  },
  filterOf: (name: string, count: number) => `${name} ${local(count)}`,
  position: (filter: string, from: number, to: number, count: number) =>
    count === 0
      ? `${filter}: no rows`
      : `${filter}: rows ${local(from)} to ${local(to)} of ${local(count)}`,
  previous: 'Previous',
  next: 'Next',
  result: 'Result',
  results: {
    add: 'is added',
    change: 'is changed',
    there: 'is in the catalogue already',
    imported: 'was imported before',
    repeated: 'left out: same as an earlier row',
    undecided: 'not decided yet',
  },
  foundResults: {
    add: (number: string, status: PetStatus) =>
      `is added beside number ${number} (${statusName(status)})`,
    there: (number: string, status: PetStatus) =>
      `is in the catalogue already: number ${number}, ${statusName(status)}`,
  },
  addOneFound: 'Add it too',
  leaveOutFound: 'Leave it out',
  ofLine: (action: string, line: number) => `${action}: line ${line}`,
  change: (before: string, now: string) => `${before} → ${now}`,
  faultOf: (column: string, value: string, reason: string) =>
    `${column}${value === '' ? '' : ` “${value}”`}: ${reason}`,

  tooManyCells:
    'The row has more columns than the headings. Put quotes around texts that contain a separator.',
  isTotal: 'This looks like a total or a note.',
  openWord: 'Choose the meaning of this word.',
  wordLeftOut: 'You left out the rows with this word.',
  notThere: 'No animal has this number, and the file lacks the values for a new one.',
  notNumber: 'This is not the number of an animal.',
  sameNumber: (line: number) => `Line ${line} has this number already.`,
  categoryFaults: {
    missing: 'The category is missing.',
    namesUnknown: 'Not all names of categories could be read, so only a number is certain.',
    digitsLost:
      'Excel has shortened this number, and its last digits are lost. Format the column as text in the spreadsheet, and save it again.',
    notInteger: 'This is not a whole number of 64 bits.',
  },

  columnHeading: 'Column',
  value: 'Value',
  reason: 'Reason',
  nothing: 'nothing',
  andMore: (count: number) => `And ${local(count)} more.`,
  otherFile: 'Choose another file',
  add: 'Add',
  nothingToAdd: 'Nothing to add',
  nothingToChange: 'Nothing to change',
  addCount: (count: number, leftOut: number) =>
    leftOut === 0 ? `Add ${local(count)}` : `Add ${local(count)}, leave out ${local(leftOut)}`,
  updateCount: (changed: number, added: number) =>
    added === 0 ? `Change ${local(changed)}` : `Change ${local(changed)}, add ${local(added)}`,
};

/** What progress and results of an import and of its Undo share. */
export const workTexts = {
  waiting: 'The server does not answer, or limits requests. The page continues by itself.',
  stopping: 'Stopping…',
  stop: 'Stop',
  continue: 'Continue',
  otherFile: 'Import another file',
  showAnimals: 'Show the animals',
};

/** A running import, and its result. */
export const progressTexts = {
  ...workTexts,
  running: 'Importing…',
  done: 'The import is done',
  stopped: 'The import was stopped',
  searching: prepareTexts.searching,
  doneRows: 'Rows that are done',
  progress: (count: number, total: number) => `${local(count)} of ${rows(total)} done.`,
  counts: (of: {
    added: number;
    changed: number;
    there: number;
    /** Something in them must be corrected. */
    leftOut: number;
    /** The user left them out. */
    chosen: number;
    totals: number;
    remaining: number;
  }) =>
    [
      of.added > 0 || of.changed === 0 ? `${local(of.added)} added.` : '',
      of.changed > 0 ? `${local(of.changed)} changed.` : '',
      of.there > 0 ? `${local(of.there)} ${were(of.there)} there already.` : '',
      of.leftOut > 0 ? `${local(of.leftOut)} left out.` : '',
      of.chosen > 0 ? `${local(of.chosen)} left out by your choice.` : '',
      of.totals > 0 ? `${rows(of.totals)} with a total or a note left out.` : '',
      remain(of.remaining),
    ]
      .filter((text) => text !== '')
      .join(' '),
  leftOut: (count: number) => `${rows(count)} ${were(count)} left out`,
  leftOutHint: 'To add these as well, save them, correct them, and import that file.',
  saveLeftOut: 'Save the rows that were left out',
  wholeRow: 'the whole row',
  changedSince: 'It was changed since it was shown.',
  undo: (count: number) => `Undo: remove ${animals(count)}`,
  importedBefore: (count: number) =>
    `This file was imported before: ${animals(count)} of it ${pluralize(count, { one: 'is', other: 'are' })} in the catalogue, and will not be added again. `,
  undoFirst: 'To import the file with other columns, undo these imports first. ',
  undoEarlier: (count: number) => `Undo all imports of this file: remove ${animals(count)}`,
};

/** An Undo of an import, and its result. */
export const undoTexts = {
  ...workTexts,
  running: 'Undoing the import…',
  done: 'The import was undone',
  stopped: 'Undo was stopped',
  doneAnimals: 'Animals that are done',
  progress: (count: number, total: number) => `${local(count)} of ${animals(total)} done.`,
  counts: (of: {
    removed: number;
    gone: number;
    kept: number;
    categories: number;
    remaining: number;
  }) =>
    [
      `${local(of.removed)} removed.`,
      of.gone > 0 ? `${local(of.gone)} ${were(of.gone)} deleted before.` : '',
      of.kept > 0 ? `${local(of.kept)} kept.` : '',
      of.categories > 0
        ? pluralize(of.categories, {
            one: '# empty category removed.',
            other: '# empty categories removed.',
          })
        : '',
      remain(of.remaining),
    ]
      .filter((text) => text !== '')
      .join(' '),
  kept: (count: number) => `${animals(count)} ${were(count)} kept`,
  reason: 'Reason',
  changed: (status: PetStatus) =>
    `It was changed after the import. It is ${statusName(status)} now.`,
  ordered: 'It has an open order.',
  importAgain: 'Import this file again',
};

function remain(count: number): string {
  if (count === 0) return '';
  return pluralize(count, { one: '# remains.', other: '# remain.' });
}
