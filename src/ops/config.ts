import { BlockList, isIP } from 'node:net';
import {
  type Environment,
  environments,
  isOperatorApiKey,
  operatorApiKeyRule,
} from '../domain/access/api-key.ts';
import { parseRateLimit, rateLimitRule } from '../domain/access/rate-limit.ts';
import { type CreateData, createDataChoices } from '../domain/database/create-data.ts';
import { echo } from '../domain/echo.ts';

/** What a text means, or what it must be instead. */
type Parsed<Value> = { readonly value: Value } | { readonly mustBe: string };

interface Setting<Value, Default extends string | undefined> {
  /** Undefined where the value is a secret, which a command line would show to everybody. */
  readonly flag: string | undefined;
  /** Undefined where the flag stands alone, and means `false`. */
  readonly valueName: string | undefined;
  readonly variable: string;
  readonly default: Default;
  readonly description: string;
  /** May be or hold a secret, so that a message must not repeat it. */
  readonly secret?: boolean;
  readonly parse: (text: string) => Parsed<Value>;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const logFormats = ['auto', 'json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

/** Keeps the types of a setting's value and default. */
function setting<Value, const Default extends string | undefined>(
  definition: Setting<Value, Default>,
): Setting<Value, Default> {
  return definition;
}

/** Everything that can be set, each under the name that its flag has in the program. Help texts, the README's table and the checks derive from this. */
export const settings = {
  host: setting({
    flag: '--host',
    valueName: 'address',
    variable: 'HOST',
    default: '127.0.0.1',
    description: 'address to listen on',
    parse: parseHost,
  }),
  port: setting({
    flag: '--port',
    valueName: 'number',
    variable: 'PORT',
    default: '8080',
    description: 'port to listen on; 0 picks a free one and prints it',
    parse: (text) => wholeNumber(text, 0, 65535),
  }),
  database: setting({
    flag: '--database',
    valueName: 'url',
    variable: 'DATABASE_URL',
    default: 'sqlite:data/animal-store.db',
    description:
      'database URL: sqlite:PATH, relative to the current folder, or postgres://USER:PASSWORD@HOST:PORT/NAME, with several hosts separated by commas',
    secret: true,
    parse: parseDatabaseUrl,
  }),
  databaseConnections: setting({
    flag: '--database-connections',
    valueName: 'number',
    variable: 'ANIMAL_STORE_DATABASE_CONNECTIONS',
    default: '10',
    description: 'maximum connections to PostgreSQL, plus one for notifications',
    parse: (text) => wholeNumber(text, 2, 1000),
  }),
  staleMilliseconds: setting({
    flag: '--stale-milliseconds',
    valueName: 'number',
    variable: 'ANIMAL_STORE_STALE_MILLISECONDS',
    default: '500',
    description:
      "how long cached data may be used without asking PostgreSQL for other servers' writes; 0 asks for every request",
    parse: (text) => wholeNumber(text, 0, 1000),
  }),
  allowDataLoss: setting({
    flag: '--allow-data-loss',
    valueName: 'true|false',
    variable: 'ANIMAL_STORE_ALLOW_DATA_LOSS',
    default: 'false',
    description: 'accept a PostgreSQL that can lose committed data, such as one with fsync=off',
    parse: parseBoolean,
  }),
  createData: setting({
    flag: '--create-data',
    valueName: 'when',
    variable: 'ANIMAL_STORE_CREATE_DATA',
    default: 'auto',
    description:
      'whether to create data if there is none: auto, unless a log or a lock file shows that data is missing; never; or always',
    parse: (text) => oneOf<CreateData>(createDataChoices, text),
  }),
  environment: setting({
    flag: '--environment',
    valueName: 'name',
    variable: 'ANIMAL_STORE_ENVIRONMENT',
    default: 'production',
    description: 'environment: production or staging',
    parse: (text) => oneOf<Environment>(environments, text),
  }),
  baseUrl: setting({
    flag: '--base-url',
    valueName: 'url',
    variable: 'ANIMAL_STORE_BASE_URL',
    default: undefined,
    description: 'public URL of production, ending in /v1',
    secret: true,
    parse: parseBaseUrl,
  }),
  stagingBaseUrl: setting({
    flag: '--staging-base-url',
    valueName: 'url',
    variable: 'ANIMAL_STORE_STAGING_BASE_URL',
    default: undefined,
    description: 'public URL of staging, ending in /v1',
    secret: true,
    parse: parseBaseUrl,
  }),
  corsOrigins: setting({
    flag: '--cors-origins',
    valueName: 'list',
    variable: 'ANIMAL_STORE_CORS_ORIGINS',
    default: '*',
    description: 'origins whose scripts may call the service, separated by commas, or * for all',
    parse: parseOrigins,
  }),
  console: setting({
    flag: '--no-console',
    valueName: undefined,
    variable: 'ANIMAL_STORE_CONSOLE',
    default: 'true',
    description: 'whether there is a console for people at /console: true or false',
    parse: parseBoolean,
  }),
  trustedProxies: setting({
    flag: '--trusted-proxies',
    valueName: 'list',
    variable: 'ANIMAL_STORE_TRUSTED_PROXIES',
    default: undefined,
    description:
      'addresses or ranges of proxies, separated by commas, whose X-Forwarded-For is used for the client address in the log',
    parse: parseAddresses,
  }),
  logLevel: setting({
    flag: '--log-level',
    valueName: 'level',
    variable: 'ANIMAL_STORE_LOG_LEVEL',
    default: 'info',
    description: `minimum log level: ${logLevels.join(', ')}; debug logs each request`,
    parse: (text) => oneOf<LogLevel>(logLevels, text),
  }),
  logFormat: setting({
    flag: '--log-format',
    valueName: 'format',
    variable: 'ANIMAL_STORE_LOG_FORMAT',
    default: 'auto',
    description: 'json for machines, text for people, or auto: text on a terminal, else json',
    parse: (text) => oneOf<LogFormat>(logFormats, text),
  }),
  rateLimit: setting({
    flag: '--rate-limit',
    valueName: 'limit',
    variable: 'ANIMAL_STORE_RATE_LIMIT',
    default: undefined,
    description: 'rate limit for keys without their own, such as 600/min',
    parse: (text) => {
      const value = parseRateLimit(text);
      return value === undefined ? { mustBe: rateLimitRule } : { value };
    },
  }),
  responseCacheMegabytes: setting({
    flag: '--response-cache-megabytes',
    valueName: 'number',
    variable: 'ANIMAL_STORE_RESPONSE_CACHE_MEGABYTES',
    default: '64',
    description: 'memory for the response cache; 0 turns it off',
    parse: (text) => wholeNumber(text, 0, 99_999),
  }),
  eventDays: setting({
    flag: '--event-days',
    valueName: 'number',
    variable: 'ANIMAL_STORE_EVENT_DAYS',
    default: '30',
    description: 'days for which events are kept; 0 deletes them at once, and offers none',
    parse: (text) => wholeNumber(text, 0, 36_500),
  }),
  drainDelay: setting({
    flag: '--drain-delay',
    valueName: 'seconds',
    variable: 'ANIMAL_STORE_DRAIN_DELAY',
    default: '0',
    description:
      'seconds to keep serving after a stop signal, with /readyz at 503, so that load balancers notice',
    parse: (text) => wholeNumber(text, 0, 300),
  }),
  metricsPort: setting({
    flag: '--metrics-port',
    valueName: 'number',
    variable: 'ANIMAL_STORE_METRICS_PORT',
    default: undefined,
    description: 'port for Prometheus metrics; 0 picks a free one; without it, no metrics',
    parse: (text) => wholeNumber(text, 0, 65535),
  }),
  metricsHost: setting({
    flag: '--metrics-host',
    valueName: 'address',
    variable: 'ANIMAL_STORE_METRICS_HOST',
    default: '127.0.0.1',
    description: 'address to listen on for metrics',
    parse: parseHost,
  }),
  backupFolder: setting({
    flag: '--backup-folder',
    valueName: 'folder',
    variable: 'ANIMAL_STORE_BACKUP_FOLDER',
    default: undefined,
    description:
      'folder of backup --folder; the metrics then have the time of the newest backup of this SQLite database',
    parse: (text) =>
      text === '' || text.includes('\0') ? { mustBe: 'the path of a folder' } : { value: text },
  }),
  apiKey: setting({
    flag: undefined,
    valueName: 'key',
    variable: 'ANIMAL_STORE_API_KEY',
    default: undefined,
    description:
      'your own API key for workspace default; valid while the server runs, never stored',
    secret: true,
    parse: (text) => (isOperatorApiKey(text) ? { value: text } : { mustBe: operatorApiKeyRule }),
  }),
} as const;

export type SettingName = keyof typeof settings;

/** What has a default always has a value. */
type SettingValue<Name extends SettingName> =
  (typeof settings)[Name] extends Setting<infer Value, infer Default>
    ? Default extends string
      ? Value
      : Value | undefined
    : never;

export type Config<Names extends SettingName = SettingName> = {
  readonly [Name in Names]: SettingValue<Name>;
};

/**
 * Reads settings from flags, then from the environment, then from their defaults. All faults come
 * together, a line each. An empty variable counts as not set, as shells and containers often leave it.
 */
export function readSettings<Names extends SettingName>(
  names: readonly Names[],
  flags: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly config: Config<Names> | undefined; readonly faults: readonly string[] } {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const name of names) {
    const definition: Setting<unknown, string | undefined> = settings[name];
    // Of a flag that stands alone, `true` only says that it was not given.
    const flagText = flags[name] === false ? 'false' : flags[name];
    const text =
      typeof flagText === 'string'
        ? flagText
        : variables[definition.variable] || definition.default;
    if (text === undefined) continue;
    const parsed = definition.parse(text);
    if ('value' in parsed) {
      values[name] = parsed.value;
    } else {
      const source = typeof flagText === 'string' ? definition.flag : definition.variable;
      const got = definition.secret === true ? '' : `, got ${echo(text)}`;
      faults.push(`${source} must be ${parsed.mustBe}${got}`);
    }
  }
  return { config: faults.length > 0 ? undefined : (values as Config<Names>), faults };
}

export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

const postgresUrl = /^postgres(?:ql)?:\/\/(?:[^@/\s]*@)?[^/?@\s]+\/[^/?\s]+(?:\?\S*)?$/;

/** Where the data is, as one text. */
export function parseDatabaseUrl(text: string): Parsed<DatabaseLocation> {
  if (postgresUrl.test(text)) {
    return hasPorts(text)
      ? { value: { engine: 'postgres', url: text } }
      : { mustBe: 'a PostgreSQL URL with ports from 1 to 65535' };
  }
  const path = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : '';
  return path === '' || path === ':memory:' || path.includes('\0')
    ? {
        mustBe:
          'sqlite: followed by the path of a file, or postgres://USER:PASSWORD@HOST:PORT/NAME',
      }
    : { value: { engine: 'sqlite', path } };
}

/** Whether each host of an address has a port that there can be, or none. */
function hasPorts(url: string): boolean {
  const hosts = /^\w+:\/\/(?:[^@/]*@)?([^/]+)/.exec(url)?.[1] ?? '';
  return hosts.split(',').every((host) => {
    const port = /:([^:\]]*)$/.exec(host)?.[1];
    return port === undefined || 'value' in wholeNumber(port, 1, 65535);
  });
}

