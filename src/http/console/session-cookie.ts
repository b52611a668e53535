import type { Environment } from '../../domain/api-key.ts';
import { isConsoleToken } from './new-token.ts';

// Cookies do not tell ports or schemes apart, so the name tells the environments apart, and browsers refuse one whose name
// begins with __Secure- unless it came over TLS. It is sent to the console alone: no request to /v1 ever carries it.

const names = { production: 'animal-store-live', staging: 'animal-store-test' } as const;

/** Of all cookies that a request sends. A browser sends far fewer bytes than this, and the server takes hardly more. */
const headerLengthMax = 16_384;

/** The name of the cookie at a public address. */
function cookieName(address: string, environment: Environment): string {
  return isSecure(address) ? `__Secure-${names[environment]}` : names[environment];
}

function isSecure(address: string): boolean {
  return address.startsWith('https:');
}

/** The token of a session that a request came with; undefined where it has none, or anything that can be none. */
export function readSessionCookie(
  headers: Headers,
  address: string,
  environment: Environment,
): string | undefined {
  const tokens = readSessionCookies(headers, address, environment);
  // Two were set by two: nobody knows which of them is meant.
  return tokens.length === 1 ? tokens[0] : undefined;
}

/** The tokens of all cookies by the name of the session's. */
export function readSessionCookies(
  headers: Headers,
  address: string,
  environment: Environment,
): readonly string[] {
  const header = headers.get('cookie');
  if (header === null || header.length > headerLengthMax) return [];
  const start = `${cookieName(address, environment)}=`;
  // As browsers write them: what trim() takes away beside a blank, they take for a part of the name.
  return header
    .split(/; ?/)
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length).replace(/^"(.*)"$/, '$1'))
    .filter(isConsoleToken);
}

/** `Set-Cookie` for the console at this address, which ends in `/console`; with an empty token and 0 seconds, it is removed. */
export function formatSessionCookie(
  consoleUrl: string,
  environment: Environment,
  token: string,
  seconds: number,
): string {
  const path = URL.parse(consoleUrl)?.pathname ?? '/console';
  return [
    `${cookieName(consoleUrl, environment)}=${token}`,
    `Path=${path}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure(consoleUrl) ? ['Secure'] : []),
    `Max-Age=${seconds}`,
  ].join('; ');
}
