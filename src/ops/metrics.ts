import type { Histogram } from '../domain/values/histogram.ts';
import type { WebhookFigures } from '../domain/webhook-reads.ts';
import type { Database } from '../storage/contract/database.ts';
import type { LogQueue } from './log-queue.ts';
import { formatMetrics, metricsContentType, type Sample } from './metrics-text.ts';
import { readOpenFiles, watchEventLoop } from './process-meters.ts';
import type { RequestMeters } from './request-meters.ts';
import { type DeliveryCounts, limitRead } from './webhook-meters.ts';

/** Where the numbers are counted. */
export interface MetricSources {
  readonly database: Pick<Database, 'statistics' | 'readWebhookFigures'>;
  readonly requests: RequestMeters;
  readonly responseCache: Readonly<Record<'bytes' | 'entries' | 'hits' | 'misses', number>>;
  readonly feed: { readonly openCount: number };
  /** Sign-ins to the console. */
  readonly signIns: Readonly<Record<'ok' | 'refused', number>>;
  /** Attempts to deliver events to webhooks. */
  readonly deliveries: DeliveryCounts;
  readonly log: Pick<LogQueue, 'droppedLines'>;
  /** When the newest backup was made, in milliseconds since 1970; 0 if there is none. Undefined without a backup folder. */
  readonly readNewestBackup: (() => Promise<number>) | undefined;
  readonly build: Readonly<Record<'version' | 'engine' | 'runtime', string>>;
}

/**
 * The name and meaning of every metric, by type. Those of processes have the names that all client libraries of Prometheus use.
 * The answers of /metrics and docs/metrics.md have these texts.
 */
export const metricMeanings = {
  histogram: {
    animal_store_request_duration_seconds:
      'Time from the head of a request until its response was ready, by operation and HTTP status',
    animal_store_commit_duration_seconds:
      'Duration of a write transaction, until its outcome was known',
    animal_store_commit_writes: 'Writes that shared a transaction and a flush to disk',
    animal_store_event_loop_lag_seconds:
      'Delay of a timer after its due time, measured ten times a second',
  },
  counter: {
    animal_store_requests_refused_total: 'Requests that got an error, by error code',
    animal_store_response_cache_hits_total: 'Requests answered from the response cache',
    animal_store_response_cache_misses_total:
      'Requests with a cacheable response that was not in the cache',
    animal_store_console_sign_ins_total:
      'Attempts to sign in to the console, by outcome: ok or refused',
    animal_store_webhook_deliveries_total:
      'Attempts of this server to deliver an event to a webhook, by outcome: ok; http_error, which is a status other than 2xx; or without ' +
      'a response refused_target, connection_failed, tls_failed, timeout or invalid_response',
    process_cpu_seconds_total: 'User and system time of all threads, in seconds',
    animal_store_log_lines_dropped_total:
      'Log lines that were dropped because the output did not accept them, by level',
  },
  gauge: {
    animal_store_response_cache_bytes: 'Memory of the response cache',
    animal_store_response_cache_entries: 'Responses in the response cache',
    animal_store_streams_open: 'Streams of events and requests that wait for events',
    animal_store_writes_waiting: 'Writes that wait in the command queue',
    animal_store_database_bytes: 'Size of the SQLite database file',
    animal_store_database_free_bytes:
      'Free space of the file system that holds the SQLite database file',
    animal_store_wal_bytes: 'Size of the write-ahead log of SQLite',
    animal_store_pool_connections: 'Connections to PostgreSQL, without the one for notifications',
    animal_store_pool_connections_idle: 'Idle connections to PostgreSQL',
    animal_store_pool_waiting: 'Reads and transactions that wait for a connection to PostgreSQL',
    animal_store_newest_backup_timestamp_seconds:
      'Time of the newest backup of this SQLite database in --backup-folder, in seconds since 1970; 0 if there is none. Incomplete and ' +
      'renamed backups do not count, nor those made without --folder, and those from the future',
    animal_store_webhooks:
      'Webhooks of all workspaces, by status: the same on all servers of the data, and missing while storage does not answer',
    animal_store_webhook_oldest_undelivered_timestamp_seconds:
      'Time of the oldest event after the position of an enabled or failing webhook, in seconds since 1970; 0 if there is none: the same ' +
      'on all servers of the data, and missing while storage does not answer',
    process_resident_memory_bytes: 'Resident memory of the process',
    animal_store_heap_used_bytes: 'Memory of JavaScript objects',
    process_start_time_seconds: 'Start time of the process, in seconds since 1970',
    process_open_fds: 'Open files and connections of the process, on systems with /proc',
    process_max_fds: 'Files and connections that the process can have open, on systems with /proc',
    animal_store_build_info: 'Version, engine and runtime of this server, as labels; always 1',
  },
} as const;

