import { join } from 'node:path';

/** The result of one part of the benchmark: a table, and aims with their measured figures. */
export interface Section {
  readonly title: string;
  readonly text: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly aims: readonly AimedFigure[];
}

export interface AimedFigure {
  readonly title: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Undefined if it was not measured. */
  readonly value: number | undefined;
  readonly format: (value: number) => string;
}

/** What one run found, as plain data. */
export interface Report {
  readonly command: string;
  readonly machine: readonly (readonly string[])[];
  /** The rows of `describeAims`. */
  readonly aims: readonly (readonly string[])[];
  readonly sections: readonly Omit<Section, 'aims'>[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

/** The figures of the last complete run. */
export const resultsPath = join(import.meta.dir, 'results.json');

/** Writes a report in Markdown. */
export function writeMarkdown({ command, machine, aims, sections, notes }: Report): string {
  const parts = [
    `# ${command}`,
    toTable(['Machine', ''], machine),
    `## Aims\n\n${toTable(['Figure', 'Aim', 'Measured', ''], aims)}`,
    ...sections.map(
      ({ title, text, headings, rows }) => `## ${title}\n\n${text}\n\n${toTable(headings, rows)}`,
    ),
    ...(notes.length === 0
      ? []
      : [
          `## Left out\n\n${notes.map((note) => `- ${note.replaceAll(/\s+/g, ' ').trim()}`).join('\n')}`,
        ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A line for each aim: the figure, the aim, the measured value, and whether it meets the aim. */
export function describeAims(sections: readonly Section[]): readonly (readonly string[])[] {
  return sections
    .flatMap(({ aims }) => aims)
    .map(({ title, atMost, atLeast, value, format }) => {
      const aim = atMost === undefined ? `≥ ${format(atLeast ?? 0)}` : `≤ ${format(atMost)}`;
      if (value === undefined || Number.isNaN(value)) return [title, aim, '-', 'not measured'];
      const isMet = value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? 0);
      return [title, aim, format(value), isMet ? 'met' : 'missed'];
    });
}

/** A table in Markdown. Columns of numbers, except the first column, are aligned to the right. */
function toTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNumeric = (column: number) =>
    column > 0 && rows.every((row) => /^(?:[-×≤≥\d]|$)/.test(row[column] ?? ''));
  const toLine = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = headings.map((_, column) => (isNumeric(column) ? '---:' : '---'));
  return [headings, rule, ...rows].map(toLine).join('\n');
}

/** Three significant digits, or all digits before the point: `7.31`, `128`, `86 400`. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) < 100) return `${Number(value.toPrecision(3))}`;
  return value.toFixed(0).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}

export function formatRatio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(value >= 9.95 ? 0 : 2) : '-';
}

/** In millions of bytes, as in the aims. */
export function formatMegabytes(bytes: number): string {
  return `${formatNumber(bytes / 1_000_000)} MB`;
}

export function formatMilliseconds(milliseconds: number): string {
  return `${formatNumber(milliseconds)} ms`;
}
