import { nginxConfig } from '../peers/nginx.ts';
import type { BenchResult, ScenarioResult } from '../result.ts';
import { scenarios as declared, type Scenario, type ScenarioName } from '../scenarios.ts';
import type { Chart } from './charts.ts';
import { computeFigures } from './figures.ts';
import { formatAnimals, formatNumber } from './format.ts';
import { postgresSection } from './postgres-section.ts';
import { toMarkdown } from './table.ts';
import {
  backupTable,
  figuresTable,
  growthCostTable,
  growthSizeTable,
  machineTable,
  scenarioTable,
  slowFlushTable,
  stepTable,
} from './tables.ts';

/** The document about one run. `resultsPath` is relative to where the document stands. */
export function writeMarkdown(
  result: BenchResult,
  charts: readonly Chart[],
  resultsPath: string,
): string {
  const { growth, slowFlush, demo, steps, postgres, backup, notes, scenarios } = result;
  const sections = [
    `# Benchmarks

Written by \`${result.command}\` from [its results](${resultsPath}); not to be edited by hand.

${toMarkdown(machineTable(result))}

## Figures to reach

${toMarkdown(figuresTable(computeFigures(result)))}`,
    howItIsMeasured,
    ...scenarios.map((scenario) => scenarioSection(scenario, charts)),
  ];
  if (slowFlush.length > 0) {
    sections.push(`## List beside a slow flush

A fault makes every flush to disk take longer, while ${slowFlush[0]?.writers} connections add animals without pause. The newest page
is read meanwhile, and read without writers, in turns.

${toMarkdown(slowFlushTable(slowFlush))}`);
  }
  if (growth !== undefined) {
    sections.push(`## Growth

${toMarkdown(growthSizeTable(growth))}

The start is that of the whole process, up to the last byte of the first page. Memory is that of the server as it is by
default; the load is everything of the table below, at 256 connections. There, the cost of a request is taken at
${growth.connections} connections, from all sizes in turns, and without the response cache
(\`--response-cache-megabytes 0\`): each page is read anew.

${toMarkdown(growthCostTable(growth))}
${chartOf(charts, 'growth')}`);
  }
  if (demo !== undefined) {
    sections.push(`## Demo animals

\`animal-store demo --animals ${demo.animals}\` on a fresh database: ${demo.seconds.map(formatNumber).join(', ')} s for ${formatAnimals(demo.animals)}.`);
  }
  if (steps !== undefined) {
    sections.push(`## Steps of a request

What every request passes through before its operation, called in one process again and again. Authentication is that
of a key that was used lately; the look for commits tells whether it, and a cached page, still hold.

${toMarkdown(stepTable(steps))}`);
  }
  if (postgres !== undefined) sections.push(postgresSection(postgres));
  if (backup !== undefined) {
    sections.push(`## Writes beside a backup

64 connections add animals, each after a rest of random length, about 5000 a second in all, to a database of
${formatAnimals(backup.animals)}; \`animal-store backup\` runs meanwhile, and then nothing for as long. A row for each such turn.

${toMarkdown(backupTable(backup))}`);
  }
  if (notes.length > 0) {
    sections.push(
      `## Left out\n\n${notes.map((note) => `- ${note.replaceAll('\n', ' ')}`).join('\n')}`,
    );
  }
  return `${sections.join('\n\n')}\n`;
}

function scenarioSection(scenario: ScenarioResult, charts: readonly Chart[]): string {
  const declaration: Scenario | undefined = declared[scenario.name as ScenarioName];
  return `## ${scenario.title}

${declaration?.about ?? ''}

${toMarkdown(scenarioTable(scenario))}
${chartOf(charts, `throughput-${scenario.name}`)}`.trimEnd();
}

function chartOf(charts: readonly Chart[], name: string): string {
  const chart = charts.find((candidate) => candidate.name === name);
  return chart === undefined ? '' : `\n![${chart.title}](benchmarks/${chart.name}.svg)`;
}

const howItIsMeasured = `## How it is measured

\`\`\`sh
apt-get install wrk nginx-light   # Debian; what is missing is left out
npm ci
npm run bench                     # --help shows how to run less of it
\`\`\`

- Every server is a process of its own, pinned to one core, with the load (wrk, one thread) on another. All traffic is
  on 127.0.0.1. All servers of a table run throughout, and one at a time is under load.
- The rounds go in turns, A B C, A B C, …, so that whatever else the machine does meets all alike. Tables show medians;
  *spread* is the distance of the fastest round from the slowest, over the median. *× ours* is the median of the ratios
  within each turn, and says more than values from different runs do.
- *CPU* is the user and system time of the server's process, all its threads and child processes, divided by the
  requests answered. *Load busy* is the share of its core that wrk took: near 100 %, requests a second are bounded by
  the load, and CPU is what compares. *Memory* is what was resident after the last round.
- No compression is asked for. Every server starts with the same animals and is warmed up before the first round.
- *Animal-store* is what \`animal-store serve\` runs, with everything on that is on by default. *Stubbed storage* is the same
  with a database that answers at once from memory and keeps nothing; *each commit alone* is the same with one
  transaction and one flush for each animal.
- *nginx* serves the bytes of our answers as static files, without any key, with this configuration; *files kept open* adds
  \`open_file_cache\`, which spares it opening the file for each request:

\`\`\`nginx
${nginxConfig('/tmp/bench', 8080, false).replaceAll(/^ *\n/gm, '').trim()}
\`\`\`

- *Fastify + better-sqlite3* is [a plain, careful service](../bench/peers/fastify-better-sqlite3.mjs) with the same
  operations and the same durability, one commit a request. *json-server* checks no key and flushes nothing: it writes
  its one file anew after changes. *Prism* answers with the examples of our document, and stores nothing. All three run on
  the Node.js of the table above, with \`NODE_ENV=production\` and no log.`;
