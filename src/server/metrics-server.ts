import packageJson from '../../package.json' with { type: 'json' };
import { createMetricsApp } from '../http/metrics-endpoint.ts';
import type { Config } from '../ops/config.ts';
import type { Log } from '../ops/log.ts';
import type { MetricSources } from '../ops/metrics.ts';
import { listen } from './listen.ts';

export const metricsSettings = ['metricsPort', 'metricsHost'] as const;

type MetricsConfig = Config<(typeof metricsSettings)[number] | 'database'>;

export interface MetricsServer extends AsyncDisposable {
  readonly url: string;
}

/** The version of the program, its runtime and its engine. */
export function buildOf({ database }: Pick<MetricsConfig, 'database'>): MetricSources['build'] {
  return {
    version: packageJson.version,
    engine: database.engine,
    runtime: `bun ${Bun.version}`,
  };
}

/** Serves the metrics on their own address until the server has stopped. */
export async function serveMetrics(
  { metricsHost, metricsPort = 0, database }: MetricsConfig,
  sources: Omit<MetricSources, 'build'>,
  log: Log,
): Promise<MetricsServer> {
  // Loaded only here, because a server without metrics does not need it.
  const { openMetrics } = await import('../ops/metrics.ts');
  await using opening = new AsyncDisposableStack();
  const metrics = opening.use(openMetrics({ ...sources, build: buildOf({ database }) }));
  const app = createMetricsApp(metrics, (error) =>
    log.error({ err: error }, 'the metrics could not be read'),
  );
  const { origin } = opening.use(await listen(metricsHost, metricsPort, app));
  const open = opening.move();
  return { url: `${origin}/metrics`, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
