import type { Command } from 'commander';
import { defaultWorkspaceName, type Workspace } from '../domain/access/workspace.ts';
import type { Database } from '../domain/database/database.ts';
import { createHideApiKeys } from '../domain/echo.ts';
import { escapeHidden } from '../domain/values/visible-text.ts';
import { createApiKeyUses } from '../http/access/api-key-uses.ts';
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
import { createFaultLog, type FaultLog } from '../ops/fault-log.ts';
import { type Log, openLog } from '../ops/log.ts';
import { createOutageLog } from '../ops/outage-log.ts';
import { printWithoutWaiting } from '../ops/print-error.ts';
import { createRefusalLog, type RefusalLog } from '../ops/refusal-log.ts';
import { createRequestMeters } from '../ops/request-meters.ts';
import { claimEnvironment } from '../server/claim-environment.ts';
import { publicUrlsOf } from '../server/console-link.ts';
import { endWithoutReaders, serveUntilStopped, startLifetime } from '../server/drain.ts';
import { createEventRetention } from '../server/event-retention.ts';
import { makeFirstApiKey } from '../server/first-api-key.ts';
import { type Address, checkAddresses, listen } from '../server/listen.ts';
import { flushUses, startMaintenance } from '../server/maintenance.ts';
import { offerConsole } from '../server/offer-console.ts';
import { buildOf, metricsSettings, serveMetrics } from '../server/serve-metrics.ts';
import { addSettings, CommandFailure, settingsOf } from '../terminal/command-line.ts';
import {
  createNewestBackupRead,
  databasePath,
  describeDatabase,
  openServerDatabase,
  serverDatabaseSettings,
} from './open-database.ts';

const settingNames = [
  'host',
  'port',
  ...serverDatabaseSettings,
  'environment',
  'baseUrl',
  'stagingBaseUrl',
  'corsOrigins',
  'console',
  'trustedProxies',
  'rateLimit',
  'responseCacheMegabytes',
  'eventDays',
  'drainDelay',
  'logLevel',
  'logFormat',
  ...metricsSettings,
  'backupFolder',
  'apiKey',
] as const;

type ServeConfig = Config<(typeof settingNames)[number]>;

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description(
      'Serve the catalogue over HTTP until the process receives SIGTERM, SIGINT or SIGHUP.',
    );
  addSettings(command, settingNames).action(() =>
    serve(settingsOf(command, settingNames)).finally(endWithoutReaders),
  );
}

async function serve(config: ServeConfig): Promise<void> {
  await using output = await openLog(config.logLevel, config.logFormat);
  const { log } = output;
  if (config.allowDataLoss) {
    log.warn('--allow-data-loss is on: PostgreSQL may lose committed data');
  }
  await using database = await openServerDatabase(config, {
    beforeChange: () => checkAddresses(addressesOf(config)),
    onMade: tellMade(config, log),
    report: (line) =>
      log.isLevelEnabled('warn')
        ? log.warn(line)
        : printWithoutWaiting(`animal-store: ${escapeHidden(line)}\n`),
  });
  await claimEnvironment(database, config.environment, true);
  const workspace = await database.findWorkspace(defaultWorkspaceName);
  if (workspace === undefined)
    throw new CommandFailure([`The database has no workspace ${defaultWorkspaceName}`]);

  const uses = createApiKeyUses(database);
  const responseCache = createResponseCache(database, config.responseCacheMegabytes * 2 ** 20);
  const keepsEvents = config.eventDays > 0;
  const feed = createFeed({ database, keepsEvents, steadyNow });
  const signIns = { ok: 0, refused: 0 };
  const requests = config.metricsPort === undefined ? undefined : createRequestMeters(errorCodes);
  // Before anybody is told that the server is ready, and so may be told to stop.
  const lifetime = startLifetime(output);
  using faults = openFaultLog(log, database);
  using refusals = createRefusalLog(log);
  const app = createApp({
    ...appSettings(config, workspace),
    database,
    uses,
    responseCache,
    feed,
    console: config.console ? { signIns } : undefined,
    isDraining: lifetime.isDraining,
    stopping: lifetime.stopping,
    log: requestLog(log, faults, refusals),
    meterOf: requests?.meterOf,
  });

  // The first key is printed before it is stored, with the address that is known once it listens: whoever uses it at once
  // is answered when it is stored.
  const opened = Promise.withResolvers<void>();
  let serving: App = (...input) => opened.promise.then(() => app(...input));
  await using server = await listen(config.host, config.port, (request, transport) =>
    serving(request, transport),
  );
  const sources = requests && {
    ...{ database, requests, responseCache, feed, signIns, log: output },
    readNewestBackup: await newestBackupRead(config, workspace),
  };
  await using metrics = sources && (await serveMetrics(config, sources, log));
  if (config.apiKey === undefined) {
    await makeFirstApiKey(database, config.environment, server.origin, log);
  }
  serving = app;
  opened.resolve();
  log.info(await readyDetails(config, server.origin, metrics?.url), 'ready');
  if (!log.isLevelEnabled('info')) tellChosenPorts(config, server.origin, metrics?.url);
  await offerConsole(database, config, server.origin, log);

  const { eventDays } = config;
  const retention = { writer: database, eventDays, now: Date.now, steadyNow, log };
  const deleteOldEvents = createEventRetention(retention);
  using maintenance = startMaintenance(database, uses, deleteOldEvents, log);
  await serveUntilStopped(lifetime, server, database, config.drainDelay, output);
  maintenance[Symbol.dispose]();
  await flushUses(uses, log);
  await database[Symbol.asyncDispose]();
  faults[Symbol.dispose]();
  refusals[Symbol.dispose]();
  log.info('stopped');
}

