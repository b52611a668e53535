import { pluralize } from '../../domain/values/pluralize.ts';

const rows = (count: number) => pluralize(count, 'row');

/** The import of a file: its choice, its preview, and its progress. */
export const texts = {
  title: 'Import animals from a spreadsheet',
  hint: 'Choose a workbook (.xlsx) or a CSV file with a column for the names of the animals. Columns for category and status are optional, and you see a preview before any animal is added.',
  file: 'Workbook or CSV file',
  sheet: 'Sheet',
} as const;

/** The columns of the file, and the preview. */
export const prepareTexts = {
  notUtf8:
    'The file is not in UTF-8, so it was read as Windows-1252. Check the letters of the names.',
  firstRow: 'The first row is',
  chooseFirstRow: 'Choose what it is',
  firstRowNames: 'Names of the columns',
  firstRowAnimal: 'An animal',
  firstRowFault: 'Choose what the first row contains.',
  columnOf: (member: string) => `${member} is in`,
  chooseColumn: 'Choose a column',
  nameColumnFault: 'Choose the column with the names.',
  column: (number: number) => `Column ${number}`,
  wordMeans: (word: string) => `“${word}” means`,
  noStatus: 'no status: leave its rows out',
  isExport:
    'This file looks like an export of this console. An import adds each animal a second time.',
  newCategories: (count: number, names: string) =>
    count === 1
      ? `One new category is created: ${names}`
      : `${count} new categories are created: ${names}`,
  more: ', …',
  cannotAdd: (count: number) => `${rows(count)} cannot be added`,
  tooManyCells:
    'The row has more columns than the first one. Put quotes around texts that contain a separator.',
  preview: 'Preview',
  previewOf: (shown: number, count: number) =>
    shown < count ? `The first ${shown} of ${count} animals` : pluralize(count, 'animal'),
  line: 'Line',
  columnHeading: 'Column',
  value: 'Value',
  reason: 'Reason',
  nothing: 'nothing',
  andMore: (count: number) => `And ${count} more.`,
  otherFile: 'Choose another file',
  add: 'Add',
  nothingToAdd: 'Nothing to add',
  addCount: (count: number, leftOut: number) =>
    leftOut === 0 ? `Add ${count}` : `Add ${count}, leave out ${leftOut}`,
} as const;

/** A running import, and its result. */
export const progressTexts = {
  running: 'Adding…',
  done: 'The import is done',
  stopped: 'The import was stopped',
  doneRows: 'Rows that are done',
  waiting: 'The server does not answer, or limits requests. The import continues by itself.',
  added: (count: number, total: number) => `${count} of ${total} animals are in the catalogue.`,
  continueHint:
    'To continue, choose the same file again within a day. Animals that are in the catalogue are not added twice.',
  leftOut: (count: number) => `${rows(count)} ${count === 1 ? 'was' : 'were'} left out`,
  missing: (count: number) =>
    count === 1
      ? 'One animal of this file was added before, and has been deleted since then. '
      : `${count} animals of this file were added before, and have been deleted since then. `,
  addAgain: (count: number) => `Add ${count} again`,
  leftOutHint:
    'To add these as well, save them, correct them, and import that file. Do not import the whole file after you changed it: it would add the other rows again.',
  stop: 'Stop',
  saveLeftOut: 'Save the rows that were left out',
  otherFile: 'Import another file',
  showAnimals: 'Show the animals',
  wholeRow: 'the whole row',
  otherValues: 'This row of the same file was added before, with other values.',
} as const;
