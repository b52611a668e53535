import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { misused } from '../../src/cli/command-line.ts';
import type { BenchResult } from '../result.ts';
import { drawCharts } from './charts.ts';
import { writeMarkdown } from './markdown.ts';

const root = join(import.meta.dir, '../..');
const resultsFolder = join(root, 'bench/results');
const draftFolder = join(resultsFolder, 'draft');

/**
 * Writes the results, and the documents made of them; returns the paths. Only a whole run is fit to be
 * published: any other leaves a draft that looks the same.
 */
export async function writeReport(result: BenchResult): Promise<readonly string[]> {
  const { isWhole } = result;
  const folder = isWhole ? resultsFolder : draftFolder;
  const documentFolder = isWhole ? join(root, 'docs') : draftFolder;
  const chartFolder = join(documentFolder, 'benchmarks');
  mkdirSync(folder, { recursive: true });
  mkdirSync(chartFolder, { recursive: true });

  const charts = drawCharts(result);
  const resultsPath = join(folder, `${result.startedAt.slice(0, 10)}.json`);
  const documentPath = join(documentFolder, 'benchmarks.md');
  const files = new Map([
    [resultsPath, `${JSON.stringify(result, null, 2)}\n`],
    [documentPath, writeMarkdown(result, charts, relative(documentFolder, resultsPath))],
    ...charts.map(({ name, svg }) => [join(chartFolder, `${name}.svg`), svg] as const),
  ]);
  for (const [path, text] of files) await Bun.write(path, text);
  return [...files.keys()].map((path) => relative(root, path));
}

/** Reads results back. */
export async function readResult(path: string): Promise<BenchResult> {
  const file = Bun.file(path);
  if (!(await file.exists())) throw misused(`--render must name a file, and ${path} is none`);
  const result: unknown = await file.json();
  if (!isResult(result)) throw misused(`${path} does not hold results of this benchmark`);
  return result;
}

function isResult(value: unknown): value is BenchResult {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 1;
}
