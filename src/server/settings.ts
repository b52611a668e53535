// A command declares its settings before the modules that use them are loaded.

export const publicUrlSettings = ['environment', 'baseUrl', 'stagingBaseUrl'] as const;

export const serviceSettings = [
  'corsOrigins',
  'console',
  'trustedProxies',
  'rateLimit',
  'logReads',
  'responseCacheMegabytes',
  'apiKey',
] as const;

/** The settings of a server, without those of its database. */
export const serverSettings = [
  'host',
  'port',
  ...publicUrlSettings,
  ...serviceSettings,
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
