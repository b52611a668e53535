import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const resultsPath = join(import.meta.dir, 'results.json');

/** The figures of the last run of each test, by its name. */
export type Results = Record<string, Result>;

interface Result {
  readonly measuredOn: string;
  /** Whether it ran with `--long`. */
  readonly long: boolean;
  readonly figures: readonly string[];
}

export function readResults(): Results {
  return existsSync(resultsPath) ? JSON.parse(readFileSync(resultsPath, 'utf8')) : {};
}

export function writeResults(results: Results): void {
  writeFileSync(resultsPath, `${JSON.stringify(results, undefined, 2)}\n`);
}
