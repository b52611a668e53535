import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isMissing } from './support/proxy-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const monitoring = join(import.meta.dir, '../docs/monitoring');

/** A situation in which an alert fires, and one in which it does not. */
interface Case {
  /** For each metric of server a:9464: values that do not fire, and values that do, in the notation of promtool. */
  readonly series: Readonly<Record<string, readonly [calm: string, firing: string]>>;
  /** The time between two values, and between two evaluations; 1m unless set. */
  readonly interval?: string;
  /** When the alert is read. */
  readonly at: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly severity: 'critical' | 'warning';
  /** What a person reads. */
  readonly summary: string;
}

const always = ['0+60x30', '0+60x30'] as const;

const cases: Readonly<Record<string, Case>> = {
  AnimalStoreDown: {
    series: { up: ['1+0x5', '0+0x5'] },
    at: '5m',
    severity: 'critical',
    summary: 'Animal Store at a:9464 does not answer.',
  },
  AnimalStoreUnavailable: {
    series: {
      'animal_store_requests_refused_total{reason="unavailable"}': ['0+0x10', '0+6x10'],
      'animal_store_request_duration_seconds_count{operation="listPets"}': always,
    },
    at: '10m',
    severity: 'critical',
    summary: 'Storage of a:9464 fails 10% of the requests.',
  },
  AnimalStoreFault: {
    series: {
      'animal_store_requests_refused_total{reason="internal_error"}': ['3+0x5', '3+0x4 4'],
    },
    at: '5m',
    labels: { reason: 'internal_error' },
    severity: 'critical',
    summary: 'Animal Store at a:9464 failed with an internal error. Read its log.',
  },
  AnimalStoreRestarts: {
    series: { process_start_time_seconds: ['1 1 2 2 3 3', '1 2 2 3 3 4'] },
    at: '5m',
    severity: 'warning',
    summary: 'Animal Store at a:9464 restarted more than twice in 15 minutes.',
  },
  AnimalStoreSlow: {
    series: slowBuckets('animal_store_request_duration_seconds_bucket', 'operation="createPet",'),
    at: '20m',
    labels: { operation: 'createPet' },
    severity: 'warning',
    summary: 'One createPet in a hundred at a:9464 takes 995ms or more.',
  },
  AnimalStoreSlowCommits: {
    series: slowBuckets('animal_store_commit_duration_seconds_bucket'),
    at: '20m',
    severity: 'warning',
    summary: 'One commit in a hundred at a:9464 takes 995ms or more.',
  },
  AnimalStoreWritesWait: {
    series: { animal_store_writes_waiting: ['3000 2000 3000', '3000+0x2'] },
    at: '2m',
    severity: 'warning',
    summary: '3000 writes wait at a:9464; from 8192 on they are refused.',
  },
  AnimalStoreDiskFills: {
    series: { animal_store_database_free_bytes: ['9e10+0x8', '9e10-5e9x8'] },
    interval: '1h',
    at: '8h',
    severity: 'warning',
    summary: 'The disk of the data at a:9464 will be full within a day at this rate.',
  },
  AnimalStoreDiskNearlyFull: {
    series: { animal_store_database_free_bytes: ['2e9+0x10', '524288000+0x10'] },
    at: '6m',
    severity: 'critical',
    summary: 'The disk of the data at a:9464 has 500MiB left.',
  },
  AnimalStoreLogGrows: {
    series: { animal_store_wal_bytes: ['1e8+0x20', '524288000+0x20'] },
    at: '20m',
    severity: 'warning',
    summary: 'The write-ahead log at a:9464 has grown to 500MiB.',
  },
  AnimalStoreBackupOld: {
    series: { animal_store_newest_backup_timestamp_seconds: ['7200+0x330', '60+0x330'] },
    interval: '5m',
    at: '27h',
    severity: 'warning',
    summary: 'The newest backup of a:9464 is 1d 2h 59m 0s old.',
  },
  AnimalStoreBackupMissing: {
    series: { animal_store_newest_backup_timestamp_seconds: ['60+0x90', '0+0x90'] },
    at: '90m',
    severity: 'critical',
    summary: 'The backup folder of a:9464 has no complete backup of its data.',
  },
  AnimalStoreConnectionsShort: {
    series: { animal_store_pool_waiting: ['1 0 1 0 1 0 1 0 1 0', '1+0x10'] },
    at: '8m',
    severity: 'warning',
    summary: 'Requests at a:9464 keep waiting for a connection to PostgreSQL.',
  },
  AnimalStoreStreamsNearlyFull: {
    series: { animal_store_streams_open: ['900+0x5', '950+0x5'] },
    at: '5m',
    severity: 'warning',
    summary: '950 streams of events are open at a:9464; from 1000 on more are refused.',
  },
  AnimalStoreFilesNearlyFull: {
    series: { process_open_fds: ['50+0x10', '90+0x10'], process_max_fds: ['100+0x10', '100+0x10'] },
    at: '6m',
    severity: 'warning',
    summary: 'Animal Store at a:9464 has 90% of the files open that it can.',
  },
  AnimalStoreEventLoopLags: {
    series: slowBuckets('animal_store_event_loop_lag_seconds_bucket'),
    at: '20m',
    severity: 'warning',
    summary: 'The event loop of a:9464 lags, because its core is fully used.',
  },
  AnimalStoreKeysRefused: {
    series: {
      'animal_store_requests_refused_total{reason="invalid_api_key"}': ['0+30x30', '0+120x30'],
    },
    at: '25m',
    severity: 'warning',
    summary: 'Many requests to a:9464 have invalid keys.',
  },
  AnimalStoreLogLinesDropped: {
    series: { 'animal_store_log_lines_dropped_total{level="info"}': ['5+0x10', '5+10x10'] },
    at: '10m',
    severity: 'warning',
    summary: 'The log of a:9464 has lost about 100 lines in ten minutes.',
  },
  AnimalStoreWebhookFails: {
    series: {
      'animal_store_webhooks{status="paused"}': ['2+0x20', '2+0x20'],
      'animal_store_webhooks{status="failing"}': ['1+0x9 0 1+0x9', '2+0x20'],
    },
    at: '18m',
    labels: { status: 'failing' },
    severity: 'warning',
    summary: 'The number of failing webhooks of a:9464 is 2.',
  },
  AnimalStoreWebhookLate: {
    series: {
      animal_store_webhook_oldest_undelivered_timestamp_seconds: ['60+60x40 0+0x50', '0 60+0x90'],
    },
    at: '70m',
    severity: 'warning',
    summary: 'The next event for a webhook of a:9464 is 1h 9m 0s old.',
  },
};

