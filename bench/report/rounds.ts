import type { BenchResult, Measurement, Round, ScenarioResult } from '../result.ts';
import { median, medianRatio } from '../statistics.ts';

export type RoundMember = Exclude<
  keyof Round,
  'othersBusyShare' | 'databaseCpuMicrosecondsPerRequest'
>;

export function valuesOf(rounds: readonly Round[], member: RoundMember): readonly number[] {
  return rounds.map((round) => round[member]);
}

export function medianOf(rounds: readonly Round[], member: RoundMember): number {
  return median(valuesOf(rounds, member));
}

export function findMeasurement(
  measurements: readonly Measurement[],
  server: string,
  connections: number,
): Measurement | undefined {
  return measurements.find(
    (candidate) => candidate.server === server && candidate.connections === connections,
  );
}

/** The median of the ratios of two servers within each turn; undefined where one was not measured. */
export function compareServers(
  measurements: readonly Measurement[],
  [above, below]: readonly [string, string],
  connections: number,
  member: RoundMember,
): number | undefined {
  const over = findMeasurement(measurements, above, connections);
  const under = findMeasurement(measurements, below, connections);
  return (
    over && under && medianRatio(valuesOf(over.rounds, member), valuesOf(under.rounds, member))
  );
}

export function serversOf({ measurements }: ScenarioResult): readonly string[] {
  return [...new Set(measurements.map(({ server }) => server))];
}

/** Every round of every part. */
export function allRounds(result: BenchResult): readonly Round[] {
  const { scenarios, growth, slowFlush, postgres } = result;
  const measurements = [
    ...[...scenarios, ...(growth?.costs ?? [])].flatMap((part) => part.measurements),
    ...(postgres?.list ?? []),
    ...(postgres?.create ?? []),
  ];
  const besideFlushes = slowFlush
    .flatMap(({ list }) => list)
    .flatMap(({ withoutWriters }) => withoutWriters);
  return [...measurements.flatMap(({ rounds }) => rounds), ...besideFlushes];
}
