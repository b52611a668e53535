import type { Database, DatabaseStatistics } from '../domain/database/database.ts';
import type { Histogram } from '../domain/values/histogram.ts';
import { watchEventLoop } from './event-loop-lag.ts';
import type { LogQueue } from './log-queue.ts';
import { formatMetrics, type Metric, metricsContentType, type Sample } from './metrics-text.ts';
import { type OpenFiles, readOpenFiles } from './open-files.ts';
import type { RequestMeters } from './request-meters.ts';

/** Where the numbers are counted. */
export interface MetricSources {
  readonly database: Pick<Database, 'statistics'>;
  readonly requests: RequestMeters;
  readonly responseCache: {
    readonly bytes: number;
    readonly entries: number;
    readonly hits: number;
    readonly misses: number;
  };
  readonly feed: { readonly openCount: number };
  /** Into the console. */
  readonly signIns: { readonly ok: number; readonly refused: number };
  readonly log: Pick<LogQueue, 'droppedLines'>;
  /** When the newest backup was made, in milliseconds since 1970; 0 if there is none. Undefined without a backup folder. */
  readonly readNewestBackup: (() => Promise<number>) | undefined;
  readonly build: { readonly version: string; readonly engine: string; readonly runtime: string };
}

export interface Metrics extends Disposable {
  readonly contentType: string;
  /** Everything as it is now, in the text format of Prometheus. */
  read(): Promise<string>;
}

/** The metrics of this process. Everything is counted where it happens, in plain numbers; here they get their names. */
export async function openMetrics(sources: MetricSources): Promise<Metrics> {
  const { database, requests, responseCache, feed, signIns, build } = sources;
  const { log, readNewestBackup } = sources;
  const eventLoop = watchEventLoop();
  let statistics = await database.statistics();
  let newestBackup = 0;
  let openFiles = await readOpenFiles();
  const metrics: readonly Metric[] = [
    ...requestMetrics(requests),
    ...databaseMetrics(statistics, () => statistics),
    ...(readNewestBackup === undefined ? [] : [backupMetric(() => newestBackup)]),
    ...responseCacheMetrics(responseCache),
    gauge(
      'animal_store_streams_open',
      'Streams of events and requests that wait for events',
      () => feed.openCount,
    ),
    {
      type: 'counter',
      name: 'animal_store_console_sign_ins_total',
      help: 'Attempts to sign in to the console, by outcome: ok or refused',
      read: () =>
        (['ok', 'refused'] as const).map((outcome) => ({
          labels: { outcome },
          value: signIns[outcome],
        })),
    },
    ...processMetrics(eventLoop.lagSeconds),
    ...(openFiles === undefined ? [] : fileLimitMetrics(() => openFiles)),
    {
      type: 'counter',
      name: 'animal_store_log_lines_dropped_total',
      help: 'Log lines that were dropped because the output did not accept them, by level',
      read: () =>
        Object.entries(log.droppedLines).map(([level, value]) => ({ labels: { level }, value })),
    },
    {
      type: 'gauge',
      name: 'animal_store_build_info',
      help: 'Version, engine and runtime of this server, as labels; always 1',
      read: () => [{ labels: build, value: 1 }],
    },
  ];
  return {
    contentType: metricsContentType,
    async read() {
      statistics = await database.statistics();
      newestBackup = (await readNewestBackup?.()) ?? 0;
      openFiles = await readOpenFiles();
      return formatMetrics(metrics);
    },
    [Symbol.dispose]: () => eventLoop[Symbol.dispose](),
  };
}

function gauge(name: string, help: string, read: () => number): Metric {
  return { type: 'gauge', name, help, read: () => [{ value: read() }] };
}

function counter(name: string, help: string, read: () => number): Metric {
  return { type: 'counter', name, help, read: () => [{ value: read() }] };
}

function histogram(name: string, help: string, read: () => readonly Sample<Histogram>[]): Metric {
  return { type: 'histogram', name, help, read };
}

function requestMetrics({ series, refusals }: RequestMeters): readonly Metric[] {
  return [
    histogram(
      'animal_store_request_duration_seconds',
      'Time from the head of a request until its response was ready, by operation and HTTP status',
      () =>
        series.map(({ operation, httpStatus, seconds }) => ({
          labels: { operation, status: httpStatus },
          value: seconds,
        })),
    ),
    {
      type: 'counter',
      name: 'animal_store_requests_refused_total',
      help: 'Requests that got an error, by error code',
      read: () =>
        Object.entries(refusals).map(([reason, value]) => ({ labels: { reason }, value })),
    },
  ];
}

