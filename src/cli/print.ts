import { escapeHidden, escapeHiddenInLines } from '../domain/visible-text.ts';

/** Prints rows under headings, in columns as wide as they need to be. */
export function printTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const lines = [headings, ...rows].map((line) => line.map(escapeHidden));
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ''))),
  );
  for (const line of lines) {
    const cells = line.map((cell, column) => {
      const padding = (widths[column] ?? 0) - Bun.stringWidth(cell);
      return cell + ' '.repeat(padding);
    });
    print(cells.join('  ').trimEnd());
  }
}

/** One JSON value for a script to read. Identifiers are within the range that every JSON reader keeps. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(
    value,
    (_key, member) => (typeof member === 'bigint' ? Number(member) : member),
    2,
  );
  process.stdout.write(`${escapeHiddenInLines(text)}\n`);
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
export function counted(count: number, singular: string, plural = `${singular}s`): string {
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
