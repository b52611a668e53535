import type { Pace } from './result.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';

export const scenarioNames = Object.keys(scenarios) as ScenarioName[];

/** Everything that `--only` can name. */
export const partNames = [
  ...scenarioNames,
  'growth',
  'slow-flush',
  'demo',
  'steps',
  'postgres',
  'backup',
] as const;

export type PartName = (typeof partNames)[number];

export const fullPace: Pace = {
  rounds: 3,
  secondsPerRound: 2,
  warmUpSeconds: 2,
  connections: [1, 32, 256],
  growthAnimals: [1000, 100_000, 10_000_000],
};

/** To see whether everything works, and roughly where things stand. */
export const quickPace: Pace = {
  rounds: 1,
  secondsPerRound: 1,
  warmUpSeconds: 1,
  connections: [32, 256],
  growthAnimals: [1000, 100_000],
};

/** How long every flush takes in the slow-flush part. */
export const slowFlushMilliseconds = [10, 1000] as const;
