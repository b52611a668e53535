import type { Workspace } from '../domain/access/workspace.ts';
import type { Database } from '../domain/database/database.ts';
import { createHideApiKeys } from '../domain/echo.ts';
import { type ApiKeyUses, createApiKeyUses } from '../http/access/api-key-uses.ts';
import { digestApiKey } from '../http/access/authenticate.ts';
import { errorCodes } from '../http/answer/answer.ts';
import { createResponseCache } from '../http/answer/response-cache.ts';
import { type App, createApp } from '../http/app.ts';
import { createFeed } from '../http/feed/feed.ts';
import { useStorage } from '../http/health.ts';
import { operations } from '../http/operations.ts';
import { bodySecondsMax } from '../http/request/read-json.ts';
import type { RequestLog } from '../http/request-log.ts';
import type { Config } from '../ops/config.ts';
import { createFaultLog } from '../ops/fault-log.ts';
import type { Log } from '../ops/log.ts';
import type { MetricSources } from '../ops/metrics.ts';
import { createOutageLog } from '../ops/outage-log.ts';
import { createRefusalLog } from '../ops/refusal-log.ts';
import { createRequestMeters } from '../ops/request-meters.ts';
import { type PublicUrlConfig, publicUrlsOf } from './console-link.ts';
import type { Lifetime } from './stop.ts';

export const serviceSettings = [
  'corsOrigins',
  'console',
  'trustedProxies',
  'rateLimit',
  'responseCacheMegabytes',
  'apiKey',
] as const;

export interface ServiceOptions {
  readonly config: Config<(typeof serviceSettings)[number] | 'eventDays' | 'metricsPort'> &
    PublicUrlConfig;
  readonly database: Database;
  /** The workspace of the operator's own key. */
  readonly workspace: Workspace;
  readonly lifetime: Lifetime;
  readonly log: Log;
}

/** The app on a database, and what it counts. Disposing of it writes what its logs still have to say. */
export interface Service extends Disposable {
  readonly app: App;
  readonly uses: ApiKeyUses;
  /** Undefined without a metrics port, which saves the counting. */
  readonly meters:
    | Pick<MetricSources, 'requests' | 'responseCache' | 'feed' | 'signIns'>
    | undefined;
}

export function createService(options: ServiceOptions): Service {
  const { config, database, workspace, lifetime, log } = options;
  const { environment, apiKey, corsOrigins, rateLimit, trustedProxies } = config;
  const uses = createApiKeyUses(database);
  const responseCache = createResponseCache(database, config.responseCacheMegabytes * 2 ** 20);
  const feed = createFeed({ database, keepsEvents: config.eventDays > 0, steadyNow });
  const signIns = { ok: 0, refused: 0 };
  const requests = config.metricsPort === undefined ? undefined : createRequestMeters(errorCodes);
  const logs = openRequestLog(log, database);
  const app = createApp({
    ...{ operations, database, uses, responseCache, feed },
    ...{ environment, corsOrigins, rateLimit, trustedProxies, bodySecondsMax },
    operatorApiKey: apiKey === undefined ? undefined : { digest: digestApiKey(apiKey), workspace },
    publicUrls: publicUrlsOf(config),
    console: config.console ? { signIns } : undefined,
    now: Date.now,
    steadyNow,
    newRequestId: Bun.randomUUIDv7,
    hideApiKeys: createHideApiKeys(apiKey),
    isDraining: lifetime.isDraining,
    stopping: lifetime.stopping,
    log: logs.requestLog,
    meterOf: requests?.meterOf,
  });
  return {
    app,
    uses,
    meters: requests && { requests, responseCache, feed, signIns },
    [Symbol.dispose]: () => logs[Symbol.dispose](),
  };
}

/** Logs failed and refused requests, and when storage works again after it rejected some. */
function openRequestLog(
  log: Log,
  database: Database,
): Disposable & { readonly requestLog: RequestLog } {
  using opening = new DisposableStack();
  const refusals = opening.use(createRefusalLog(log));
  const checkStorage = () => useStorage(database);
  const outages = createOutageLog({ log, checkStorage, steadyNow });
  const faults = opening.use(createFaultLog(log, outages.rejected));
  opening.use(outages);
  const answered: RequestLog['answered'] = (entry) => log.debug(entry, 'answered');
  const open = opening.move();
  return {
    requestLog: {
      answered: log.isLevelEnabled('debug') ? answered : undefined,
      failed: faults.failed,
      refused: refusals.refused,
    },
    [Symbol.dispose]: () => open.dispose(),
  };
}

/** Milliseconds of a clock that is never set. */
function steadyNow(): number {
  return performance.now();
}
