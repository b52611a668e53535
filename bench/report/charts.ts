import type { BenchResult, GrowthResult, ScenarioResult } from '../result.ts';
import { formatAnimals, formatNumber } from './format.ts';
import { drawLineChart } from './line-chart.ts';
import { medianOf, serversOf } from './rounds.ts';

export interface Chart {
  /** Of the file, without its extension. */
  readonly name: string;
  readonly title: string;
  readonly svg: string;
}

/** The curves that say more than their table. */
export function drawCharts({ scenarios, growth }: BenchResult): readonly Chart[] {
  const charts = scenarios
    .filter(({ name }) => name === 'list' || name === 'create')
    .map(drawThroughput);
  return growth === undefined || growth.sizes.length < 2 ? charts : [...charts, drawGrowth(growth)];
}

function drawThroughput(scenario: ScenarioResult): Chart {
  const title = `${scenario.title}: requests a second`;
  const svg = drawLineChart({
    title,
    xTitle: 'connections',
    yTitle: 'requests a second',
    formatX: formatNumber,
    formatY: formatNumber,
    lines: serversOf(scenario).map((name) => ({
      name,
      points: scenario.measurements
        .filter(({ server }) => server === name)
        .map(({ connections, rounds }) => ({
          x: connections,
          y: medianOf(rounds, 'requestsPerSecond'),
        })),
    })),
  });
  return { name: `throughput-${scenario.name}`, title, svg };
}

function drawGrowth({ costs }: GrowthResult): Chart {
  const title = 'CPU per request as the data grows';
  const svg = drawLineChart({
    title,
    xTitle: 'animals',
    yTitle: 'µs of CPU a request',
    formatX: formatAnimals,
    formatY: formatNumber,
    lines: costs.map(({ title: name, measurements }) => ({
      name,
      points: measurements.map(({ server, rounds }) => ({
        x: Number(server),
        y: medianOf(rounds, 'cpuMicrosecondsPerRequest'),
      })),
    })),
  });
  return { name: 'growth', title, svg };
}
