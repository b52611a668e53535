import type { Metric, Registry } from 'prom-client';
import type { Histogram } from '../domain/histogram.ts';

/** Counts, and the labels that tell them from the others of their name. */
export interface LabelledCounts {
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly counts: Histogram;
}

/**
 * Shows a histogram that is counted elsewhere. One of prom-client's own would look its labels up anew for every value,
 * which costs a request ten times as much as counting.
 */
export function registerHistogram(
  registry: Registry,
  { name, help }: { readonly name: string; readonly help: string },
  read: () => readonly LabelledCounts[],
): void {
  const metric = {
    name,
    help,
    get: async () => ({
      name,
      help,
      type: 'histogram',
      values: read().flatMap((labelled) => toValues(name, labelled)),
    }),
  };
  // What the registry asks of a metric is this much; its types ask for all that prom-client's own can do.
  registry.registerMetric(metric as unknown as Metric);
}

/** A count for each bound, of all values up to it. */
function toValues(name: string, { labels = {}, counts: { bounds, counts, sum } }: LabelledCounts) {
  let upTo = 0;
  const buckets = counts.map((count, place) => {
    upTo += count;
    const le = bounds[place] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: upTo };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: upTo },
  ];
}
