import { Counter, Gauge, Registry } from 'prom-client';
import type { Database } from '../domain/database.ts';
import { registerHistogram } from './counted-histogram.ts';
import { watchEventLoop } from './event-loop-lag.ts';
import type { RequestMeters } from './request-meters.ts';

/** Where the numbers are counted. */
export interface MetricSources {
  readonly database: Database;
  readonly requests: RequestMeters;
  readonly kept: {
    readonly bytes: number;
    readonly count: number;
    readonly hits: number;
    readonly misses: number;
  };
  readonly build: { readonly version: string; readonly engine: string; readonly runtime: string };
}

export interface Metrics extends Disposable {
  readonly contentType: string;
  /** Everything as it is now, in the text format of Prometheus. */
  read(): Promise<string>;
}

/**
 * The metrics of this process. Everything is counted where it happens, in plain numbers; here they get their names.
 * prom-client's default metrics are left out: under Bun many of them stay at 0 or tell of a Node.js that is not there.
 */
export async function openMetrics(sources: MetricSources): Promise<Metrics> {
  const { database, requests, kept, build } = sources;
  const registry = new Registry();
  const eventLoop = watchEventLoop();
  let storage = await database.statistics();

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }

  function counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  registerHistogram(
    registry,
    {
      name: 'animal_store_request_duration_seconds',
      help: 'Time from the head of a request until its answer was ready, by operation and HTTP status',
    },
    () =>
      requests.series.map(({ operation, httpStatus, seconds }) => ({
        labels: { operation, status: httpStatus },
        counts: seconds,
      })),
  );
  new Counter({
    name: 'animal_store_requests_refused_total',
    help: 'Requests answered with an error, by its code',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(requests.refusals)) this.inc({ reason }, count);
    },
  });

  registerHistogram(
    registry,
    {
      name: 'animal_store_commit_duration_seconds',
      help: 'Time from when writes that go together set out until it was known what became of them',
    },
    () => [{ counts: storage.commits.seconds }],
  );
  registerHistogram(
    registry,
    {
      name: 'animal_store_commit_writes',
      help: 'Writes that shared a transaction and a flush to disk',
    },
    () => [{ counts: storage.commits.commands }],
  );
  gauge(
    'animal_store_writes_waiting',
    'Writes that wait for those before them',
    () => storage.commandsWaiting,
  );
  if (storage.file !== undefined) {
    gauge(
      'animal_store_database_bytes',
      'Length of the file of data of SQLite',
      () => storage.file?.bytes ?? 0,
    );
    gauge(
      'animal_store_database_free_bytes',
      'Free space of the file system that the file of data of SQLite is on',
      () => storage.file?.freeBytes ?? 0,
    );
    gauge(
      'animal_store_wal_bytes',
      'Length of the write-ahead log of SQLite',
      () => storage.file?.logBytes ?? 0,
    );
  }
  if (storage.pool !== undefined) {
    gauge(
      'animal_store_pool_connections',
      'Connections to PostgreSQL, beside the one that listens',
      () => storage.pool?.connections ?? 0,
    );
    gauge(
      'animal_store_pool_connections_idle',
      'Connections to PostgreSQL that nobody uses now',
      () => storage.pool?.idle ?? 0,
    );
    gauge(
      'animal_store_pool_waiting',
      'Reads and transactions that wait for a connection to PostgreSQL',
      () => storage.pool?.waiting ?? 0,
    );
  }

  gauge('animal_store_kept_bytes', 'Memory of pages that are kept ready', () => kept.bytes);
  gauge('animal_store_kept_pages', 'Pages that are kept ready', () => kept.count);
  counter(
    'animal_store_kept_hits_total',
    'Requests answered with a page that was kept',
    () => kept.hits,
  );
  counter(
    'animal_store_kept_misses_total',
    'Requests for a page worth keeping that had to be read',
    () => kept.misses,
  );

  registerHistogram(
    registry,
    {
      name: 'animal_store_event_loop_lag_seconds',
      help: 'How much later than asked a timer ran, ten times a second',
    },
    () => [{ counts: eventLoop.lagSeconds }],
  );
  gauge('process_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss());
  gauge(
    'animal_store_heap_used_bytes',
    'Memory of JavaScript objects',
    () => process.memoryUsage().heapUsed,
  );
  counter('process_cpu_seconds_total', 'User and system time of all threads', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  gauge('process_start_time_seconds', 'When the process started, in seconds since 1970', () =>
    Math.round(performance.timeOrigin / 1000),
  );
  new Gauge({
    name: 'animal_store_build_info',
    help: 'Which program this is; always 1',
    labelNames: ['version', 'engine', 'runtime'],
    registers: [registry],
  }).set(build, 1);

  return {
    contentType: registry.contentType,
    async read() {
      storage = await database.statistics();
      return registry.metrics();
    },
    [Symbol.dispose]: () => eventLoop[Symbol.dispose](),
  };
}
