import { AnimalStoreError } from './error.ts';
import { randomHex, stringify } from './json.ts';
import { describeResponse, type ResponseInfo, readError, readValue } from './response.ts';
import { inTime, pause, planRetries, retryMillisecondsMaxDefault } from './retry.ts';

/** For every request that a call sends. */
export interface RequestOptions {
  /** Further headers, such as `X-Request-Id`, `traceparent` or `Prefer`. Those of a call replace those of the client. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Called with each response, also of attempts that failed. If both the client and the call have one, both are called. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
}

/** How long a call can take. */
export interface TimeOptions {
  /** Of each attempt; 10 000 by default. */
  readonly timeoutMilliseconds?: number | undefined;
  /** How long a call is retried, from its first failure on; 10 000 by default, 0 for no retries. */
  readonly retryMillisecondsMax?: number | undefined;
}

export interface AnimalStoreOptions extends RequestOptions, TimeOptions {
  /** Such as `https://animals.example/v1`. */
  readonly baseUrl: string;
  /** A page of the service itself leaves it out, because it sends a cookie. */
  readonly apiKey?: string | undefined;
  /** Replaces the `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined;
}

export interface CallOptions extends RequestOptions, TimeOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** By default, all attempts of a call share a new key. With your own key, another call can repeat the request. */
  readonly idempotencyKey?: string | undefined;
}

export type QueryValue = string | number | bigint | readonly (string | number | bigint)[];

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue | undefined>> | undefined;
  /** The text after the `?`, instead of `query`. */
  readonly search?: string | undefined;
  readonly body?: unknown;
  /** Headers that the client itself sends. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly options?: WriteOptions | undefined;
  /** Added to the time limit of each attempt. */
  readonly waitMilliseconds?: number;
}

export interface Transport {
  readonly retryMillisecondsMax: number;
  call(call: Call): Promise<{ readonly value: unknown; readonly headers: Headers }>;
  /** The response of one attempt. A failure is thrown like any other. */
  open(call: Call, signal: AbortSignal): Promise<Response>;
}

/** Names and addresses of this machine. */
const loopback = /^(?:(?:.+\.)?localhost|127(?:\.[0-9]+){3}|\[::1\])$/;

/** Bun would send a request to this machine, with its key, to the proxy of HTTP_PROXY. Other runtimes ignore this. */
const withoutProxy = { proxy: false };

export function createTransport(options: AnimalStoreOptions): Transport {
  const prefix = parseBaseUrl(options);
  const {
    fetch: send = globalThis.fetch,
    timeoutMilliseconds = 10_000,
    retryMillisecondsMax = retryMillisecondsMaxDefault,
  } = options;

  const direct = loopback.test(new URL(prefix).hostname) ? withoutProxy : {};

  /** Throws an `AnimalStoreError`, or the error of `onResponse`. */
  async function attempt(call: Call, init: RequestInit, isLate?: () => boolean): Promise<Response> {
    // The key goes to the base URL only: a redirect is an unexpected response.
    const sent = { ...init, ...direct, redirect: 'manual' } as const;
    const response = await send(urlOf(call), sent).catch((error) => {
      throw toError(error, isLate?.());
    });
    try {
      for (const hook of [options.onResponse, call.options?.onResponse]) {
        hook?.(describeResponse(response));
      }
    } catch (error) {
      // A body that is not read would keep its connection.
      void response.body?.cancel();
      throw error;
    }
    if (!response.ok) throw await readError(response);
    return response;
  }

  function urlOf({ path, search, query }: Call): string {
    const text = search ?? formatQuery(query);
    return `${prefix}${path}${text === '' ? '' : `?${text}`}`;
  }

  return {
    retryMillisecondsMax,
    async call(call) {
      const { signal, ...callOptions } = call.options ?? {};
      const body = call.body === undefined ? undefined : stringify(checkIntegers(call.body));
      // The service handles the patch `{}` without an Idempotency-Key as a read, which works while no write does.
      const isRead = call.method === 'GET' || (call.method === 'PATCH' && body === '{}');
      const key = callOptions.idempotencyKey ?? (isRead ? undefined : randomHex());
      const init = initOf(options, call, body, key);
      const timeout =
        (callOptions.timeoutMilliseconds ?? timeoutMilliseconds) + (call.waitMilliseconds ?? 0);
      const delayAfter = planRetries(callOptions.retryMillisecondsMax ?? retryMillisecondsMax);
      for (;;) {
        try {
          return await inTime(timeout, signal, async (ended, isLate) => {
            const response = await attempt(call, { ...init, signal: ended }, isLate);
            const text = await response.text().catch((error) => {
              throw toError(error, isLate());
            });
            return { value: readValue(response, text), headers: response.headers };
          });
        } catch (error) {
          signal?.throwIfAborted();
          if (!(error instanceof AnimalStoreError)) throw error;
          error.idempotencyKey = key;
          const delay = delayAfter(error);
          if (delay === undefined) throw error;
          await pause(delay, signal);
        }
      }
    },
    open: async (call, signal) => attempt(call, { ...initOf(options, call), signal }),
  };
}

