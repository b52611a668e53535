import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { parse } from 'yaml';
import { operations } from '../src/http/operations.ts';
import { metricMeanings } from '../src/ops/metrics.ts';
import { engineNames, prepareData } from './support/engines.ts';
import { parseMetrics, type Sample } from './support/parse-metrics.ts';
import { startServerProcess } from './support/server-process.ts';

const folder = join(import.meta.dir, '../docs');

function read(path: string): Promise<string> {
  return Bun.file(join(folder, path)).text();
}

/** The metrics of servers on both engines. */
let texts: string[];
let samples: readonly Sample[];

beforeAll(async () => {
  texts = await Promise.all(engineNames.map(readMetrics));
  samples = texts.flatMap(parseMetrics);
});

async function readMetrics(engine: (typeof engineNames)[number]): Promise<string> {
  await using data = await prepareData(engine);
  const backups = engine === 'sqlite' ? ['--backup-folder', folder] : [];
  await using server = await startServerProcess(data.url, {
    args: ['--metrics-port', '0', ...backups],
  });
  const url = /"metrics":"([^"]+)"/.exec(server.output().stdout)?.[1] ?? '';
  // The metrics name a caller only after its first request.
  await fetch(`${server.origin}/v1/pets`);
  return await (await fetch(url)).text();
}

/** The queries for Prometheus, by their place. */
async function readExpressions(): Promise<[string, string][]> {
  const alerts = parse(await read('monitoring/alerts.yaml'));
  const dashboard = JSON.parse(await read('monitoring/dashboard.json'));
  return [
    ...alerts.groups.flatMap((group: { rules: { alert: string; expr: string }[] }) =>
      group.rules.map(({ alert, expr }) => [alert, expr]),
    ),
    ...dashboard.panels.flatMap((panel: { title: string; targets?: { expr: string }[] }) =>
      (panel.targets ?? []).map(({ expr }) => [panel.title, expr]),
    ),
    ...dashboard.templating.list.flatMap(({ name, definition }: Record<string, string>) =>
      definition === undefined ? [] : [[name, definition.replace(/,\s*\w+\)$/, ')')]],
    ),
  ];
}

/** Names in a query that are not functions, keywords or labels. */
function metricsIn(expression: string): { name: string; labels: string[] }[] {
  const text = expression
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  return [...text.matchAll(/\b(?<name>[a-z_]+)\b(?:\{(?<matchers>[^}]*)\}|(?!\s*[({"=]))/g)]
    .map(({ groups }) => ({
      name: groups?.name ?? '',
      labels: [...(groups?.matchers ?? '').matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(
        (match) => match[1] ?? '',
      ),
    }))
    .filter(({ name }) => !['and', 'or', 'unless', 'bool'].includes(name));
}

/** Labels that Prometheus adds itself. */
const ownMetrics = ['up'];
const ownLabels = ['job', 'instance'];

test('servers of both engines expose every declared metric', () => {
  const named = texts.flatMap((text) => [...text.matchAll(/^# TYPE (\S+)/gm)]);
  const declared = Object.values(metricMeanings).flatMap(Object.keys);
  expect(new Set(named.map(([, name = '']) => name))).toEqual(new Set(declared));
});

test('a server exposes every metric and label of the alerts and the dashboard', async () => {
  const expressions = await readExpressions();
  const strange = expressions.flatMap(([where, expression]) => {
    const metrics = metricsIn(expression);
    const wrong = metrics.flatMap(({ name, labels }) => {
      const found = samples.filter((sample) => sample.name === name);
      if (found.length === 0 && !ownMetrics.includes(name)) return [name];
      return labels
        .filter((label) => !ownLabels.includes(label) && found[0]?.labels[label] === undefined)
        .map((label) => `${name}{${label}}`);
    });
    return [...wrong, ...(metrics.length === 0 ? ['no metric'] : [])].map(
      (what) => `${where}: ${what}`,
    );
  });
  expect(strange).toEqual([]);
  expect(expressions.length).toBeGreaterThan(30);
});

test('every reason in an alert or the dashboard is an error code', async () => {
  const codes = new Set(samples.flatMap(({ labels }) => labels.reason ?? []));
  const asked = (await readExpressions()).flatMap(([, expression]) =>
    [...expression.matchAll(/reason=~?"([^"]+)"/g)].flatMap((match) => match[1]?.split('|') ?? []),
  );
  expect(asked.filter((code) => !codes.has(code))).toEqual([]);
  expect(asked.length).toBeGreaterThan(0);
});

test('durations of requests leave out every operation that waits by design', async () => {
  const leftOut = (await readExpressions()).flatMap(([where, expression]) => {
    const pattern = /operation!~"([^"]+)"/.exec(expression)?.[1];
    return pattern === undefined ? [] : [[where, pattern.split('|').sort()]];
  });
  const waiting = operations
    .filter((each) => each.kind === 'stream' || ('secondsToWait' in each && each.secondsToWait))
    .map(({ operationId }) => operationId);
  const expected = ['other', ...waiting].sort();
  expect(leftOut).toEqual([
    ['AnimalStoreSlow', expected],
    ['Median of the time to answer', expected],
    ['99th percentile of the time to answer', expected],
  ]);
});

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string }[];
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
}

test('the dashboard shows every metric, in panels with a query and a unit that do not overlap', async () => {
  const { panels } = JSON.parse(await read('monitoring/dashboard.json'));
  const shown = panels.flatMap(({ targets = [] }: Panel) =>
    targets.flatMap(({ expr }) => metricsIn(expr).map(({ name }) => name)),
  );
  const named = texts.flatMap((text) => [...text.matchAll(/^# TYPE (\S+)/gm)]);
  const names = new Set(named.map((match) => match[1] ?? ''));
  const notShown = [...names].filter(
    (name) => !shown.some((metric: string) => metric.replace(/_(bucket|sum|count)$/, '') === name),
  );
  expect(notShown).toEqual([]);

  const withoutQueryOrUnit = panels.filter(
    ({ type, targets = [], fieldConfig }: Panel) =>
      type !== 'row' && (targets.length === 0 || fieldConfig.defaults.unit === undefined),
  );
  expect(withoutQueryOrUnit.map(({ title }: Panel) => title)).toEqual([]);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }: Panel) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ id }: Panel) => id)).size).toBe(panels.length);
});