function parseHost(text: string): Parsed<string> {
  return /^[A-Za-z0-9.:_-]{1,253}$/.test(text)
    ? { value: text }
    : { mustBe: 'a host name or address' };
}

function wholeNumber(text: string, min: number, max: number): Parsed<number> {
  const value = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max
    ? { value }
    : { mustBe: `a whole number from ${min} to ${max}` };
}

function parseBaseUrl(text: string): Parsed<string> {
  const url = URL.parse(text);
  const fits =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.pathname.endsWith('/v1') &&
    `${url.origin}${url.pathname}` === url.href;
  return fits
    ? { value: url.href }
    : { mustBe: 'an http or https URL ending in /v1, without a query, fragment or password' };
}

function parseOrigins(text: string): Parsed<'*' | readonly string[]> {
  if (text === '*') return { value: '*' };
  const origins = text.split(',').map((origin) => origin.trim());
  const fits = origins.every(
    // A star in a name stands for nothing, and would match nothing.
    (origin) => /^https?:\/\/[^*]+$/.test(origin) && URL.parse(origin)?.origin === origin,
  );
  return fits
    ? { value: origins }
    : { mustBe: '* alone, or origins such as https://shop.example, separated by commas' };
}

function parseAddresses(text: string): Parsed<BlockList> {
  const addresses = new BlockList();
  const fits = text.split(',').every((item) => {
    const [address = '', bits, ...rest] = item.trim().split('/');
    const version = isIP(address);
    if (version === 0 || rest.length > 0) return false;
    const bitsMax = version === 6 ? 128 : 32;
    const parsed = wholeNumber(bits ?? `${bitsMax}`, 0, bitsMax);
    if (!('value' in parsed)) return false;
    addresses.addSubnet(address, parsed.value, `ipv${version}` as 'ipv4' | 'ipv6');
    return true;
  });
  return fits
    ? { value: addresses }
    : { mustBe: 'addresses or ranges such as 127.0.0.1,10.0.0.0/8, separated by commas' };
}

function parseBoolean(text: string): Parsed<boolean> {
  const parsed = oneOf(['true', 'false'], text);
  return 'value' in parsed ? { value: parsed.value === 'true' } : parsed;
}

function oneOf<Value extends string>(values: readonly Value[], text: string): Parsed<Value> {
  const value = values.find((candidate) => candidate === text);
  return value === undefined ? { mustBe: `one of ${values.join(', ')}` } : { value };
}
