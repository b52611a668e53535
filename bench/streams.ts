import { join } from 'node:path';
import { runChild } from './children.ts';
import { formatNumber, formatRatio, type Section } from './report.ts';
import { animalsInRows } from './rows.ts';
import { type EngineServer, startEngines } from './servers/engines.ts';
import { createKeys } from './servers/keys.ts';
import { median, medianRatio } from './statistics.ts';
import type { StreamFigures, StreamPlan } from './stream-load.ts';
import type { Workbench } from './workbench.ts';

const readerCounts = [100, 1000] as const;
const readersMax = Math.max(...readerCounts);
const addsPerSecond = 100;

/** The figures with this many readers. */
interface Beside {
  readonly readers: number;
  readonly taken: StreamFigures[];
}

/** The number of rounds, for the progress bar. */
export function streamTicks({ rounds }: Workbench['pace']): number {
  return 2 * readerCounts.length * rounds;
}

/** Measures the delivery of events while animals are added at a fixed rate, in turns with adding alone. */
export async function measureStreams(workbench: Workbench): Promise<readonly Section[]> {
  await using engines = await startEngines(workbench, animalsInRows);
  const { rounds, secondsPerRound, warmUpSeconds } = workbench.pace;
  const measured = [];
  for (const server of engines.servers) {
    const keys = await createKeys(server.databaseUrl, readersMax);
    const measure = (readers: number, seconds: number) =>
      runStreamLoad(workbench, server, { keys, readers, addsPerSecond, seconds });
    if (warmUpSeconds > 0) await measure(readersMax, warmUpSeconds);
    const alone: StreamFigures[] = [];
    const besides = readerCounts.map((readers): Beside => ({ readers, taken: [] }));
    measured.push({ name: server.name, measure, alone, besides });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { measure, alone, besides } of measured) {
      alone.push(await measure(0, secondsPerRound));
      for (const { readers, taken } of besides) {
        taken.push(await measure(readers, secondsPerRound));
        workbench.tick();
      }
    }
  }
  const rows = measured.flatMap(({ name, alone, besides }) =>
    besides.map(({ readers, taken }) => [name, ...cellsOf(readers, taken, alone)]),
  );
  return [
    {
      title: 'Event streams',
      text:
        `${addsPerSecond} animals a second are added at random moments, one at a time, while clients read ` +
        '`GET /v1/events/stream`, and in turns without these readers. The CPU of an event is the difference, divided by the number ' +
        'of readers. Delays are from the answer 201 until the event arrives at a reader.',
      headings,
      rows,
      aims: [],
    },
  ];
}

const headings = [
  'Server',
  'Readers',
  'CPU µs an animal',
  'without',
  '×',
  'CPU µs an event',
  'p50 ms',
  'p99 ms',
  'Load busy',
];

function cellsOf(
  readers: number,
  taken: readonly StreamFigures[],
  alone: readonly StreamFigures[],
): readonly string[] {
  const middle = (member: keyof StreamFigures) => median(taken.map((figures) => figures[member]));
  const [cpu, cpuAlone] = [taken.map(cpuOfAnimal), alone.map(cpuOfAnimal)];
  return [
    formatNumber(readers),
    formatNumber(median(cpu)),
    formatNumber(median(cpuAlone)),
    formatRatio(medianRatio(cpu, cpuAlone)),
    formatNumber((median(cpu) - median(cpuAlone)) / readers),
    formatNumber(middle('p50Milliseconds')),
    formatNumber(middle('p99Milliseconds')),
    `${formatNumber(100 * middle('loadBusyShare'))} %`,
  ];
}

function cpuOfAnimal({ cpuMicroseconds, adds }: StreamFigures): number {
  return cpuMicroseconds / adds;
}

async function runStreamLoad(
  { pinning }: Workbench,
  { origin, headers, pid, databasePid }: EngineServer,
  settings: Omit<StreamPlan, 'origin' | 'headers' | 'pids'>,
): Promise<StreamFigures> {
  const pids = databasePid === undefined ? [pid] : [pid, databasePid];
  const plan: StreamPlan = { origin, headers, pids, ...settings };
  const load = join(import.meta.dir, 'stream-load.ts');
  const child = await runChild([process.execPath, load, JSON.stringify(plan)], {
    cores: pinning.load,
  });
  return JSON.parse(child.output().stdout);
}
