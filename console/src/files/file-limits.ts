/** Bounds of a chosen file. Each has a message of its own. */
export const fileBytesMax = 20 * 2 ** 20;
/** Of all parts of a workbook, and of all texts in its cells, which can repeat one part. */
export const unpackedBytesMax = 100 * 2 ** 20;
/** Of a workbook. Each is a button. */
export const sheetsMax = 500;
export const rowsMax = 200_000;
export const columnsMax = 500;
/** Of all sheets of a workbook, with the empty cells before others. */
export const cellsMax = 10_000_000;
/** The worker that reads a workbook is ended after this time. */
export const readSecondsMax = 60;

/** The message is for the user. */
export class UnreadableFile extends Error {}
