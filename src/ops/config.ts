import {
  type Environment,
  environments,
  isOperatorApiKey,
  operatorApiKeyRule,
} from '../domain/access/api-key.ts';
import { parseRateLimit, rateLimitRule } from '../domain/access/rate-limit.ts';
import { type CreateData, createDataChoices } from '../storage/contract/create-data.ts';
import { type Durability, durabilities } from '../storage/contract/durability.ts';
import {
  asSecret,
  oneOf,
  orMustBe,
  type Parsed,
  parseAddresses,
  parseBaseUrl,
  parseBoolean,
  parseDatabaseUrl,
  parseDuration,
  parseHost,
  parseOrigins,
  parsePostgresUrl,
  parseTargets,
  textIf,
  wholeNumber,
} from './setting-values.ts';

/** A longer pause is more likely a mistake. */
const idlePollingMillisecondsMax = 24 * 60 * 60_000;

/** Documents of earlier versions set it, so everybody knows it. */
const exampleApiKey = 'a-key-of-your-own-choosing';

/** Bun keeps an idle connection for at most 255 s. */
const keepAliveMillisecondsMax = 240_000;

interface Definition<Value, Default extends string | undefined> {
  /** A flag without a value sets `true`, or `false` if it begins with `--no-`. Undefined for a secret, which other users of the machine could read. */
  readonly flag: `--${string}` | undefined;
  /** By default the flag in capitals after `ANIMAL_STORE_`: ANIMAL_STORE_LOG_LEVEL for `--log-level`. */
  readonly variable?: string;
  readonly default?: Default;
  readonly description: string;
  readonly parse: (text: string) => Parsed<Value>;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const logFormats = ['auto', 'json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

interface Setting<Value, Default extends string | undefined> extends Definition<Value, Default> {
  readonly variable: string;
}

/** Names the variable of a setting, and keeps the types of its value and default. */
function setting<Value, const Default extends string | undefined>(
  definition: Definition<Value, Default>,
): Setting<Value, Default> {
  const name = flagName(definition.flag ?? '').slice('--'.length);
  return { variable: `ANIMAL_STORE_${name.replaceAll('-', '_').toUpperCase()}`, ...definition };
}

/** Every setting, by the name that Commander derives from its flag. Help texts, checks and docs/reference.md use this table. */
export const settings = {
  host: setting({
    flag: '--host <address>',
    variable: 'HOST',
    default: '127.0.0.1',
    description: 'address to listen on',
    parse: parseHost,
  }),
  port: setting({
    flag: '--port <number>',
    variable: 'PORT',
    default: '8080',
    description: 'port to listen on; 0 picks a free one and prints it',
    parse: (text) => wholeNumber(text, 0, 65535),
  }),
  database: setting({
    flag: '--database <url>',
    variable: 'DATABASE_URL',
    default: 'sqlite:data/animal-store.db',
    description:
      'database URL: sqlite:PATH, relative to the current folder, or postgres://USER:PASSWORD@HOST:PORT/NAME, with several hosts separated by commas',
    parse: (text) => asSecret(parseDatabaseUrl(text)),
  }),
  databaseConnections: setting({
    flag: '--database-connections <number>',
    default: '10',
    description: 'maximum connections to PostgreSQL, plus one for notifications',
    parse: (text) => wholeNumber(text, 2, 1000),
  }),
  listenUrl: setting({
    flag: '--listen-url <url>',
    description:
      'URL of the same PostgreSQL without a connection pooler, to be notified of writes of other servers',
    parse: (text) => asSecret(parsePostgresUrl(text)),
  }),
  readStandby: setting({
    flag: '--read-standby',
    default: 'false',
    description:
      'read from a standby of the database URL while no host of PostgreSQL accepts writes; such answers have X-Read-From: standby; the variable is true or false',
    parse: parseBoolean,
  }),
  idlePolling: setting({
    flag: '--idle-polling <duration>',
    default: '0',
    description:
      'how often a server without requests looks at PostgreSQL, such as 10m, so that a database sleeps that is paused without use; webhooks that are not for requests of the last minute wait this long; at most 1d; 0 looks each second',
    parse: (text) => parseDuration(text, 0, idlePollingMillisecondsMax),
  }),
  staleMilliseconds: setting({
    flag: '--stale-milliseconds <number>',
    default: '500',
    description:
      'how long cached data may be used without a check for writes of other servers on PostgreSQL; 0 checks for every request; the same on all servers of a database',
    parse: (text) => wholeNumber(text, 0, 1000),
  }),
  durability: setting({
    flag: '--durability <promise>',
    default: 'checked',
    description:
      'what PostgreSQL must promise: checked; platform, for hosted ones that keep commits although they show fsync=off or full_page_writes=off; or unchecked, which can lose committed data',
    parse: (text) => oneOf<Durability>(durabilities, text),
  }),
  allowDataLoss: setting({
    flag: '--allow-data-loss <true|false>',
    default: 'false',
    description: 'true: the same as --durability unchecked',
    parse: parseBoolean,
  }),
  createData: setting({
    flag: '--create-data <when>',
    default: 'auto',
    description:
      'whether to create data if there is none: auto, unless a log or a lock file shows that data is missing; never; or always',
    parse: (text) => oneOf<CreateData>(createDataChoices, text),
  }),
  environment: setting({
    flag: '--environment <name>',
    default: 'production',
    description: 'environment: production or staging',
    parse: (text) => oneOf<Environment>(environments, text),
  }),
  baseUrl: setting({
    flag: '--base-url <url>',
    description: 'public URL of production, ending in /v1',
    parse: (text) => asSecret(parseBaseUrl(text)),
  }),
  stagingBaseUrl: setting({
    flag: '--staging-base-url <url>',
    description: 'public URL of staging, ending in /v1',
    parse: (text) => asSecret(parseBaseUrl(text)),
  }),
  corsOrigins: setting({
    flag: '--cors-origins <list>',
    default: '*',
    description: 'origins whose scripts may call the service, separated by commas, or * for all',
    parse: parseOrigins,
  }),
  console: setting({
    flag: '--no-console',
    variable: 'ANIMAL_STORE_CONSOLE',
    default: 'true',
    description: 'do not serve the console at /console; the variable is true or false',
    parse: parseBoolean,
  }),
  trustedProxies: setting({
    flag: '--trusted-proxies <list>',
    description:
      'addresses or ranges of proxies, separated by commas, whose X-Forwarded-For is used for the client address in the log',
    parse: parseAddresses,
  }),
  webhookAllow: setting({
    flag: '--webhook-allow <list>',
    description:
      'addresses or ranges, separated by commas, that webhooks may call by https or http although they are not public, such as 127.0.0.1:3000; a metadata or link-local address only by itself',
    parse: parseTargets,
  }),
  logLevel: setting({
    flag: '--log-level <level>',
    default: 'info',
    description: `minimum log level: ${logLevels.join(', ')}; debug logs each request`,
    parse: (text) => oneOf<LogLevel>(logLevels, text),
  }),
  logFormat: setting({
    flag: '--log-format <format>',
    default: 'auto',
    description: 'json for machines, text for people, or auto: text on a terminal, else json',
    parse: (text) => oneOf<LogFormat>(logFormats, text),
  }),
  logReads: setting({
    flag: '--log-reads',
    default: 'false',
    description:
      'log each response that has records: the key, the path and the number of records; the variable is true or false',
    parse: parseBoolean,
  }),
  rateLimit: setting({
    flag: '--rate-limit <limit>',
    description: 'rate limit for keys without their own, such as 600/min',
    parse: (text) => orMustBe(parseRateLimit(text), rateLimitRule),
  }),
  responseCacheMegabytes: setting({
    flag: '--response-cache-megabytes <number>',
    default: '64',
    description: 'memory for the response cache; 0 turns it off',
    parse: (text) => wholeNumber(text, 0, 99_999),
  }),
  eventDays: setting({
    flag: '--event-days <number>',
    default: '30',
    description: 'days to keep events; 0 deletes them at once, and turns the feed off',
    parse: (text) => wholeNumber(text, 0, 36_500),
  }),
  drainDelay: setting({
    flag: '--drain-delay <seconds>',
    default: '0',
    description:
      'seconds to keep serving after a stop signal, with /readyz at 503, so that load balancers notice',
    parse: (text) => wholeNumber(text, 0, 300),
  }),
  keepAlive: setting({
    flag: '--keep-alive <duration>',
    default: '10s',
    description:
      'how long an idle connection is kept, at most 240s; longer than the load balancer keeps one',
    parse: (text) => parseDuration(text, 1000, keepAliveMillisecondsMax),
  }),
  metricsPort: setting({
    flag: '--metrics-port <number>',
    description: 'port for Prometheus metrics; 0 picks a free one; without it, no metrics',
    parse: (text) => wholeNumber(text, 0, 65535),
  }),
  metricsHost: setting({
    flag: '--metrics-host <address>',
    default: '127.0.0.1',
    description: 'address to listen on for metrics',
    parse: parseHost,
  }),
  backupFolder: setting({
    flag: '--backup-folder <folder>',
    description:
      'folder of backup --folder; with --metrics-port, adds the time of the newest backup of this SQLite database to the metrics',
    parse: (text) => textIf(text !== '' && !text.includes('\0'), text, 'the path of a folder'),
  }),
  apiKey: setting({
    flag: undefined,
    variable: 'ANIMAL_STORE_API_KEY',
    description:
      'your own API key for workspace default; valid while the server runs, never stored',
    parse: (text) =>
      asSecret(
        text === exampleApiKey
          ? { mustBe: 'a key of your own, such as from: openssl rand -base64 33' }
          : textIf(isOperatorApiKey(text), text, operatorApiKeyRule),
      ),
  }),
  webhookSecret: setting({
    flag: undefined,
    variable: 'ANIMAL_STORE_WEBHOOK_SECRET',
    description:
      'secret of listen for its signatures, of the form whsec_…; without it, listen derives one from the API key',
    parse: (text) => ({ value: text }),
  }),
} as const;

export type SettingName = keyof typeof settings;

/** A setting with a default always has a value. */
type SettingValue<Name extends SettingName> =
  (typeof settings)[Name] extends Setting<infer Value, infer Default>
    ? Default extends string
      ? Value
      : Value | undefined
    : never;

export type Config<Names extends SettingName = SettingName> = {
  readonly [Name in Names]: SettingValue<Name>;
};

/** Such as `--host`. */
export function flagName(flag: string): string {
  return flag.replace(/ .*/, '');
}
