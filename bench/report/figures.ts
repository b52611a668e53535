import type { BackupResult, BenchResult, StepResult } from '../result.ts';
import { median, medianRatio } from '../statistics.ts';
import { formatMegabytes, formatNumber, formatRatio } from './format.ts';
import { postgresRatios } from './postgres-ratios.ts';
import { compareServers, findMeasurement, type RoundMember, valuesOf } from './rounds.ts';

/** One of the figures that the service is to reach. */
export interface Figure {
  readonly title: string;
  readonly aim: string;
  readonly measured: string;
  readonly verdict: 'met' | 'short' | 'not measured';
}

const ours = 'animal-store';
const tenMillion = 10_000_000;

/** Connections at which CPU per request of a list is compared: busy, and nowhere near a limit. */
const listConnections = 32;

/** Every figure, whether it was measured or not. */
export function computeFigures(result: BenchResult): readonly Figure[] {
  return [
    ...requestFigures(result),
    ...growthFigures(result),
    ...stepFigures(result),
    ...postgresFigures(result),
    ...backupFigures(result),
  ];
}

function requestFigures(result: BenchResult): readonly Figure[] {
  const slowed = result.slowFlush
    .find(({ flushMilliseconds }) => flushMilliseconds === 10)
    ?.list.find(({ connections }) => connections === listConnections);
  return [
    ratio(
      `list of 20, CPU per request / nginx with the same bytes (${listConnections} connections)`,
      { atMost: 1.0 },
      compare(result, 'list', 'nginx', listConnections, 'cpuMicrosecondsPerRequest'),
    ),
    ratio(
      'durable POST, 256 connections / the same with stubbed storage',
      { atLeast: 0.9 },
      compare(result, 'create', 'stubbed storage', 256, 'requestsPerSecond'),
    ),
    ratio(
      'durable POST, 256 connections / the same committing each alone',
      { atLeast: 8 },
      compare(result, 'create', 'each commit alone', 256, 'requestsPerSecond'),
    ),
    ratio(
      `list p99, flushes slowed by 10 ms under 64 writers / without writers (${listConnections} connections)`,
      { atMost: 2 },
      slowed === undefined
        ? undefined
        : medianRatio(
            valuesOf(slowed.withWriters, 'latencyP99Microseconds'),
            valuesOf(slowed.withoutWriters, 'latencyP99Microseconds'),
          ),
    ),
  ];
}

function growthFigures(result: BenchResult): readonly Figure[] {
  const { growth, demo } = result;
  const largest = growth?.sizes.find(({ animals }) => animals === tenMillion);
  return [
    ratio(
      'page cost at 10 million / at 1 thousand, the worst of any depth and filter',
      { atMost: 1.1 },
      largest === undefined ? undefined : worstGrowth(result),
    ),
    figure(
      'start to first answer at 10 million',
      { atMost: 150 },
      largest && median(largest.startMilliseconds),
      (value) => `${formatNumber(value)} ms`,
    ),
    figure(
      'memory idle at 10 million',
      { atMost: 50_000_000 },
      largest?.idle.residentBytes,
      formatMegabytes,
    ),
    figure(
      'memory at its peak under load at 10 million',
      { atMost: 120_000_000 },
      largest?.loaded.residentPeakBytes,
      formatMegabytes,
    ),
    figure(
      'one million demo animals',
      { atMost: 10 },
      demo && median(demo.seconds),
      (value) => `${formatNumber(value)} s`,
    ),
  ];
}

function stepFigures({ steps }: BenchResult): readonly Figure[] {
  const stepCost = (...names: readonly StepResult['name'][]) => {
    const found = steps?.filter(({ name }) => names.includes(name)) ?? [];
    return found.length === 0
      ? undefined
      : Math.max(...found.map(({ microseconds }) => microseconds));
  };
  return [
    figure(
      'the dearest of authentication, rate limit, request id and metrics, CPU of a request',
      { atMost: 1 },
      stepCost('authentication', 'rate limit, on', 'request id, made', 'metrics'),
      (value) => `${formatNumber(value)} µs`,
    ),
    figure(
      'a rate limit that is off, CPU of a request',
      { atMost: 0.5 },
      stepCost('rate limit, off'),
      (value) => `${formatNumber(value)} µs`,
    ),
  ];
}

function postgresFigures({ postgres }: BenchResult): readonly Figure[] {
  const onPostgres = postgres && postgresRatios(postgres);
  return [
    ratio(
      `list of 20 on PostgreSQL, CPU per request / on SQLite (${listConnections} connections)`,
      { atMost: 1.1 },
      onPostgres?.listCpu,
    ),
    ratio(
      'durable POST on PostgreSQL, 256 connections / single-row INSERT at its best number of clients',
      { atLeast: 8 },
      onPostgres?.createRate,
    ),
    ratio(
      'list of 20 on PostgreSQL, requests per core of three servers / of one',
      { atLeast: 0.95 },
      onPostgres?.requestsPerCore,
    ),
  ];
}

function backupFigures({ backup }: BenchResult): readonly Figure[] {
  return [
    figure(
      'longest of 5000 writes a second beside a backup of 10 million, above the longest without',
      { atMost: 50 },
      backup?.animals === tenMillion ? longestDelay(backup) : undefined,
      (value) => `${formatNumber(value)} ms`,
    ),
  ];
}

/** Milliseconds, in the middle turn. */
function longestDelay({ rounds }: BackupResult): number {
  return median(
    rounds.map(
      ({ withBackup, withoutBackup }) =>
        (withBackup.latencyMaxMicroseconds - withoutBackup.latencyMaxMicroseconds) / 1000,
    ),
  );
}

type Aim = { readonly atMost: number } | { readonly atLeast: number };

function ratio(title: string, aim: Aim, measured: number | undefined): Figure {
  return figure(title, aim, measured, formatRatio);
}

function figure(
  title: string,
  aim: Aim,
  measured: number | undefined,
  format: (value: number) => string,
): Figure {
  const aimText = 'atMost' in aim ? `≤ ${format(aim.atMost)}` : `≥ ${format(aim.atLeast)}`;
  if (measured === undefined || Number.isNaN(measured)) {
    return { title, aim: aimText, measured: '-', verdict: 'not measured' };
  }
  const met = 'atMost' in aim ? measured <= aim.atMost : measured >= aim.atLeast;
  return { title, aim: aimText, measured: format(measured), verdict: met ? 'met' : 'short' };
}

function compare(
  { scenarios }: BenchResult,
  scenarioName: string,
  other: string,
  connections: number,
  member: RoundMember,
): number | undefined {
  const scenario = scenarios.find(({ name }) => name === scenarioName);
  return scenario && compareServers(scenario.measurements, [ours, other], connections, member);
}

function worstGrowth({ growth }: BenchResult): number | undefined {
  if (growth === undefined) return undefined;
  const { costs, connections, sizes } = growth;
  const ratios = costs
    .filter(({ name }) => name !== 'create')
    .map(({ measurements }) => {
      const cpuAt = (animals: number | undefined) =>
        valuesOf(
          findMeasurement(measurements, `${animals}`, connections)?.rounds ?? [],
          'cpuMicrosecondsPerRequest',
        );
      return medianRatio(cpuAt(tenMillion), cpuAt(sizes[0]?.animals));
    });
  return Math.max(...ratios);
}
