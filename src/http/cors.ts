/** Response headers that a script on another site may read. */
const exposed =
  'Link, Location, ETag, Deprecation, Sunset, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, ' +
  'WWW-Authenticate, Idempotent-Replayed, Preference-Applied';

/** `Authorization` must be named: a wildcard does not cover it. */
const allowedRequestHeaders =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-Request-Id';

/** Chromium remembers a preflight for at most two hours. */
const preflightSecondsMax = 7200;

/** Whose scripts may call the service: everybody's, or those of the listed origins. */
export type CorsOrigins = '*' | readonly string[];

export interface Cors {
  /** Headers of every answer to a request from this `Origin`. */
  headers(origin: string | null): Readonly<Record<string, string>>;
  /** What a preflight is told besides. */
  preflightHeaders(allow: string): Readonly<Record<string, string>>;
}

export function createCors(origins: CorsOrigins): Cors {
  const everybody = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
  };
  const nobody = { vary: 'Origin' };
  return {
    headers(origin) {
      if (origins === '*') return everybody;
      if (origin === null || !origins.includes(origin)) return nobody;
      return { ...everybody, 'access-control-allow-origin': origin, vary: 'Origin' };
    },
    preflightHeaders: (allow) => ({
      'access-control-allow-methods': allow,
      'access-control-allow-headers': allowedRequestHeaders,
      'access-control-max-age': String(preflightSecondsMax),
    }),
  };
}
