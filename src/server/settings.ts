import type { Config } from '../ops/config.ts';

// A command declares its settings before the modules that use them are loaded.

export const publicUrlSettings = ['environment', 'baseUrl', 'stagingBaseUrl'] as const;

/** The settings of a server, without those of its database. */
export const serverSettings = [
  'host',
  'port',
  ...publicUrlSettings,
  'corsOrigins',
  'console',
  'trustedProxies',
  'rateLimit',
  'logReads',
  'responseCacheMegabytes',
  'apiKey',
  'eventDays',
  'webhookAllow',
  'drainDelay',
  'keepAlive',
  'logLevel',
  'logFormat',
  'metricsPort',
  'metricsHost',
  'backupFolder',
] as const;

export type ServerConfig = Config<(typeof serverSettings)[number] | 'database' | 'idlePolling'>;
