import { BlockList, isIP } from 'node:net';
import { type AllowedTargets, parseAllowedTargets } from '../domain/webhook-target.ts';
import { postgresUrlCure } from '../storage/contract/postgres-url.ts';

/** The value of a text, or what the text must be instead. */
export type Parsed<Value> =
  | { readonly value: Value }
  | { readonly mustBe: string; readonly isSecret?: true };

export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** Without a host, with a socket as the host, or with the host as a parameter. */
const isSocketUrl = /^postgres(?:ql)?:\/\/(?:[^@/?\s]*@)?(?:\/|%2F|[^?\s]*\?(?:\S*&)?host=)/i;

const postgresUrl = /^postgres(?:ql)?:\/\/(?:[^@/\s]*@)?[^/?@\s]+\/[^/?\s]+(?:\?\S*)?$/;

const postgresUrlRule = `postgres://USER:PASSWORD@HOST:PORT/NAME; ${postgresUrlCure}`;

/** Reads `sqlite:PATH` or the URL of a PostgreSQL database. */
export function parseDatabaseUrl(text: string): Parsed<DatabaseLocation> {
  if (isSocketUrl.test(text)) {
    return {
      mustBe:
        'a PostgreSQL URL with a host: a unix socket, or a host as a parameter, is not supported',
    };
  }
  if (postgresUrl.test(text)) {
    return orMustBe<DatabaseLocation>(
      hasPorts(text) ? { engine: 'postgres', url: text } : undefined,
      'a PostgreSQL URL with ports from 1 to 65535',
    );
  }
  if (/^postgres(?:ql)?:/.test(text)) return { mustBe: postgresUrlRule };
  const path = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : '';
  const isPath = path !== '' && path !== ':memory:' && !path.includes('\0');
  return orMustBe<DatabaseLocation>(
    isPath ? { engine: 'sqlite', path } : undefined,
    'sqlite: followed by the path of a file, or postgres://USER:PASSWORD@HOST:PORT/NAME',
  );
}

export function parsePostgresUrl(text: string): Parsed<string> {
  return textIf(postgresUrl.test(text) && hasPorts(text), text, postgresUrlRule);
}

/** Whether each host of a URL has no port or a valid one. */
function hasPorts(url: string): boolean {
  const hosts = /^\w+:\/\/(?:[^@/]*@)?([^/]+)/.exec(url)?.[1] ?? '';
  return hosts.split(',').every((host) => {
    const port = /:([^:\]]*)$/.exec(host)?.[1];
    return port === undefined || 'value' in wholeNumber(port, 1, 65535);
  });
}

export function parseHost(text: string): Parsed<string> {
  return textIf(/^[A-Za-z0-9.:_-]{1,253}$/.test(text), text, 'a host name or address');
}

export function wholeNumber(text: string, min: number, max: number): Parsed<number> {
  const value = /^[0-9]{1,12}$/.test(text) ? Number(text) : Number.NaN;
  const fits = value >= min && value <= max;
  return orMustBe(fits ? value : undefined, `a whole number from ${min} to ${max}`);
}

/** An http or https URL without a user. */
export function parseHttpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  const fits = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  return fits ? url : undefined;
}

export function parseBaseUrl(text: string): Parsed<string> {
  const url = parseHttpUrl(text);
  const fits = url?.pathname.endsWith('/v1') && url.origin + url.pathname === url.href;
  const rule =
    'an http or https URL ending in /v1, without a slash after it, a query, a fragment or a password';
  return orMustBe(fits ? url?.href : undefined, rule);
}

export function parseOrigins(text: string): Parsed<'*' | readonly string[]> {
  if (text === '*') return { value: '*' };
  const origins = text.split(',').map((origin) => origin.trim());
  const fits = origins.every(
    // A star inside a name would match nothing.
    (origin) => /^https?:\/\/[^*]+$/.test(origin) && URL.parse(origin)?.origin === origin,
  );
  const rule = '* alone, or origins such as https://shop.example, separated by commas';
  return orMustBe(fits ? origins : undefined, rule);
}

export function parseAddresses(text: string): Parsed<BlockList> {
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
  const rule = 'addresses or ranges such as 127.0.0.1,10.0.0.0/8, separated by commas';
  return orMustBe(fits ? addresses : undefined, rule);
}

export function parseTargets(text: string): Parsed<readonly AllowedTargets[]> {
  const targets = text.split(',').map((item) => parseAllowedTargets(item.trim()));
  const known = targets.filter((target) => target !== undefined);
  const rule =
    'addresses or ranges such as 127.0.0.1:3000,[::1]:3000,10.0.0.0/8, separated by commas';
  return orMustBe(known.length === targets.length ? known : undefined, rule);
}

export function parseBoolean(text: string): Parsed<boolean> {
  const parsed = oneOf(['true', 'false'], text);
  return 'value' in parsed ? { value: parsed.value === 'true' } : parsed;
}

export function oneOf<Value extends string>(values: readonly Value[], text: string): Parsed<Value> {
  const value = values.find((candidate) => candidate === text);
  return orMustBe(value, `one of ${values.join(', ')}`);
}

/** A value unless it is undefined. `mustBe` completes the sentence `--port must be …`. */
export function orMustBe<Value>(value: Value | undefined, mustBe: string): Parsed<Value> {
  return value === undefined ? { mustBe } : { value };
}

export function textIf(fits: boolean, text: string, mustBe: string): Parsed<string> {
  return orMustBe(fits ? text : undefined, mustBe);
}

/** For a text that can contain a secret, so that messages must not repeat it. */
export function asSecret<Value>(parsed: Parsed<Value>): Parsed<Value> {
  return 'value' in parsed ? parsed : { ...parsed, isSecret: true };
}

/** The same for the text of a URL. One without a user is repeated, because it shows the mistake. */
export function hideUser<Value>(text: string, parsed: Parsed<Value>): Parsed<Value> {
  return text.includes('@') ? asSecret(parsed) : parsed;
}

const unitMilliseconds = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Ten years. A longer duration is probably a mistake. */
const durationMillisecondsMax = 3653 * unitMilliseconds.d;

/** Reads `90d`, `24h`, `30m`, `10s` or `0` as milliseconds. */
export function parseDuration(
  text: string,
  min = 0,
  max: number = durationMillisecondsMax,
): Parsed<number> {
  const match = /^(?:0|([0-9]{1,10})([smhd]))$/.exec(text);
  const [, count = 0, unit = 's'] = match ?? [];
  const value = Number(count) * unitMilliseconds[unit as keyof typeof unitMilliseconds];
  const fits = match !== null && value >= min && value <= max;
  const isShort = max < unitMilliseconds.d;
  const [example, most] = isShort
    ? ['30s', `${max / 1000}s`]
    : ['90d', `${max / unitMilliseconds.d}d`];
  const form = `a whole number followed by s, m, h or d, such as ${example},`;
  const rule =
    min > 0 ? `${form} at least 1s and at most ${most}` : `0, or ${form} and at most ${most}`;
  return orMustBe(fits ? value : undefined, rule);
}
