import type { Command } from 'commander';
import type { Database } from '../domain/database.ts';
import { createHideApiKeys } from '../domain/error.ts';
import { defaultWorkspaceName } from '../domain/workspace.ts';
import { createApiKeyUses } from '../http/api-key-uses.ts';
import { type App, createApp, type RequestLog } from '../http/app.ts';
import { digestApiKey } from '../http/authenticate.ts';
import { createKeptAnswers } from '../http/kept-answers.ts';
import { bodySecondsMax } from '../http/read-json.ts';
import type { Config } from '../ops/config.ts';
import { createFaultLog, type FaultLog } from '../ops/fault-log.ts';
import { type Log, openLog } from '../ops/log.ts';
import { createRequestMeters } from '../ops/request-meters.ts';
import { claimEnvironment } from './claim-environment.ts';
import { addSettings, CommandFailure, settingsOf } from './command-line.ts';
import { makeFirstApiKey } from './first-api-key.ts';
import { flushUses, startHousework } from './housework.ts';
import { listen } from './listen.ts';
import { openServerDatabase, serverDatabaseSettings, storePath } from './open-database.ts';
import { metricsSettings, serveMetrics } from './serve-metrics.ts';
import { onStopSignal, type StopSignal } from './stop-signals.ts';

const settingNames = [
  'host',
  'port',
  ...serverDatabaseSettings,
  'environment',
  'baseUrl',
  'stagingBaseUrl',
  'corsOrigins',
  'trustedProxies',
  'rateLimit',
  'keptMegabytes',
  'drainDelay',
  'logLevel',
  'logFormat',
  ...metricsSettings,
  'apiKey',
] as const;

type ServeConfig = Config<(typeof settingNames)[number]>;

/** How long requests that run may take to finish once the server was told to stop. */
const drainMilliseconds = 8000;

/** The same where nothing can be written any more: their answers are ready, and have but to be sent. */
const brokenDrainMilliseconds = 1000;

/** How long stopping may take in all. */
const stopMillisecondsMax = 9500;

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('Serve the catalogue over HTTP until told to stop (SIGTERM, SIGINT or SIGHUP).');
  addSettings(command, settingNames).action(() => serve(settingsOf(command, settingNames)));
}

async function serve(config: ServeConfig): Promise<void> {
  const log = await openLog(config.logLevel, config.logFormat);
  if (config.allowDataLoss) {
    log.warn('--allow-data-loss is on: a PostgreSQL that forgets what it acknowledged is accepted');
  }
  await using database = await openServerDatabase(config, (wasEmptyFile) => {
    const path = storePath(config);
    // Somebody may have lost what was in it.
    if (wasEmptyFile) log.warn({ path }, 'made a new store in an empty file that was there');
    else log.info({ path }, 'made a new store');
  });
  await claimEnvironment(database, config.environment, true);
  const workspace = await database.findWorkspace(defaultWorkspaceName);
  if (workspace === undefined) throw new CommandFailure(['The database has no default workspace']);

  const uses = createApiKeyUses(database);
  const kept = createKeptAnswers(database, config.keptMegabytes * 2 ** 20);
  const requests = config.metricsPort === undefined ? undefined : createRequestMeters();
  const stopSignal = Promise.withResolvers<StopSignal>();
  let draining = false;
  // Before anybody is told that the server is ready, and so may be told to stop.
  onStopSignal((signal) => {
    // Whoever asks twice does not want to wait.
    if (draining) process.exit(1);
    draining = true;
    stopSignal.resolve(signal);
  });
  using faults = createFaultLog(log);
  const app = createApp({
    database,
    uses,
    environment: config.environment,
    operatorApiKey:
      config.apiKey === undefined ? undefined : { digest: digestApiKey(config.apiKey), workspace },
    publicUrls: {
      ...(config.baseUrl === undefined ? {} : { production: config.baseUrl }),
      ...(config.stagingBaseUrl === undefined ? {} : { staging: config.stagingBaseUrl }),
    },
    corsOrigins: config.corsOrigins,
    rateLimit: config.rateLimit,
    kept,
    bodySecondsMax,
    now: Date.now,
    steadyNow: () => performance.now(),
    newRequestId: () => Bun.randomUUIDv7(),
    isDraining: () => draining,
    log: requestLog(log, faults),
    trustedProxies: config.trustedProxies,
    hideApiKeys: createHideApiKeys(config.apiKey),
    meterOf: requests?.meterOf,
  });

  // Its first key is printed before it is stored, with the address that is known once it listens: whoever uses it at once
  // is answered when it is stored.
  const opened = Promise.withResolvers<void>();
  let serving: App = (...input) => opened.promise.then(() => app(...input));
  await using server = await listen(config.host, config.port, (request, peerAddress) =>
    serving(request, peerAddress),
  );
  await using metrics = requests && (await serveMetrics(config, { database, requests, kept }, log));
  if (config.apiKey === undefined) {
    await makeFirstApiKey(database, config.environment, server.origin, log);
  }
  serving = app;
  opened.resolve();
  log.info(
    { url: `${server.origin}/v1`, docs: `${server.origin}/docs`, metrics: metrics?.url },
    'ready',
  );
  if (!log.isLevelEnabled('info')) tellChosenPorts(config, server.origin, metrics?.url);

  using housework = startHousework(database, uses, log);
  try {
    const signal = await unlessBroken(database, stopSignal.promise);
    if (config.drainDelay > 0) {
      log.info({ signal, seconds: config.drainDelay }, 'draining');
      await unlessBroken(database, Bun.sleep(config.drainDelay * 1000));
    }
    log.info({ signal }, 'stopping');
  } catch (error) {
    log.fatal({ err: error }, 'nothing can be written any more');
    draining = true;
    endInTime(log);
    await server.stop(brokenDrainMilliseconds);
    throw error;
  }
  endInTime(log);
  housework[Symbol.dispose]();
  if (!(await server.stop(drainMilliseconds))) log.warn('requests were cut off at the deadline');
  await flushUses(uses, log);
  await database[Symbol.asyncDispose]();
  faults[Symbol.dispose]();
  log.info('stopped');
}

/** A port that was left to the system is in the line `ready`, and nowhere else where that is not logged. */
function tellChosenPorts(
  { port, metricsPort }: ServeConfig,
  origin: string,
  metricsUrl: string | undefined,
): void {
  if (port === 0) process.stderr.write(`Listening on ${origin}\n`);
  if (metricsPort === 0) process.stderr.write(`Metrics on ${metricsUrl}\n`);
}

/** Whatever hangs, such as a disk that does not answer, the process ends in time. */
function endInTime(log: Log): void {
  setTimeout(() => {
    log.error('the database could not be closed in time');
    process.exit(1);
  }, stopMillisecondsMax).unref();
}

/** Waits for something, or throws once nothing can be written any more. */
async function unlessBroken<Result>({ broken }: Database, wait: Promise<Result>): Promise<Result> {
  const result = await Promise.race([wait, broken.then((error) => Promise.reject(error))]);
  return result as Result;
}

function requestLog(log: Log, { failed }: FaultLog): RequestLog {
  const answered: RequestLog['answered'] = (entry) => log.debug(entry, 'answered');
  return { answered: log.isLevelEnabled('debug') ? answered : undefined, failed };
}
