import { localCount } from './local-count.ts';

/** Reasons why a chosen file cannot be read. */
export const fileTexts = {
  tooLarge: 'The file is larger than 20 MB. Split it.',
  noRows: 'The file has no rows.',
  tooManyRows: (max: number) => `The file has more than ${localCount(max)} rows. Split it.`,
  tooWide: (max: number) =>
    `The file has more than ${max} columns. Choose a file with one animal in each row.`,
  notTable: 'This file is not a table. Choose an .xlsx workbook or a CSV file.',
  oldWorkbook: 'This is a workbook of the old format .xls. Save it as .xlsx or CSV.',
  protectedWorkbook: 'This workbook has a password. Remove the password, or save it as CSV.',
  oldOrProtected:
    'This is a workbook of the old format .xls, or it has a password. Save it as .xlsx or CSV, without a password.',
  workbookTooSlow: (seconds: number) =>
    `The workbook could not be read within ${seconds} seconds. Save the sheet as CSV.`,
  readerFailed:
    'The part of this page that reads workbooks did not start. Load the page again, or save the sheet as CSV.',
};

/** Reasons why a workbook, or one of its cells, cannot be read. */
export const workbookTexts = {
  notWorkbook: 'This file is not an .xlsx workbook. Choose an .xlsx workbook or a CSV file.',
  openDocument: 'This is an OpenDocument file (.ods). Save it as .xlsx or CSV.',
  numbersDocument: 'This is a Numbers document. Export it to Excel or CSV.',
  binaryWorkbook: 'This is a binary workbook (.xlsb). Save it as .xlsx or CSV.',
  damaged: 'The workbook is damaged. Open it in a spreadsheet program and save it again.',
  unpacksTooLarge: 'The content of the workbook is larger than 100 MB. Save the sheet as CSV.',
  tooManySheets: (max: number) =>
    `The workbook has more than ${max} sheets. Save the sheet as CSV.`,
  tooManyCells: (max: number) =>
    `The workbook has more than ${localCount(max)} cells. Save the sheet as CSV.`,
  errorCell: 'The formula of this cell has an error. Correct it in the spreadsheet.',
  noResult:
    'The result of this formula is not in the file. Open the workbook in a spreadsheet program and save it again.',
  lostDigits:
    'Spreadsheets keep 15 digits of a number, so the last ones of this number can be lost. Format the column as text, and enter the number again.',
  notDate: 'This number is not a date that the spreadsheet can show.',
  notNumber: 'This is not a number.',
};
