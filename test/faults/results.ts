import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LongTest } from './long-test.ts';

const resultsPath = join(import.meta.dir, 'results.json');
const documentPath = join(import.meta.dir, '../../docs/promises.md');

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

/** Stores the figures, and writes them into the document between its two marks. */
export function writeResults(faults: readonly LongTest[], results: Results): void {
  writeFileSync(resultsPath, `${JSON.stringify(results, undefined, 2)}\n`);
  const document = readFileSync(documentPath, 'utf8');
  const table = faultTable(faults, results);
  writeFileSync(
    documentPath,
    document.replace(
      /(<!-- faults -->\n)[\s\S]*(<!-- end -->)/,
      (_all, start, end) => `${start}\n${table}\n\n${end}`,
    ),
  );
}

/** The rows of `docs/promises.md` about faults. */
export function faultTable(faults: readonly LongTest[], results: Results): string {
  const rows = faults.map(({ name, title, promise }) => {
    const result = results[name];
    const figures = result === undefined ? 'not measured yet' : result.figures.join('; ');
    const command = `npm run test:faults -- --only ${name}${result?.long ? ' --long' : ''}`;
    return `| ${title} | ${promise} | \`${command}\` | ${figures} | ${result?.measuredOn ?? ''} |`;
  });
  return ['| Fault | Promise | Test | Figures | Measured |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}
