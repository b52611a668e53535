import { documentedHeaderName, responseHeaders } from './openapi/headers.ts';

/** Response headers that a script on another site may read: all that the document describes, except the one for proxies. */
const exposed = [...new Set(Object.keys(responseHeaders).map(documentedHeaderName))]
  .filter((name) => name !== 'X-Accel-Buffering')
  .join(', ');

/** `Authorization` must be named: a wildcard does not cover it. */
const allowedRequestHeaders =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id';

/** Chromium remembers a preflight for at most two hours. */
const preflightSecondsMax = 7200;

/** Whose scripts may call the service: everybody's, or those of the listed origins. */
export type CorsOrigins = '*' | readonly string[];

export interface Cors {
  /** Headers of every answer, whoever asks. */
  readonly always: Readonly<Record<string, string>>;
  /** Headers of an answer to a request from this `Origin`; undefined where `always` says it all. */
  readonly forOrigin: ((origin: string | null) => Readonly<Record<string, string>>) | undefined;
  /** What a preflight is told besides. */
  preflightHeaders(allow: string): Readonly<Record<string, string>>;
}

/** Where scripts of no other site may read anything. */
export const noCors: Cors = {
  always: {},
  forOrigin: undefined,
  preflightHeaders: () => ({}),
};

export function createCors(origins: CorsOrigins): Cors {
  const preflightHeaders = (allow: string) => ({
    'access-control-allow-methods': allow,
    'access-control-allow-headers': allowedRequestHeaders,
    'access-control-max-age': String(preflightSecondsMax),
  });
  const expose = { 'access-control-expose-headers': exposed };
  if (origins === '*') {
    const always = { 'access-control-allow-origin': '*', ...expose };
    return { always, forOrigin: undefined, preflightHeaders };
  }
  return {
    always: {},
    forOrigin: (origin) =>
      origin === null || !origins.includes(origin)
        ? { vary: 'Origin' }
        : { 'access-control-allow-origin': origin, ...expose, vary: 'Origin' },
    preflightHeaders,
  };
}
