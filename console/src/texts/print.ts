import { countRecords, type ListedKind } from './local-count.ts';

/** Lists on paper. */
export const texts = {
  print: 'Print',
  withoutPeople: 'Print without people',
  withPeople: 'Print with for whom and until',
  reading: 'Reading…',
  readFailed: (reason: string) => `The list cannot be printed. ${reason}`,
  printedAt: (time: string) => `Printed ${time}`,
  all: (kind: ListedKind, count: number) => countRecords(kind, count),
  /** The browser prints only rows that the page has read. */
  part: (kind: ListedKind, count: number) => `${countRecords(kind, count)} of a longer list`,
  workspace: (name: string) => `Workspace: ${name}`,
  status: (name: string) => `Status: ${name}`,
  category: (name: string) => `Category: ${name}`,
  search: (text: string) => `Search: ${text}`,
};
