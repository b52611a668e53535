import { expect, test } from 'bun:test';
import { createHistogram, observe } from '../domain/values/histogram.ts';
import { formatMetrics } from './metrics-text.ts';

test('each metric has its help, its type and a line for each sample', () => {
  const text = formatMetrics([
    {
      type: 'counter',
      name: 'refused_total',
      help: 'Refused',
      samples: [
        { labels: { reason: 'not_found', status: 404 }, value: 2 },
        { labels: { reason: 'unavailable', status: 503 }, value: 0.5 },
      ],
    },
    { type: 'gauge', name: 'waiting', help: 'Waiting', samples: [{ value: 7 }] },
    { type: 'counter', name: 'unused', help: 'Unused', samples: [] },
    { type: 'gauge', name: 'pool', help: 'Left out on SQLite', samples: [] },
  ]);
  expect(text).toBe(`# HELP refused_total Refused
# TYPE refused_total counter
refused_total{reason="not_found",status="404"} 2
refused_total{reason="unavailable",status="503"} 0.5
# HELP waiting Waiting
# TYPE waiting gauge
waiting 7
# HELP unused Unused
# TYPE unused counter
`);
});

test('a bucket of a histogram counts all values up to its bound, and the last one every value', () => {
  const seconds = createHistogram([0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 3]) observe(seconds, value);
  const labels = { operation: 'listPets' };
  const text = formatMetrics([
    { type: 'histogram', name: 'took', help: 'Took', samples: [{ labels, value: seconds }] },
  ]);
  expect(text).toBe(`# HELP took Took
# TYPE took histogram
took_bucket{operation="listPets",le="0.1"} 2
took_bucket{operation="listPets",le="1"} 3
took_bucket{operation="listPets",le="+Inf"} 4
took_sum{operation="listPets"} 3.65
took_count{operation="listPets"} 4
`);
});

test('a quotation mark, a backslash and a line feed in a label are escaped', () => {
  const labels = { runtime: 'a "b" \\ c\nd' };
  const text = formatMetrics([
    { type: 'gauge', name: 'build_info', help: 'Build', samples: [{ labels, value: 1 }] },
  ]);
  expect(text).toEndWith('\nbuild_info{runtime="a \\"b\\" \\\\ c\\nd"} 1\n');
});
