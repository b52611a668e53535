import type { Environment } from '../../domain/access/api-key.ts';
import { basePath, consolePath, consoleUrlOf } from '../public-urls.ts';
import { isConsoleToken } from './token.ts';

// Browsers send a cookie to every port of a host, so each environment has a name of its own, and over plain HTTP, where several servers
// of one machine are, each database too. Over TLS, browsers accept a name with __Host- from this host alone, and only with Path=/.
// Behind a prefix, other programs can share the host, so the path is that of the console and the name begins with __Secure-. /v1 takes
// no cookies.

const names = { production: 'animal-store-live', staging: 'animal-store-test' } as const;

/** The longest `Cookie` header that is read. Browsers send far less, and the server accepts only a little more. */
const headerLengthMax = 16_384;

/** Whose sessions a cookie has. */
export interface CookieOwner {
  readonly environment: Environment;
  /** Differs between the databases of one machine. Letters and digits. */
  readonly dataTag?: string | undefined;
}

/** The cookie of the session at a base URL. */
function cookieAt(baseUrl: string, { environment, dataTag }: CookieOwner) {
  const isSecure = baseUrl.startsWith('https:');
  // A proxy may put a prefix before the paths of the service.
  const hasPrefix = baseUrl.indexOf('/', 'https://'.length) !== baseUrl.length - basePath.length;
  const isOfHost = isSecure && !hasPrefix;
  const start = isOfHost ? '__Host-' : isSecure ? '__Secure-' : '';
  const path = isOfHost ? '/' : (URL.parse(consoleUrlOf(baseUrl))?.pathname ?? consolePath);
  const plain = `${start}${names[environment]}`;
  const name = isSecure || dataTag === undefined ? plain : `${plain}-${dataTag}`;
  // Earlier versions had no tag.
  return { name, plain, path, isSecure, isOfHost };
}

/** The distinct tokens of all cookies by the name of the session's. Others may have set some of them. */
export function readSessionCookies(
  headers: Headers,
  baseUrl: string,
  owner: CookieOwner,
): readonly string[] {
  const header = headers.get('cookie');
  if (header === null || header.length > headerLengthMax) return [];
  const { name, plain } = cookieAt(baseUrl, owner);
  // Browsers separate cookies by a semicolon and one space. Other white space is a part of a name, so trim() would be wrong.
  const tokens = header
    .split(/; ?/)
    .flatMap((pair) => valueIn(pair, name) ?? valueIn(pair, plain) ?? [])
    .filter(isConsoleToken);
  return [...new Set(tokens)];
}

function valueIn(pair: string, name: string): string | undefined {
  if (!pair.startsWith(`${name}=`)) return undefined;
  return pair.slice(name.length + 1).replace(/^"(.*)"$/, '$1');
}

/** `Set-Cookie` for the console at this base URL; with an empty token and 0 seconds, it is removed. */
export function formatSessionCookie(
  baseUrl: string,
  owner: CookieOwner,
  token: string,
  seconds: number,
): string {
  const { name, path, isSecure } = cookieAt(baseUrl, owner);
  return [
    `${name}=${token}`,
    `Path=${path}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
    `Max-Age=${seconds}`,
  ].join('; ');
}

/** With this many, the head of the answer fits into the 4 KiB that nginx has for it. */
const removalsMax = 24;

/**
 * `Set-Cookie` that removes the cookies of this name that a request of this path may bring, except at the session's own path
 * (docs/decisions/console.md).
 */
export function formatRemovals(
  baseUrl: string,
  owner: CookieOwner,
  requestPath: string,
): readonly string[] {
  const { name, plain, path: sessionPath, isSecure, isOfHost } = cookieAt(baseUrl, owner);
  // A name with __Host- has one path and no domain.
  if (isOfHost) return [];
  const url = URL.parse(baseUrl);
  const prefix = url?.pathname.slice(0, -basePath.length) ?? '';
  const end = `=; Max-Age=0${isSecure ? '; Secure' : ''}; Path=`;
  // Over plain HTTP the host is this machine, which shares no domain.
  const domains = isSecure ? domainsOf(url?.hostname ?? '') : [];
  return [...new Set([name, plain])]
    .flatMap((each) => ['', ...domains].map((domain) => ({ each, domain })))
    .flatMap(({ each, domain }) =>
      pathsAbove(prefix + requestPath)
        .filter((path) => each !== name || domain !== '' || path !== sessionPath)
        .map((path) => `${each}${end}${path}${domain}`),
    )
    .slice(0, removalsMax);
}

/** Every path whose cookies a request of this path has: `/`, `/a`, `/a/`, `/a/b`. */
function pathsAbove(path: string): readonly string[] {
  const segments = path.split('/').slice(1);
  const odd = segments.findIndex((segment) => !/^[\w.~-]+$/.test(segment));
  const usual = odd === -1 ? segments : segments.slice(0, odd);
  const paths = usual.map((_, index) => `/${usual.slice(0, index + 1).join('/')}`);
  return ['/', ...paths.flatMap((above) => [above, `${above}/`])];
}

/** `Domain` attributes of the host and the domains above it, except the last one, which no cookie can have. */
function domainsOf(hostname: string): readonly string[] {
  if (/^[\d.]+$|^\[/.test(hostname)) return [];
  const labels = hostname.split('.');
  return labels.slice(0, -1).map((_, index) => `; Domain=${labels.slice(index).join('.')}`);
}
