import type { PostgresResult, SeveralServersResult } from '../result.ts';
import { median, medianRatio } from '../statistics.ts';
import { compareServers, findMeasurement, valuesOf } from './rounds.ts';

const listConnections = 32;
const createConnections = 256;

/** What the figures are made of; each is the median of the ratios within each turn. */
export interface PostgresRatios {
  /** CPU per request of a list, over the same on SQLite. */
  readonly listCpu: number | undefined;
  /** Animals added a second, over rows inserted one by one by the best number of clients. */
  readonly createRate: number | undefined;
  /** Requests for each second of processor time, of three servers over one. */
  readonly requestsPerCore: number | undefined;
}

export function postgresRatios(result: PostgresResult): PostgresRatios {
  const { list, create, severalServers } = result;
  const busy = findMeasurement(create, 'PostgreSQL', createConnections);
  return {
    listCpu: compareServers(
      list,
      ['PostgreSQL', 'SQLite'],
      listConnections,
      'cpuMicrosecondsPerRequest',
    ),
    createRate:
      busy &&
      medianRatio(
        valuesOf(busy.rounds, 'requestsPerSecond'),
        bestClients(result)?.rowsPerSecond ?? [],
      ),
    requestsPerCore: medianRatio(
      cpuOf(severalServers, 'alone'),
      cpuOf(severalServers, 'one after the other'),
    ),
  };
}

function bestClients({ singleInserts: { counts } }: PostgresResult) {
  return counts.toSorted(
    (left, right) => median(right.rowsPerSecond) - median(left.rowsPerSecond),
  )[0];
}

/** CPU per request, one value a round. */
export function cpuOf(
  results: readonly SeveralServersResult[],
  way: SeveralServersResult['way'],
): readonly number[] {
  const rounds = results.find((result) => result.way === way)?.rounds ?? [];
  return rounds.map(({ cpuMicrosecondsPerRequest }) => cpuMicrosecondsPerRequest);
}
