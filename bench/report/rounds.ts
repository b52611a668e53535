import type { BenchResult, Measurement, Round, ScenarioResult } from '../result.ts';
import { median } from '../statistics.ts';

export type RoundMember = Exclude<keyof Round, 'othersBusyShare'>;

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

export function serversOf({ measurements }: ScenarioResult): readonly string[] {
  return [...new Set(measurements.map(({ server }) => server))];
}

/** Every round of every part. */
export function allRounds({ scenarios, growth, slowFlush }: BenchResult): readonly Round[] {
  const measurements = [...scenarios, ...(growth?.costs ?? [])].flatMap(
    (part) => part.measurements,
  );
  const besideFlushes = slowFlush
    .flatMap(({ list }) => list)
    .flatMap(({ withoutWriters }) => withoutWriters);
  return [...measurements.flatMap(({ rounds }) => rounds), ...besideFlushes];
}