type Meanings = typeof metricMeanings;

type MetricName = keyof (Meanings['histogram'] & Meanings['counter'] & Meanings['gauge']);

/** One value, or one for each set of labels. Undefined if it could not be read, or this engine does not have it. */
type Reading = Sample['value'] | readonly Sample[] | undefined;

/** The metrics of this process. Each part of the program counts in plain numbers, which get their names here. */
export function openMetrics(sources: MetricSources) {
  const eventLoop = watchEventLoop();
  const readWebhooks = limitRead((context) => sources.database.readWebhookFigures(context));
  return {
    contentType: metricsContentType,
    /** Returns the present values in the text format of Prometheus. */
    async read(): Promise<string> {
      const readings: Readonly<Record<string, Reading>> = await readAll(
        sources,
        readWebhooks,
        eventLoop.lagSeconds,
      );
      const metrics = Object.entries(metricMeanings).flatMap(([type, meanings]) =>
        Object.entries(meanings).map(([name, help]) => ({
          type,
          name,
          help,
          samples: toSamples(readings[name]),
        })),
      );
      return formatMetrics(metrics);
    },
    [Symbol.dispose]: () => eventLoop[Symbol.dispose](),
  };
}

async function readAll(
  sources: MetricSources,
  readWebhooks: () => Promise<WebhookFigures | undefined>,
  lagSeconds: Histogram,
): Promise<Readonly<Record<MetricName, Reading>>> {
  const { requests, responseCache, feed, signIns, deliveries, log, build } = sources;
  const { commits, commandsWaiting, file, pool } = await sources.database.statistics();
  const newestBackup = await sources.readNewestBackup?.();
  const webhooks = await readWebhooks();
  const openFiles = await readOpenFiles();
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    animal_store_request_duration_seconds: requests.series.map(
      ({ operation, httpStatus, seconds }) => ({
        labels: { operation, status: httpStatus },
        value: seconds,
      }),
    ),
    animal_store_commit_duration_seconds: commits.seconds,
    animal_store_commit_writes: commits.commands,
    animal_store_event_loop_lag_seconds: lagSeconds,
    animal_store_requests_refused_total: byLabel('reason', requests.refusals),
    animal_store_response_cache_hits_total: responseCache.hits,
    animal_store_response_cache_misses_total: responseCache.misses,
    animal_store_console_sign_ins_total: byLabel('outcome', signIns),
    animal_store_webhook_deliveries_total: byLabel('outcome', deliveries),
    process_cpu_seconds_total: (user + system) / 1e6,
    animal_store_log_lines_dropped_total: byLabel('level', log.droppedLines),
    animal_store_response_cache_bytes: responseCache.bytes,
    animal_store_response_cache_entries: responseCache.entries,
    animal_store_streams_open: feed.openCount,
    animal_store_writes_waiting: commandsWaiting,
    animal_store_database_bytes: file?.bytes,
    animal_store_database_free_bytes: file?.freeBytes,
    animal_store_wal_bytes: file?.logBytes,
    animal_store_pool_connections: pool?.connections,
    animal_store_pool_connections_idle: pool?.idle,
    animal_store_pool_waiting: pool?.waiting,
    animal_store_newest_backup_timestamp_seconds: newestBackup && newestBackup / 1000,
    animal_store_webhooks: webhooks && byLabel('status', webhooks.counts),
    animal_store_webhook_oldest_undelivered_timestamp_seconds:
      webhooks && (webhooks.oldestUndeliveredAt ?? 0) / 1000,
    process_resident_memory_bytes: rss,
    animal_store_heap_used_bytes: heapUsed,
    process_start_time_seconds: Math.round(performance.timeOrigin / 1000),
    process_open_fds: openFiles.open,
    process_max_fds: openFiles.max,
    animal_store_build_info: [{ labels: build, value: 1 }],
  };
}

function toSamples(reading: Reading): readonly Sample[] {
  if (reading === undefined) return [];
  return typeof reading === 'number' || 'bounds' in reading ? [{ value: reading }] : reading;
}

function byLabel(label: string, values: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(values).map(([text, value]) => ({ labels: { [label]: text }, value }));
}
