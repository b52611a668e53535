import { defaultWorkspaceName, type Workspace } from '../domain/access/workspace.ts';
import type { Database } from '../domain/database/database.ts';
import type { App } from '../http/app.ts';
import type { Config } from '../ops/config.ts';
import type { OpenLog } from '../ops/log.ts';
import { printWithoutWaiting } from '../ops/output.ts';
import { CliFailure } from '../terminal/cli-failure.ts';
import { claimEnvironment } from './claim-environment.ts';
import { offerConsole, publicUrlSettings } from './console-link.ts';
import { type Address, listen } from './listen.ts';
import { flushUses, startMaintenance } from './maintenance.ts';
import { buildOf, metricsSettings, serveMetrics } from './metrics-server.ts';
import { makeFirstApiKey } from './new-api-key.ts';
import { createService, serviceSettings } from './service.ts';
import { serveUntilStopped, startLifetime } from './stop.ts';

/** The settings of a server, without those of its database. */
export const serverSettings = [
  'host',
  'port',
  ...publicUrlSettings,
  ...serviceSettings,
  'eventDays',
  'drainDelay',
  'logLevel',
  'logFormat',
  ...metricsSettings,
  'backupFolder',
] as const;

export type ServerConfig = Config<(typeof serverSettings)[number] | 'database'>;

export interface ServerOptions {
  readonly config: ServerConfig;
  readonly output: OpenLog;
  /** The server closes it. */
  readonly database: Database;
  /** The location of the data, for the log. */
  readonly location: string;
  /** Creates a function that reads when the newest backup was made. */
  readonly createNewestBackupRead: (workspace: Workspace) => Promise<NewestBackupRead | undefined>;
}

/** Milliseconds since 1970. */
type NewestBackupRead = () => Promise<number>;

/** Runs a server on an open database until the process receives a stop signal. */
export async function runServer(options: ServerOptions): Promise<void> {
  const { config, output, database } = options;
  const { log } = output;
  await claimEnvironment(database, config.environment, true);
  const workspace = await findDefaultWorkspace(database);
  // Before the server is ready, because a stop signal can follow at once.
  const lifetime = startLifetime(output);
  using service = createService({ config, database, workspace, lifetime, log });
  const entrance = createEntrance(service.app);
  await using server = await listen(config.host, config.port, entrance.app);
  const { meters } = service;
  await using metrics =
    meters &&
    (await serveMetrics(
      config,
      { ...meters, database, log: output, readNewestBackup: await newestBackupRead() },
      log,
    ));
  if (config.apiKey === undefined) {
    await makeFirstApiKey(database, config.environment, server.origin, log);
  }
  entrance.open();
  logReady(options, server.origin, metrics?.url);
  await offerConsole(database, config, server.origin, log);
  using maintenance = startMaintenance(database, service.uses, config.eventDays, log);
  await serveUntilStopped(lifetime, server, database, config.drainDelay, output);
  maintenance[Symbol.dispose]();
  await flushUses(service.uses, log);
  await database[Symbol.asyncDispose]();
  service[Symbol.dispose]();
  log.info('stopped');

  function newestBackupRead() {
    return options.createNewestBackupRead(workspace);
  }
}

/** The addresses that a server listens on. */
export function addressesOf({
  host,
  port,
  metricsHost,
  metricsPort,
}: ServerConfig): readonly Address[] {
  const metrics = metricsPort === undefined ? [] : [{ host: metricsHost, port: metricsPort }];
  return [{ host, port }, ...metrics];
}

async function findDefaultWorkspace(database: Database): Promise<Workspace> {
  const workspace = await database.findWorkspace(defaultWorkspaceName);
  if (workspace !== undefined) return workspace;
  throw new CliFailure(`The database has no workspace ${defaultWorkspaceName}`);
}

/**
 * Keeps requests waiting until the first API key is stored. The key is printed before that, with the address that is known once
 * the server listens, so its first request can arrive too early.
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

/** Logs which server is ready, on which data. If the log leaves that out, the ports that the system chose are printed. */
function logReady(
  { config, output: { log }, location }: ServerOptions,
  origin: string,
  metrics: string | undefined,
): void {
  const { version, engine } = buildOf(config);
  const details = {
    ...{ url: `${origin}/v1`, docs: `${origin}/docs`, metrics, version, engine },
    database: location,
    environment: config.environment,
  };
  log.info(details, 'ready');
  if (log.isLevelEnabled('info')) return;
  if (config.port === 0) printWithoutWaiting(`Listening on ${origin}\n`);
  if (config.metricsPort === 0) printWithoutWaiting(`Metrics on ${metrics}\n`);
}
