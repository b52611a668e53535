import { escapeHidden, escapeHiddenInLines } from '../domain/values/visible-text.ts';

/** Prints rows under headings, in columns as wide as they need to be. */
export function printTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  tablePrinter(headings, (row: readonly string[]) => row).add(rows);
}

/** Prints a list part by part. */
export interface RowPrinter<Item> {
  add(items: readonly Item[]): void;
  end(): void;
}

/** Prints a table. A later part can have wider columns than the parts before it. */
export function tablePrinter<Item>(
  headings: readonly string[],
  toRow: (item: Item) => readonly string[],
): RowPrinter<Item> {
  let widths = headings.map(() => 0);
  let isFirst = true;
  return {
    add(items) {
      const rows = items.map((item) => toRow(item).map(escapeHidden));
      const lines = isFirst ? [headings, ...rows] : rows;
      isFirst = false;
      widths = widths.map((width, column) =>
        Math.max(width, ...lines.map((line) => Bun.stringWidth(line[column] ?? ''))),
      );
      for (const line of lines) print(alignCells(line, widths));
    },
    end() {},
  };
}

function alignCells(line: readonly string[], widths: readonly number[]): string {
  const cells = line.map((cell, column) => {
    const padding = (widths[column] ?? 0) - Bun.stringWidth(cell);
    return cell + ' '.repeat(padding);
  });
  return cells.join('  ').trimEnd();
}

/** One JSON value for a script to read. Identifiers are within the range that every JSON reader keeps. */
export function printJson(value: unknown): void {
  process.stdout.write(`${formatJson(value)}\n`);
}

/** Prints one JSON array. */
export function jsonPrinter<Item>(toJson: (item: Item) => unknown): RowPrinter<Item> {
  let isEmpty = true;
  return {
    add(items) {
      for (const item of items) {
        const indented = formatJson(toJson(item)).replaceAll('\n', '\n  ');
        process.stdout.write(`${isEmpty ? '[' : ','}\n  ${indented}`);
        isEmpty = false;
      }
    },
    end() {
      process.stdout.write(isEmpty ? '[]\n' : '\n]\n');
    },
  };
}

function formatJson(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_key, member) => (typeof member === 'bigint' ? Number(member) : member),
    2,
  );
  return escapeHiddenInLines(text);
}

/** Resolves once the reader of standard output has taken what was printed, or is gone. */
export function outputIsWritten(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write('', () => resolve());
  });
}

/** Prints one line. Names and paths in it cannot begin another. */
export function print(line: string): void {
  process.stdout.write(`${escapeHidden(line)}\n`);
}

/** Prints one line on standard error, for people beside the output that scripts read. */
export function printNote(line: string): void {
  process.stderr.write(`${escapeHidden(line)}\n`);
}

/** Such as `1 key` and `2 keys`. */
export function pluralize(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** A time as people and scripts can both read it, or a dash. */
export function formatTime(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '-' : `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** The same of a time of which no more than the minute is known. */
export function formatMinute(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '-' : `${new Date(milliseconds).toISOString().slice(0, 16)}Z`;
}
