import packageJson from '../../package.json' with { type: 'json' };
import { background } from '../context/context.ts';
import { defaultWorkspaceName, type Workspace } from '../domain/access/workspace.ts';
import type { App } from '../http/app.ts';
import { createMetricsApp } from '../http/metrics-app.ts';
import { settings } from '../ops/config.ts';
import type { OpenLog } from '../ops/log.ts';
import type { MetricSources } from '../ops/metrics.ts';
import { writeStderrUnawaited } from '../ops/output.ts';
import type { Database } from '../storage/contract/database.ts';
import { CliFailure } from '../terminal/cli-failure.ts';
import { claimEnvironment } from './claim-environment.ts';
import { offerConsole } from './console-link.ts';
import { makeFirstApiKey } from './first-api-key.ts';
import { createIdlePolling } from './idle-polling.ts';
import { type ListenAddress, listen } from './listen.ts';
import { flushUses, startMaintenance } from './maintenance.ts';
import { createService } from './service.ts';
import type { ServerConfig } from './settings.ts';
import { serveUntilStopped, startLifetime, throwIfBroken } from './stop.ts';
import { startDelivery } from './webhook-delivery.ts';

interface ServerOptions {
  readonly config: ServerConfig;
  /** The settings that were given as flags. */
  readonly flags: ReadonlySet<string>;
  readonly output: OpenLog;
  /** The server closes it. */
  readonly database: Database;
  /** The location of the data, for the log. */
  readonly location: string;
  /** Creates a function that reads when the newest backup was made, in milliseconds since 1970. */
  readonly createNewestBackupRead: (
    workspace: Workspace,
  ) => Promise<MetricSources['readNewestBackup']>;
}

/** Runs a server on an open database until the process receives a stop signal. */
export async function runServer(options: ServerOptions): Promise<void> {
  const { config, output, flags } = options;
  const { log } = output;
  const isShared = config.database.engine === 'postgres';
  await using database = options.database;
  await claimEnvironment(database, config.environment, { isExplicit: true });
  const workspace = await findDefaultWorkspace(database);
  // Before the server is ready, because a stop signal can follow at once.
  const lifetime = startLifetime(output);
  using service = createService({
    ...{ config, database, workspace, lifetime, log },
    location: options.location,
  });
  const polling = createIdlePolling(isShared ? config.idlePolling : 0, () => performance.now());
  const entrance = createEntrance(polling.watch(service.app));
  const [address] = addressesOf(config, flags);
  await using server = await listen(address, entrance.app, config.keepAlive / 1000);
  const { meters } = service;
  const readNewestBackup = meters && (await options.createNewestBackupRead(workspace));
  await using metrics =
    meters && (await serveMetrics(options, { ...meters, database, log: output, readNewestBackup }));
  await offerConsole(database, config, server.origin, log);
  if (config.apiKey === undefined) {
    await makeFirstApiKey(database, config.environment, server.origin, log);
  }
  entrance.open();
  logReady(options, server.origin, metrics?.origin);
  using maintenance = startMaintenance(
    database,
    service.uses,
    config.eventDays,
    log,
    polling.createGate(),
  );
  await using delivery = startDelivery({
    database,
    isShared,
    mayLook: polling.createGate(),
    send: service.webhooks.send,
    counts: service.deliveries,
    log,
    stopping: lifetime.stopping,
  });
  await serveUntilStopped(lifetime, server, database, config.drainDelay, output);
  // In this order, because the flush is the last write, and the log gets its last lines after the database is closed.
  maintenance[Symbol.dispose]();
  await delivery[Symbol.asyncDispose]();
  await flushUses(service.uses, log);
  // A scrape reads the database.
  await metrics?.[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  service[Symbol.dispose]();
  await throwIfBroken(database, output);
  log.info('stopped');
}

/** The addresses that a server listens on: its own, and that of its metrics, if it has some. */
export function addressesOf(
  { host, port, metricsHost, metricsPort }: ServerConfig,
  flags: ReadonlySet<string>,
): readonly [ListenAddress, ...ListenAddress[]] {
  const { variable, default: usual } = settings.host;
  const isFromVariable = !flags.has('host') && host !== usual;
  const own = { host, port, hostVariable: isFromVariable ? variable : undefined };
  const portFlag = settings.metricsPort.flag;
  return metricsPort === undefined
    ? [own]
    : [own, { host: metricsHost, port: metricsPort, portFlag }];
}

/** Serves the metrics on their own address until the server has stopped. */
async function serveMetrics(
  { config, output: { log } }: ServerOptions,
  sources: Omit<MetricSources, 'build'>,
) {
  // Loaded only here, because a server without metrics does not need it.
  const { openMetrics } = await import('../ops/metrics.ts');
  await using opening = new AsyncDisposableStack();
  const metrics = opening.use(openMetrics({ ...sources, build: buildOf(config) }));
  const app = createMetricsApp(metrics, (error) =>
    log.error({ err: error }, 'the metrics could not be read'),
  );
  const { origin } = opening.use(
    await listen({ host: config.metricsHost, port: config.metricsPort ?? 0 }, app),
  );
  const open = opening.move();
  return { origin, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** The version of the program, its runtime and its engine. */
function buildOf({ database }: ServerConfig): MetricSources['build'] {
  const { version } = packageJson;
  return { version, engine: database.engine, runtime: `bun ${Bun.version}` };
}

async function findDefaultWorkspace(database: Database): Promise<Workspace> {
  const workspace = await database.findWorkspace(background, defaultWorkspaceName);
  if (workspace !== undefined) return workspace;
  throw new CliFailure(`The database has no workspace ${defaultWorkspaceName}`);
}

/**
 * Keeps requests waiting until the first API key is stored. The key is printed before that, with an address that already accepts
 * connections, so a request with the key can arrive earlier.
 */
function createEntrance(app: App): { readonly app: App; open(): void } {
  const opened = Promise.withResolvers<void>();
  let serving: App = (...input) => opened.promise.then(() => app(...input));
  return {
    app: (request, transport) => serving(request, transport),
    open() {
      serving = app;
      opened.resolve();
    },
  };
}

const isWildcard = (host: string) => host === '0.0.0.0' || host === '::';

/** Logs which server is ready, on which data. If the log leaves that out, the ports that the system chose are printed. */
function logReady(
  { config, output: { log }, location }: ServerOptions,
  origin: string,
  metricsOrigin: string | undefined,
): void {
  const { version, engine } = buildOf(config);
  const metrics = metricsOrigin && `${metricsOrigin}/metrics`;
  const details = {
    url: `${origin}/v1`,
    // `url` has only one of these addresses.
    ...(isWildcard(config.host) && { host: config.host }),
    docs: `${origin}/docs`,
    metrics,
    version,
    engine,
    database: location,
    environment: config.environment,
  };
  log.info(details, 'ready');
  if (log.isLevelEnabled('info')) return;
  if (config.port === 0) writeStderrUnawaited(`Listening on ${origin}\n`);
  if (config.metricsPort === 0) writeStderrUnawaited(`Metrics on ${metrics}\n`);
}
