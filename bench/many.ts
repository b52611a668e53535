import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { runChild } from './children.ts';
import type { ManyPlan } from './many-load.ts';
import { formatMilliseconds, formatNumber, type Section } from './report.ts';
import { animalsInRows } from './rows.ts';
import { apiKey } from './servers/animal-store.ts';
import { startEngines } from './servers/engines.ts';
import { median } from './statistics.ts';
import { animalStoreDialect as dialect } from './subject.ts';
import type { RunningServer, Workbench } from './workbench.ts';
import { type Load, type LoadOutcome, readOutcome, startLoad } from './wrk.ts';

const rows = 20_000;
const connections = 4;

/** With these pauses, the connections write about 200 times a second. */
const load: Load = { kind: 'create', paths: [dialect.collection], pauseMilliseconds: 20 };

/** Longer than any import takes. The load is stopped after it. */
const secondsMax = 600;

interface ManyRound {
  readonly seconds: number;
  readonly beside: LoadOutcome;
  readonly without: LoadOutcome;
}

/** The number of rounds, for the progress bar. */
export function manyTicks({ rounds }: Workbench['pace']): number {
  return 2 * rounds;
}

/** Measures how long single writes wait during an import and a change of many animals, and for the same time without, in turns. */
export async function measureMany(workbench: Workbench): Promise<readonly Section[]> {
  await using engines = await startEngines(workbench, animalsInRows);
  const measured = engines.servers.map((server) => ({ server, rounds: [] as ManyRound[] }));
  for (let round = 0; round < workbench.pace.rounds; round += 1) {
    for (const { server, rounds } of measured) {
      rounds.push(await measureRound(workbench, server));
      workbench.tick();
    }
  }
  return [
    {
      title: 'Writes during an import and a change of many',
      text:
        `${connections} connections add about 200 animals a second, with random pauses, while the console imports ${formatNumber(rows)} ` +
        'animals and then changes all of them, 500 in a request, and then for the same time without it. Each turn is a row.',
      headings: [
        ...['Server', 'Rows/s', 'p50 ms', 'without', 'p99 ms', 'without'],
        ...['longest ms', 'without', 'Failed'],
      ],
      rows: measured.flatMap(({ server, rounds }) =>
        rounds.map((round) => [server.name, ...cellsOf(round)]),
      ),
      aims: measured.map(({ server, rounds }) => ({
        title: `${server.name}: longest write during an import and a change of many, above the longest without`,
        atMost: 50,
        value: median(
          rounds.map(
            ({ beside, without }) =>
              (beside.longestMicroseconds - without.longestMicroseconds) / 1000,
          ),
        ),
        format: formatMilliseconds,
      })),
    },
  ];
}

function cellsOf({ seconds, beside, without }: ManyRound): readonly string[] {
  const both = (member: 'p50' | 'p99' | 'longest') =>
    [beside, without].map((outcome) => formatNumber(outcome[`${member}Microseconds`] / 1000));
  return [
    formatNumber((2 * rows) / seconds),
    ...both('p50'),
    ...both('p99'),
    ...both('longest'),
    `${beside.failedRequests + without.failedRequests}`,
  ];
}

async function measureRound(workbench: Workbench, server: RunningServer): Promise<ManyRound> {
  const plan: ManyPlan = {
    origin: server.origin.replace('127.0.0.1', 'localhost'),
    ...{ apiKey, rows, source: randomBytes(32).toString('hex') },
  };
  const script = join(import.meta.dir, 'many-load.ts');
  let seconds = 0;
  const beside = await writeDuring(workbench, server, async () => {
    const startedAt = performance.now();
    await runChild([process.execPath, script, JSON.stringify(plan)], {
      cores: workbench.pinning.load,
    });
    seconds = (performance.now() - startedAt) / 1000;
  });
  const without = await writeDuring(workbench, server, () => Bun.sleep(seconds * 1000));
  return { seconds, beside, without };
}

async function writeDuring(
  workbench: Workbench,
  server: RunningServer,
  run: () => Promise<unknown>,
): Promise<LoadOutcome> {
  await using writing = startLoad(workbench, server, load, connections, secondsMax);
  await run();
  await writing.stop('SIGINT');
  return await readOutcome(writing);
}