function addressesOf({ host, port, metricsHost, metricsPort }: ServeConfig): readonly Address[] {
  const metrics = metricsPort === undefined ? [] : [{ host: metricsHost, port: metricsPort }];
  return [{ host, port }, ...metrics];
}

/** Logs failed requests, and when storage works again after it rejected some. */
function openFaultLog(log: Log, database: Database): FaultLog {
  const checkStorage = () => useStorage(database);
  const outages = createOutageLog({ log, checkStorage, steadyNow });
  const faults = createFaultLog(log, outages.rejected);
  return {
    failed: faults.failed,
    [Symbol.dispose]() {
      outages[Symbol.dispose]();
      faults[Symbol.dispose]();
    },
  };
}

/** Which server is ready, on which data. */
async function readyDetails(config: ServeConfig, origin: string, metrics: string | undefined) {
  const { version, engine } = buildOf(config);
  return {
    ...{ url: `${origin}/v1`, docs: `${origin}/docs`, metrics, version, engine },
    database: await describeDatabase(config),
    environment: config.environment,
  };
}

async function newestBackupRead({ backupFolder, database }: ServeConfig, { createdAt }: Workspace) {
  if (backupFolder === undefined) return undefined;
  return await createNewestBackupRead(database, backupFolder, createdAt);
}

/** Milliseconds of a clock that is never set. */
function steadyNow(): number {
  return performance.now();
}

/** Logs that there was no data: somebody may have lost it. */
function tellMade(config: ServeConfig, log: Log): (wasEmptyFile?: boolean) => void {
  const path = databasePath(config);
  return (wasEmptyFile) => {
    if (wasEmptyFile) log.warn({ path }, 'created a new database in an existing empty file');
    else log.info({ path }, 'created a new database');
  };
}

/** What the app is told by those who start it. */
function appSettings(config: ServeConfig, workspace: Workspace) {
  const { environment, apiKey } = config;
  return {
    operations,
    environment,
    operatorApiKey: apiKey === undefined ? undefined : { digest: digestApiKey(apiKey), workspace },
    publicUrls: publicUrlsOf(config),
    corsOrigins: config.corsOrigins,
    rateLimit: config.rateLimit,
    bodySecondsMax,
    now: Date.now,
    steadyNow,
    newRequestId: () => Bun.randomUUIDv7(),
    trustedProxies: config.trustedProxies,
    hideApiKeys: createHideApiKeys(apiKey),
  };
}

/** A port that was left to the system is in the line `ready`, and nowhere else where that is not logged. */
function tellChosenPorts(
  { port, metricsPort }: ServeConfig,
  origin: string,
  metricsUrl: string | undefined,
): void {
  if (port === 0) printWithoutWaiting(`Listening on ${origin}\n`);
  if (metricsPort === 0) printWithoutWaiting(`Metrics on ${metricsUrl}\n`);
}

function requestLog(log: Log, { failed }: FaultLog, { refused }: RefusalLog): RequestLog {
  const answered: RequestLog['answered'] = (entry) => log.debug(entry, 'answered');
  return { answered: log.isLevelEnabled('debug') ? answered : undefined, failed, refused };
}