/** Which there are depends on the engine. */
function databaseMetrics(
  { file, pool }: DatabaseStatistics,
  now: () => DatabaseStatistics,
): readonly Metric[] {
  return [
    histogram(
      'animal_store_commit_duration_seconds',
      'Duration of a write transaction, until its outcome was known',
      () => [{ value: now().commits.seconds }],
    ),
    histogram(
      'animal_store_commit_writes',
      'Writes that shared a transaction and a flush to disk',
      () => [{ value: now().commits.commands }],
    ),
    gauge(
      'animal_store_writes_waiting',
      'Writes that wait in the command queue',
      () => now().commandsWaiting,
    ),
    ...(file === undefined ? [] : fileMetrics(now)),
    ...(pool === undefined ? [] : poolMetrics(now)),
  ];
}

function fileMetrics(now: () => DatabaseStatistics): readonly Metric[] {
  return [
    gauge(
      'animal_store_database_bytes',
      'Size of the SQLite database file',
      () => now().file?.bytes ?? 0,
    ),
    gauge(
      'animal_store_database_free_bytes',
      'Free space of the file system that holds the SQLite database file',
      () => now().file?.freeBytes ?? 0,
    ),
    gauge(
      'animal_store_wal_bytes',
      'Size of the write-ahead log of SQLite',
      () => now().file?.logBytes ?? 0,
    ),
  ];
}

function poolMetrics(now: () => DatabaseStatistics): readonly Metric[] {
  return [
    gauge(
      'animal_store_pool_connections',
      'Connections to PostgreSQL, without the one for notifications',
      () => now().pool?.connections ?? 0,
    ),
    gauge(
      'animal_store_pool_connections_idle',
      'Idle connections to PostgreSQL',
      () => now().pool?.idle ?? 0,
    ),
    gauge(
      'animal_store_pool_waiting',
      'Reads and transactions that wait for a connection to PostgreSQL',
      () => now().pool?.waiting ?? 0,
    ),
  ];
}

function backupMetric(read: () => number): Metric {
  return gauge(
    'animal_store_newest_backup_timestamp_seconds',
    'Time of the newest backup in --backup-folder, in seconds since 1970; 0 if there is none',
    () => read() / 1000,
  );
}

function responseCacheMetrics(cache: MetricSources['responseCache']): readonly Metric[] {
  return [
    gauge('animal_store_response_cache_bytes', 'Memory of the response cache', () => cache.bytes),
    gauge(
      'animal_store_response_cache_entries',
      'Responses in the response cache',
      () => cache.entries,
    ),
    counter(
      'animal_store_response_cache_hits_total',
      'Requests answered from the response cache',
      () => cache.hits,
    ),
    counter(
      'animal_store_response_cache_misses_total',
      'Requests with a cacheable response that was not in the cache',
      () => cache.misses,
    ),
  ];
}

function processMetrics(lagSeconds: Histogram): readonly Metric[] {
  return [
    histogram(
      'animal_store_event_loop_lag_seconds',
      'Delay of a timer after its due time, measured ten times a second',
      () => [{ value: lagSeconds }],
    ),
    gauge('process_resident_memory_bytes', 'Resident memory of the process', () =>
      process.memoryUsage.rss(),
    ),
    gauge(
      'animal_store_heap_used_bytes',
      'Memory of JavaScript objects',
      () => process.memoryUsage().heapUsed,
    ),
    counter('process_cpu_seconds_total', 'User and system time of all threads, in seconds', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
    gauge('process_start_time_seconds', 'Start time of the process, in seconds since 1970', () =>
      Math.round(performance.timeOrigin / 1000),
    ),
  ];
}

/** By the names that all client libraries of Prometheus use. */
function fileLimitMetrics(now: () => OpenFiles | undefined): readonly Metric[] {
  return [
    gauge(
      'process_open_fds',
      'Open files and connections of the process',
      () => now()?.open ?? Number.NaN,
    ),
    gauge(
      'process_max_fds',
      'Files and connections that the process can have open',
      () => now()?.max ?? Number.NaN,
    ),
  ];
}
