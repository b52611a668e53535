import type { Measurement, PostgresResult, Round } from '../result.ts';
import { median, medianRatio } from '../statistics.ts';
import { formatNumber, formatRatio } from './format.ts';
import { cpuOf } from './postgres-ratios.ts';
import { findMeasurement, medianOf, type RoundMember, valuesOf } from './rounds.ts';
import type { Table } from './table.ts';

/** A row for each load, with what it is on PostgreSQL, on SQLite, and the ratio of the two in the same turns. */
export function enginesTable({ list, create }: PostgresResult): Table {
  return {
    headings: [
      'Load',
      'Connections',
      ...['Requests/s', 'CPU µs/request', 'p50 ms'].flatMap((name) => [name, 'on SQLite', '×']),
      'PostgreSQL’s CPU µs',
      'Failed',
    ],
    textColumns: 1,
    rows: [...rowsOf('list of 20', list), ...rowsOf('add an animal', create)],
  };
}

function rowsOf(title: string, measurements: readonly Measurement[]): string[][] {
  return measurements
    .filter(({ server }) => server === 'PostgreSQL')
    .map(({ connections, rounds }) => {
      const sqlite = findMeasurement(measurements, 'SQLite', connections)?.rounds ?? [];
      const failed = [...rounds, ...sqlite].map(({ failedRequests }) => failedRequests);
      return [
        title,
        `${connections}`,
        ...cells(rounds, sqlite, 'requestsPerSecond'),
        ...cells(rounds, sqlite, 'cpuMicrosecondsPerRequest'),
        ...cells(rounds, sqlite, 'latencyP50Microseconds', 1000),
        formatNumber(
          median(rounds.flatMap((round) => round.databaseCpuMicrosecondsPerRequest ?? [])),
        ),
        `${failed.reduce((total, count) => total + count, 0)}`,
      ];
    });
}

function cells(
  postgres: readonly Round[],
  sqlite: readonly Round[],
  member: RoundMember,
  divisor = 1,
): string[] {
  return [
    formatNumber(medianOf(postgres, member) / divisor),
    formatNumber(medianOf(sqlite, member) / divisor),
    formatRatio(medianRatio(valuesOf(postgres, member), valuesOf(sqlite, member))),
  ];
}

export function singleInsertsTable({ singleInserts: { counts } }: PostgresResult): Table {
  return {
    headings: ['Clients', ...counts.map(({ clients }) => `${clients}`)],
    textColumns: 1,
    rows: [
      ['rows/s', ...counts.map(({ rowsPerSecond }) => formatNumber(median(rowsPerSecond)))],
      [
        'PostgreSQL’s CPU µs/row',
        ...counts.map(({ databaseCpuMicrosecondsPerRow: cpu = [] }) => formatNumber(median(cpu))),
      ],
    ],
  };
}

export function severalServersTable({ severalServers: results }: PostgresResult): Table {
  return {
    headings: ['Servers', '', 'CPU µs/request', 'Requests per core ×', 'Failed'],
    textColumns: 2,
    rows: results.map(({ way, servers, rounds }) => [
      `${servers}`,
      way,
      formatNumber(median(cpuOf(results, way))),
      formatRatio(medianRatio(cpuOf(results, 'alone'), cpuOf(results, way))),
      `${rounds.reduce((total, { failedRequests }) => total + failedRequests, 0)}`,
    ]),
  };
}