/** A histogram of which all values are below 50 ms, or between 500 ms and 1 s. */
function slowBuckets(name: string, labels = ''): Case['series'] {
  const bucket = (le: string, values: readonly [string, string]) =>
    [`${name}{${labels}le="${le}"}`, values] as const;
  return Object.fromEntries([
    bucket('0.05', ['0+60x30', '0+0x30']),
    bucket('0.5', ['0+60x30', '0+0x30']),
    bucket('1', always),
    bucket('+Inf', always),
  ]);
}

const target = { job: 'animal-store', instance: 'a:9464' };

/** A test of promtool: an alert with the values that do not fire (0), or with those that do (1). */
function testOf(alertname: string, situation: Case, description: string, firing: 0 | 1) {
  const { series, interval = '1m', at, labels, severity, summary } = situation;
  const { job, instance } = target;
  const expected = {
    exp_labels: { job, instance, severity, ...labels },
    exp_annotations: { summary, description },
  };
  return {
    interval,
    input_series: Object.entries(series).map(([name, values]) => {
      const [, metric, own = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? [];
      const given = `job="${job}",instance="${instance}"${own && `,${own}`}`;
      return { series: `${metric}{${given}}`, values: values[firing] };
    }),
    alert_rule_test: [{ eval_time: at, alertname, exp_alerts: firing === 0 ? [] : [expected] }],
  };
}

const missing = isMissing('promtool', 'prometheus');
const leftOut = missing === undefined ? '' : `, left out: ${missing}`;

interface Rule {
  readonly alert: string;
  readonly annotations: { readonly description: string };
}

async function readRules(): Promise<readonly Rule[]> {
  const { groups } = parse(await Bun.file(join(monitoring, 'alerts.yaml')).text());
  return groups.flatMap(({ rules }: { rules: readonly Rule[] }) => rules);
}

test.skipIf(leftOut !== '')(`each alert fires when it must, and only then${leftOut}`, async () => {
  using folder = makeTemporaryFolder();
  const rules = await readRules();
  const files = Object.entries(cases).map(([name, situation]) => {
    const file = join(folder.path, `${name}.json`);
    const advice = rules.find(({ alert }) => alert === name)?.annotations.description ?? '';
    const input = {
      rule_files: [join(monitoring, 'alerts.yaml')],
      evaluation_interval: situation.interval ?? '1m',
      tests: [testOf(name, situation, advice, 0), testOf(name, situation, advice, 1)],
    };
    writeFileSync(file, JSON.stringify(input));
    return file;
  });
  const { exitCode, stderr } = Bun.spawnSync(['promtool', 'test', 'rules', ...files]);
  expect([exitCode, stderr.toString()]).toEqual([0, '']);
});

test('each alert has a situation in which it fires', async () => {
  const rules = await readRules();
  expect(Object.keys(cases)).toEqual(rules.map(({ alert }) => alert));
});

test.skipIf(leftOut !== '')(
  `Prometheus understands every query of the dashboard${leftOut}`,
  async () => {
    using folder = makeTemporaryFolder();
    const file = join(folder.path, 'rules.json');
    const dashboard = await Bun.file(join(monitoring, 'dashboard.json')).text();
    const queries = [...dashboard.matchAll(/"expr": (".*")/g)].map(([, text = '""'], index) => ({
      record: `query_${index}`,
      expr: JSON.parse(text).replaceAll('$__rate_interval', '5m'),
    }));
    expect(queries.length).toBeGreaterThan(20);
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: queries }] }));
    const { exitCode, stderr } = Bun.spawnSync(['promtool', 'check', 'rules', file]);
    expect([exitCode, stderr.toString()]).toEqual([0, '']);
  },
);
