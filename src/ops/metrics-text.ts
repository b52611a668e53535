import type { Histogram } from '../domain/values/histogram.ts';

type Labels = Readonly<Record<string, string | number>>;

/** A value, and the labels that distinguish it from others of its name. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number | Histogram;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  /** `histogram`, `counter` or `gauge`. */
  readonly type: string;
  readonly samples: readonly Sample[];
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Writes metrics in the text format of Prometheus. A gauge without a sample is left out. */
export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics.map(formatMetric).join('');
}

function formatMetric({ name, help, type, samples }: Metric): string {
  if (type === 'gauge' && samples.length === 0) return '';
  const lines = samples.flatMap(({ labels, value }) =>
    typeof value === 'number'
      ? formatLine(name, labels, value)
      : histogramLines(name, labels, value),
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** Writes for each bound the number of values up to it. */
function histogramLines(
  name: string,
  labels: Labels | undefined,
  { bounds, counts, sum }: Histogram,
) {
  let upTo = 0;
  const buckets = counts.map((count, index) => {
    upTo += count;
    return formatLine(`${name}_bucket`, { ...labels, le: bounds[index] ?? '+Inf' }, upTo);
  });
  return [
    ...buckets,
    formatLine(`${name}_sum`, labels, sum),
    formatLine(`${name}_count`, labels, upTo),
  ];
}

function formatLine(name: string, labels: Labels = {}, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  const set = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  return `${name}${set} ${value}\n`;
}

function escapeLabel(text: string | number): string {
  return String(text).replaceAll(/[\\"\n]/g, (character) =>
    character === '\n' ? '\\n' : `\\${character}`,
  );
}
