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

interface Report {
  readonly command: string;
  readonly machine: readonly (readonly string[])[];
  readonly sections: readonly Section[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

export const documentPath = join(import.meta.dir, '../docs/benchmarks.md');

/** The document about one run, in Markdown. */
export function writeMarkdown({ command, machine, sections, notes }: Report): string {
  const parts = [
    `# Benchmarks\n\n\`${command}\` writes this page. Do not edit it.`,
    toTable(['Machine', ''], machine),
    `## Aims\n\n${toTable(aimHeadings, describeAims(sections))}`,
    howItIsMeasured,
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

export const aimHeadings = ['Figure', 'Aim', 'Measured', ''] as const;

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

const howItIsMeasured = `## How it is measured

\`\`\`sh
apt-get install wrk nginx-light   # Debian
npm ci
npm run bench                     # --help shows how to run less of it
\`\`\`

A peer without its tools is left out: npm for those on Node.js, cargo and a C compiler for axum, go for PocketBase, python3 with
venv for FastAPI. The first use builds them in \`bench/peers\`.

- Each server is a process. With two cores and \`taskset\`, the server has one core, and the load (wrk, one thread) and PostgreSQL
  have the other. Traffic is on 127.0.0.1. All servers run all the time, and one at a time is under load.
  The next is measured when it has no more work and its data is on the disk.
- The rounds alternate: A B C, A B C, … Tables show medians. *Ours* is the median of the ratios of our figure to theirs in each
  turn. Peers have no orders and events. So these are compared with PostgreSQL, and with another request in the same turns, such as
  *animal-store: list of 20*.
- *CPU* is the user and system time of the server with its threads and child processes, divided by the answered requests.
  *Load busy* is the share of a core that wrk used: near 100 %, the load limits the requests a second.
- Responses are not compressed. Each server is warmed up before the first round of each table, except with \`--quick\`.
- On a busy machine, compare only figures of one table.`;

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
