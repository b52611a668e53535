import type {
  BackupResult,
  BenchResult,
  GrowthResult,
  Measurement,
  ScenarioResult,
  SlowFlushResult,
  StepResult,
} from '../result.ts';
import { median, medianRatio, spread } from '../statistics.ts';
import type { Figure } from './figures.ts';
import {
  formatAnimals,
  formatMegabytes,
  formatNumber,
  formatRatio,
  formatShare,
} from './format.ts';
import { allRounds, findMeasurement, medianOf, serversOf, valuesOf } from './rounds.ts';
import type { Table } from './table.ts';

const ours = 'animal-store';

export function figuresTable(figures: readonly Figure[]): Table {
  return {
    headings: ['Figure', 'Aim', 'Measured', 'Verdict'],
    textColumns: 4,
    rows: figures.map(({ title, aim, measured, verdict }) => [title, aim, measured, verdict]),
  };
}

/** A row for each server and number of connections, with ratios to our server in the same rounds. */
export function scenarioTable(scenario: ScenarioResult): Table {
  const { measurements, memory } = scenario;
  const counts = [...new Set(measurements.map(({ connections }) => connections))];
  const rows = serversOf(scenario).flatMap((server) =>
    counts.flatMap((connections, index) => {
      const measurement = findMeasurement(measurements, server, connections);
      const reference = findMeasurement(measurements, ours, connections);
      if (measurement === undefined || reference === undefined) return [];
      const memoryCell =
        index === 0 ? formatMegabytes(memory[server]?.residentBytes ?? Number.NaN) : '';
      return [[index === 0 ? server : '', ...loadCells(measurement, reference), memoryCell]];
    }),
  );
  return {
    headings: [
      'Server',
      'Connections',
      'Requests/s',
      'Spread',
      '× ours',
      'CPU µs/request',
      '× ours',
      'p50 ms',
      'p99 ms',
      'Failed',
      'Load busy',
      'Memory',
    ],
    textColumns: 1,
    rows,
  };
}

function loadCells({ connections, rounds }: Measurement, reference: Measurement): string[] {
  const rate = valuesOf(rounds, 'requestsPerSecond');
  const cpu = valuesOf(rounds, 'cpuMicrosecondsPerRequest');
  const failed = valuesOf(rounds, 'failedRequests').reduce((total, count) => total + count, 0);
  return [
    `${connections}`,
    formatNumber(median(rate)),
    formatShare(spread(rate)),
    formatRatio(medianRatio(rate, valuesOf(reference.rounds, 'requestsPerSecond'))),
    formatNumber(median(cpu)),
    formatRatio(medianRatio(cpu, valuesOf(reference.rounds, 'cpuMicrosecondsPerRequest'))),
    formatNumber(medianOf(rounds, 'latencyP50Microseconds') / 1000),
    formatNumber(medianOf(rounds, 'latencyP99Microseconds') / 1000),
    `${failed}`,
    formatShare(medianOf(rounds, 'loadBusyShare')),
  ];
}

export function growthCostTable({ sizes, costs, connections }: GrowthResult): Table {
  const smallest = `${sizes[0]?.animals}`;
  return {
    headings: [
      'CPU µs/request',
      ...sizes.map(({ animals }) => formatAnimals(animals)),
      ...sizes.slice(1).map(({ animals }) => `× at ${formatAnimals(animals)}`),
    ],
    textColumns: 1,
    rows: costs.map(({ title, measurements }) => {
      const cpu = sizes.map(({ animals }) =>
        valuesOf(
          findMeasurement(measurements, `${animals}`, connections)?.rounds ?? [],
          'cpuMicrosecondsPerRequest',
        ),
      );
      const reference = findMeasurement(measurements, smallest, connections)?.rounds ?? [];
      const below = valuesOf(reference, 'cpuMicrosecondsPerRequest');
      return [
        title,
        ...cpu.map((values) => formatNumber(median(values))),
        ...cpu.slice(1).map((values) => formatRatio(medianRatio(values, below))),
      ];
    }),
  };
}

