import type { Answer } from './answer/answer.ts';
import { documentedHeaderName, responseHeaders } from './openapi/headers.ts';
import { consolePath } from './public-urls.ts';

type HeaderFields = Readonly<Record<string, string>>;

/** The headers that all responses below some paths have, and CORS. */
export interface ResponsePolicy {
  /** Makes a response. `headers` are those of this response alone. */
  toResponse(answer: Answer, headers: HeaderFields): Response;
  /** Headers that depend on the `Origin` of the request. Undefined if none does. */
  readonly originHeaders?: (origin: string | null) => HeaderFields;
  /** Headers of the response to a preflight that asks for these request headers. Undefined where scripts of other sites may not call. */
  readonly preflightHeaders?: (allow: string, wanted: string | null) => HeaderFields;
}

/** The sites whose scripts may call the API: all, or these origins. */
export type CorsOrigins = '*' | readonly string[];

/** The console serves only its own page. Everything else is open to the sites that the operator allows. */
export function createResponsePolicies(corsOrigins: CorsOrigins): (path: string) => ResponsePolicy {
  const open = createOpenPolicy(corsOrigins);
  const own = { toResponse: createToResponse({ ...noSniff, 'cache-control': 'no-store' }) };
  const below = `${consolePath}/`;
  return (path) => (path.startsWith(below) || path === consolePath ? own : open);
}

const noSniff = { 'x-content-type-options': 'nosniff' } as const;

function createOpenPolicy(corsOrigins: CorsOrigins): ResponsePolicy {
  const expose = { 'access-control-expose-headers': exposedHeaders };
  if (corsOrigins === '*') {
    const always = { ...noSniff, 'access-control-allow-origin': '*', ...expose };
    return { toResponse: createToResponse(always), preflightHeaders };
  }
  return {
    toResponse: createToResponse(noSniff),
    originHeaders: (origin) =>
      origin === null || !corsOrigins.includes(origin)
        ? { vary: 'Origin' }
        : { 'access-control-allow-origin': origin, ...expose, vary: 'Origin' },
    preflightHeaders,
  };
}

/** Response headers that scripts of other sites may read: all in the document, except the one for proxies. */
const exposedHeaders = [...new Set(Object.keys(responseHeaders).map(documentedHeaderName))]
  .filter((name) => name !== 'X-Accel-Buffering')
  .join(', ');

const usedHeaders =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id';

/** The names of headers, as a browser sends them. */
const headerNames = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*,[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+)*$/;
const headerNamesLengthMax = 4096;

/** Libraries for tracing and errors add headers of their own to each request. No header gives away anything, because no cookie is used. */
function preflightHeaders(allow: string, wanted: string | null): HeaderFields {
  const isList =
    wanted !== null && wanted.length <= headerNamesLengthMax && headerNames.test(wanted);
  return {
    'access-control-allow-methods': allow,
    // `Authorization` must be named, because a wildcard does not cover it.
    'access-control-allow-headers': isList ? `${usedHeaders}, ${wanted}` : usedHeaders,
    vary: 'Access-Control-Request-Headers',
    // Chromium caches a preflight for at most two hours.
    'access-control-max-age': '7200',
  };
}

/**
 * Makes responses. A reused answer is prepared once and then copied, which costs a fraction of making it. The headers of a response
 * are added to a copy of native ones, because Bun converts an object of headers more slowly.
 */
function createToResponse(always: HeaderFields): ResponsePolicy['toResponse'] {
  const alwaysNative = new Headers(always);
  const prepared = new WeakMap<Answer, Response>();

  function make(answer: Answer): Response {
    const response = makeResponse(answer, alwaysNative);
    addHeaders(response.headers, answer.headers);
    return response;
  }

  function copyPrepared(answer: Answer): Response {
    let prototype = prepared.get(answer);
    if (prototype === undefined) {
      prototype = make(answer);
      prepared.set(answer, prototype);
    }
    // The types of Bun say that a clone is a response of another library.
    return prototype.clone() as unknown as Response;
  }

  return (answer, headers) => {
    const response = answer.reused === true ? copyPrepared(answer) : make(answer);
    addHeaders(response.headers, headers);
    return response;
  };
}

/** Both the answer and its request may add a value to `Vary` and `Link`. Another value replaces the one before it. */
function addHeaders(headers: Headers, more: HeaderFields): void {
  for (const name in more) {
    const value = more[name] ?? '';
    if (name === 'vary' || name === 'link') headers.append(name, value);
    else headers.set(name, value);
  }
}

/** The one place that makes a response of an answer. */
export function makeResponse(
  { httpStatus: status, headers: own, body }: Answer,
  headers: Headers | HeaderFields = own,
): Response {
  // Bun also accepts an async iterable of text, which the types of the platform do not have.
  return new Response(body as string | null, { status, headers });
}
