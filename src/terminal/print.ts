import { exactInteger } from '../domain/values/exact-json.ts';
import { escapeHidden, escapeHiddenInLines } from '../domain/values/visible-text.ts';

/** Prints rows in columns under headings. */
export function printTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  tablePrinter(headings, (row: readonly string[]) => row).add(rows);
}

/** Prints a table. Later parts can have wider columns. */
export function tablePrinter<Item>(
  headings: readonly string[],
  toRow: (item: Item) => readonly string[],
) {
  let widths = headings.map(() => 0);
  let isFirst = true;
  return {
    add(items: readonly Item[]): void {
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

/** Prints one JSON value. An integer is written with every digit. */
export function printJson(value: unknown): void {
  process.stdout.write(`${formatJson(value)}\n`);
}

/** Prints one JSON array. */
export function jsonPrinter<Item>(toJson: (item: Item) => unknown) {
  let isEmpty = true;
  return {
    add(items: readonly Item[]): void {
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
    (_key, member) => (typeof member === 'bigint' ? exactInteger(member) : member),
    2,
  );
  return escapeHiddenInLines(text);
}

/** Resolves when the reader of standard output has received everything, or has gone. */
export function waitForOutput(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write('', () => resolve());
  });
}

/** Prints one line. Hidden characters are escaped, so that no name or path can begin another line. */
export function print(line: string): void {
  process.stdout.write(`${escapeHidden(line)}\n`);
}

/** Prints one line on standard error, for people, because scripts read standard output. */
export function printNote(line: string): void {
  process.stderr.write(`${escapeHidden(line)}\n`);
}

/** Formats a time in UTC with seconds, or returns a dash. */
export function formatTime(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '-' : `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** Formats a time of which only the minute is known, or returns a dash. */
export function formatMinute(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '-' : `${new Date(milliseconds).toISOString().slice(0, 16)}Z`;
}