export function growthSizeTable({ sizes }: GrowthResult): Table {
  return {
    headings: ['Animals', ...sizes.map(({ animals }) => formatAnimals(animals))],
    textColumns: 1,
    rows: [
      ['time to add them, s', ...sizes.map(({ fillSeconds }) => formatNumber(fillSeconds))],
      ['size of the file', ...sizes.map(({ fileBytes }) => formatMegabytes(fileBytes))],
      [
        'start to first page, ms',
        ...sizes.map(({ startMilliseconds }) => formatNumber(median(startMilliseconds))),
      ],
      ['memory idle', ...sizes.map(({ idle }) => formatMegabytes(idle.residentBytes))],
      ['memory after load', ...sizes.map(({ loaded }) => formatMegabytes(loaded.residentBytes))],
      [
        'memory at its peak',
        ...sizes.map(({ loaded }) => formatMegabytes(loaded.residentPeakBytes)),
      ],
    ],
  };
}

export function slowFlushTable(results: readonly SlowFlushResult[]): Table {
  return {
    headings: [
      'Each flush slowed by',
      'Reading connections',
      'p50 ms',
      'with writers',
      '×',
      'p99 ms',
      'with writers',
      '×',
      'Animals added/s',
    ],
    textColumns: 1,
    rows: results.flatMap(({ flushMilliseconds, list }) =>
      list.map(({ connections, withoutWriters, withWriters, createdPerSecond }) => [
        `${flushMilliseconds} ms`,
        `${connections}`,
        ...(['latencyP50Microseconds', 'latencyP99Microseconds'] as const).flatMap((member) => [
          formatNumber(medianOf(withoutWriters, member) / 1000),
          formatNumber(medianOf(withWriters, member) / 1000),
          formatRatio(medianRatio(valuesOf(withWriters, member), valuesOf(withoutWriters, member))),
        ]),
        formatNumber(median(createdPerSecond)),
      ]),
    ),
  };
}

/** A row for each round. */
export function backupTable({ rounds }: BackupResult): Table {
  const milliseconds = (microseconds: number) => formatNumber(microseconds / 1000);
  return {
    headings: [
      'Backup, s',
      'Its size',
      'Writes/s',
      'without',
      'p50 ms',
      'without',
      'p99 ms',
      'without',
      'longest ms',
      'without',
      'Failed',
      'Log at most',
    ],
    textColumns: 0,
    rows: rounds.map(({ seconds, backupBytes, logBytesMax, withBackup, withoutBackup }) => [
      formatNumber(seconds),
      formatMegabytes(backupBytes),
      formatNumber(withBackup.writesPerSecond),
      formatNumber(withoutBackup.writesPerSecond),
      milliseconds(withBackup.latencyP50Microseconds),
      milliseconds(withoutBackup.latencyP50Microseconds),
      milliseconds(withBackup.latencyP99Microseconds),
      milliseconds(withoutBackup.latencyP99Microseconds),
      milliseconds(withBackup.latencyMaxMicroseconds),
      milliseconds(withoutBackup.latencyMaxMicroseconds),
      `${withBackup.failedRequests + withoutBackup.failedRequests}`,
      formatMegabytes(logBytesMax),
    ]),
  };
}

export function stepTable(steps: readonly StepResult[]): Table {
  return {
    headings: ['Step', 'CPU µs/request'],
    textColumns: 1,
    rows: steps.map(({ name, microseconds }) => [name, formatNumber(microseconds)]),
  };
}

export function machineTable(result: BenchResult): Table {
  const { machine, startedAt, minutes, pace } = result;
  const others = allRounds(result).flatMap(({ othersBusyShare }) => othersBusyShare ?? []);
  return {
    headings: ['Machine', ''],
    textColumns: 2,
    rows: [
      ['Processor', `${machine.processor}, ${machine.cores} cores`],
      ['Memory', formatMegabytes(machine.memoryBytes)],
      ['System', machine.system],
      ['File system', machine.fileSystem],
      ['4 KiB written and flushed', `${formatNumber(machine.flushMicroseconds)} µs`],
      [
        'Versions',
        Object.entries(machine.versions)
          .map((entry) => entry.join(' '))
          .join(', '),
      ],
      [
        'Measured',
        `${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${minutes.toFixed(0)} minutes`,
      ],
      ['Rounds', `${pace.rounds} of ${pace.secondsPerRound} s each`],
      [
        "Others on the server's core",
        `${formatShare(median(others))} of it in the middle round, ${formatShare(Math.max(...others))} in the worst`,
      ],
    ],
  };
}
