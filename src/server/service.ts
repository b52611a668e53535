import { createHideApiKeys } from '../domain/access/hide-api-keys.ts';
import type { Workspace } from '../domain/access/workspace.ts';
import { createApiKeyUses } from '../http/access/api-key-uses.ts';
import { digestApiKey } from '../http/access/authenticate.ts';
import { createResponseCache } from '../http/answer/response-cache.ts';
import { createApp } from '../http/app.ts';
import { errorCodes } from '../http/failure.ts';
import { createFeed } from '../http/feed/feed.ts';
import { probeStorage } from '../http/health.ts';
import { operations } from '../http/operations.ts';
import { bodySecondsMax } from '../http/request/read-json.ts';
import { createFaultLog } from '../ops/fault-log.ts';
import type { Log } from '../ops/log.ts';
import { createOutageLog } from '../ops/outage-log.ts';
import { createRefusalLog } from '../ops/refusal-log.ts';
import { createRequestMeters } from '../ops/request-meters.ts';
import { createDeliveryCounts } from '../ops/webhook-meters.ts';
import type { Database } from '../storage/contract/database.ts';
import { publicUrlsOf } from './public-urls.ts';
import type { ServerConfig } from './settings.ts';
import type { Lifetime } from './stop.ts';
import { createWebhookServices } from './webhook-services.ts';

interface ServiceOptions {
  readonly config: ServerConfig;
  readonly database: Database;
  /** The workspace of the operator's own key. */
  readonly workspace: Workspace;
  readonly lifetime: Lifetime;
  readonly log: Log;
  /** The location of the data. */
  readonly location: string;
}

/** The app on a database, and what it counts. Disposing of it writes the last lines of its logs. */
export function createService(options: ServiceOptions) {
  const { config, database, workspace, lifetime, log, location } = options;
  const { environment, apiKey, corsOrigins, rateLimit, trustedProxies } = config;
  const uses = createApiKeyUses(database);
  const responseCache = createResponseCache(database, config.responseCacheMegabytes * 2 ** 20);
  const feed = createFeed({ database, keepsEvents: config.eventDays > 0, steadyNow });
  const webhooks = createWebhookServices(config.webhookAllow ?? []);
  const signIns = { ok: 0, refused: 0 };
  const deliveries = createDeliveryCounts();
  const requests = config.metricsPort === undefined ? undefined : createRequestMeters(errorCodes);
  const outages = createOutageLog(log, () => probeStorage(database), steadyNow);
  const faults = createFaultLog(log, outages.failed);
  const refusals = createRefusalLog(log);
  const logs = new DisposableStack();
  for (const each of [refusals, faults, outages]) logs.use(each);
  const app = createApp({
    operations,
    database,
    uses,
    responseCache,
    feed,
    webhooks,
    environment,
    dataTag: dataTagOf(location, workspace),
    corsOrigins,
    rateLimit,
    trustedProxies,
    bodySecondsMax,
    operatorApiKey: apiKey === undefined ? undefined : { digest: digestApiKey(apiKey), workspace },
    publicUrls: publicUrlsOf(config),
    console: config.console ? { signIns } : undefined,
    now: Date.now,
    steadyNow,
    newRequestId: Bun.randomUUIDv7,
    hideApiKeys: createHideApiKeys(apiKey),
    isDraining: lifetime.isDraining,
    stopping: lifetime.stopping,
    log: {
      answered: log.isLevelEnabled('debug')
        ? (entry) => log.debug(entry, 'request answered')
        : undefined,
      read: config.logReads ? (entry) => log.info(entry, 'records read') : undefined,
      failed: faults.failed,
      repeated: faults.repeated,
      refused: refusals.refused,
    },
    meterOf: requests?.meterOf,
  });
  return {
    app,
    uses,
    webhooks,
    /** Undefined without a metrics port, which saves the counting. */
    meters: requests && { requests, responseCache, feed, signIns, deliveries },
    deliveries,
    [Symbol.dispose]: () => logs.dispose(),
  };
}

/** The path of a file, but not the hosts of PostgreSQL, which can be others for each of its servers. */
function dataTagOf(location: string, { createdAt }: Workspace): string {
  const place = location.startsWith('/') ? location : location.slice(location.lastIndexOf('/'));
  return Bun.hash(`${createdAt} ${place}`).toString(36);
}

/** Milliseconds of a clock that is never set. */
function steadyNow(): number {
  return performance.now();
}
