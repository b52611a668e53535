import { print, printTable } from '../../src/cli/print.ts';

/** Rows under headings, to be shown on a terminal or in a document. */
export interface Table {
  readonly headings: readonly string[];
  /** How many columns hold text, from the left; the others hold numbers. */
  readonly textColumns: number;
  readonly rows: readonly (readonly string[])[];
}

export function showTable(title: string, { headings, rows }: Table): void {
  print(`\n${title}`);
  printTable(headings, rows);
}

/** Numbers stand to the right. */
export function toMarkdown({ headings, rows, textColumns }: Table): string {
  const rule = headings.map((_, column) => (column < textColumns ? '---' : '---:'));
  return [headings, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
