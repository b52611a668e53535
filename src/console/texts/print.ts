const counted = (count: number, noun: string) =>
  `${count.toLocaleString()} ${count === 1 ? noun : `${noun}s`}`;

/** Lists on paper. */
export const texts = {
  print: 'Print',
  reading: 'Reading…',
  readFailed: (reason: string) => `The list cannot be printed. ${reason}`,
  printedAt: (time: string) => `Printed ${time}`,
  all: counted,
  /** The browser prints only rows that the page has read. */
  part: (count: number, noun: string) => `${counted(count, noun)} of a longer list`,
  workspace: (name: string) => `Workspace: ${name}`,
  status: (name: string) => `Status: ${name}`,
  category: (name: string) => `Category: ${name}`,
  search: (text: string) => `Search: ${text}`,
  animal: (name: string) => `Animal: ${name}`,
} as const;