/** The base URL without a slash at its end. */
function parseBaseUrl({ baseUrl, apiKey }: AnimalStoreOptions): string {
  const base = new URL(baseUrl);
  if (!/^https?:$/.test(base.protocol)) throw new TypeError('baseUrl must be an http or https URL');
  if (base.username !== '' || base.password !== '') {
    throw new TypeError('baseUrl must have no user and no password');
  }
  if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be one or more visible ASCII characters');
  }
  return base.href.replace(/[?#].*$/, '').replace(/\/$/, '');
}

function initOf(
  client: AnimalStoreOptions,
  { method, headers, options = {} }: Call,
  body?: string,
  idempotencyKey?: string,
): RequestInit {
  const all = new Headers();
  for (const given of [client.headers, options.headers]) {
    for (const [name, value] of Object.entries(given ?? {})) {
      if (value === undefined) all.delete(name);
      else all.set(name, value);
    }
  }
  const required = {
    authorization: client.apiKey === undefined ? undefined : `Bearer ${client.apiKey}`,
    'idempotency-key': idempotencyKey,
    'content-type': body === undefined ? undefined : 'application/json',
    ...headers,
  };
  for (const [name, value] of Object.entries(required)) {
    if (value === undefined) continue;
    // Silently replaced, an Idempotency-Key of the caller would protect nothing.
    if (all.has(name)) {
      throw new TypeError(`headers must not contain ${name}: the client sends its own`);
    }
    all.set(name, value);
  }
  return { method, headers: all, ...(body === undefined ? {} : { body }) };
}

function formatQuery(query: Call['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    // Without the parameter, the service would return everything.
    if (Array.isArray(value) && value.length === 0)
      throw new TypeError(`${name} must not be empty`);
    for (const one of typeof value === 'object' ? value : [value]) {
      parameters.append(name, String(checkIntegers(one)));
    }
  }
  return parameters.toString();
}

/** An id as the text of a path. */
export function exactId(id: bigint | number): string {
  return String(checkIntegers(id));
}

/** A number that is not an exact integer lost digits before this call. */
function checkIntegers<Value>(value: Value): Value {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`${value} is not an exact integer; use a bigint`);
  }
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(checkIntegers);
  return value;
}

export function toError(error: unknown, isLate = false): AnimalStoreError {
  if (error instanceof AnimalStoreError) return error;
  return isLate
    ? new AnimalStoreError('timed_out', 'The service did not answer in time', { cause: error })
    : new AnimalStoreError('connection_failed', `The connection failed: ${reasonOf(error)}`, {
        cause: error,
      });
}

/** The innermost cause has the reason. */
function reasonOf(error: unknown): string {
  const { message, cause } = Object(error);
  return cause instanceof Error ? reasonOf(cause) : String(message ?? error);
}
