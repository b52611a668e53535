import { AnimalStoreError } from './error.ts';
import { parseJson, randomHex, stringify } from './json.ts';

export interface AnimalStoreOptions {
  /** Such as `https://animals.example/v1`. */
  readonly baseUrl: string;
  /** Left out by a page that the service itself serves, whose cookie says who asks. */
  readonly apiKey?: string | undefined;
  /** Instead of the platform's own. */
  readonly fetch?: typeof fetch | undefined;
  /** For each attempt; 10 000 unless it is said. */
  readonly timeoutMilliseconds?: number | undefined;
  /** How often a call is tried again; 2 unless it is said. */
  readonly retries?: number | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMilliseconds?: number | undefined;
  readonly retries?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /** All attempts of a call share a key that is made for it; with a key of yours, another call can repeat it as well. */
  readonly idempotencyKey?: string | undefined;
}

export type QueryValue = string | number | bigint | readonly (string | number | bigint)[];

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue | undefined>> | undefined;
  /** The text after the `?`, where it is known. */
  readonly search?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly options?: WriteOptions | undefined;
  /** How much longer than others it may take. */
  readonly waitMilliseconds?: number;
}

export interface Answered {
  readonly value: unknown;
  readonly headers: Headers;
}

export interface Transport {
  call(call: Call): Promise<Answered>;
  /** The answer itself, of one attempt; a failure is thrown like any other. */
  open(call: Call, signal: AbortSignal): Promise<Response>;
}

const timeoutDefault = 10_000;
export const retriesDefault = 2;
const delayMillisecondsMax = 8000;

/** A server that wants more patience than this is told of instead. */
const retryAfterSecondsMax = 60;

export function createTransport(options: AnimalStoreOptions): Transport {
  const base = new URL(options.baseUrl);
  if (!/^https?:$/.test(base.protocol)) throw new TypeError('baseUrl must be an http or https URL');
  if (base.username !== '' || base.password !== '') {
    throw new TypeError('baseUrl must have no user and no password');
  }
  const { apiKey } = options;
  if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey)) {
    throw new TypeError('apiKey has characters no key has');
  }
  const prefix = base.href.replace(/[?#].*$/, '').replace(/\/$/, '');
  const send = options.fetch ?? globalThis.fetch;

  async function attempt(url: string, init: RequestInit): Promise<Response> {
    // The key goes nowhere else: a redirect is an answer that is not the service's.
    const response = await send(url, { ...init, redirect: 'manual' });
    if (!response.ok) throw await readError(response);
    return response;
  }

  function urlOf({ path, search, query }: Call): string {
    const text = search ?? formatQuery(query);
    return `${prefix}${path}${text === '' ? '' : `?${text}`}`;
  }

  function initOf({ method, body, headers = {} }: Call, idempotencyKey?: string): RequestInit {
    const all = new Headers(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` });
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) all.set(name, value);
    }
    if (idempotencyKey !== undefined) all.set('idempotency-key', idempotencyKey);
    if (body === undefined) return { method, headers: all };
    all.set('content-type', 'application/json');
    // Made once: every attempt sends the same.
    return { method, headers: all, body: stringify(checkIntegers(body)) };
  }

  return {
    async call(call) {
      const url = urlOf(call);
      const isWrite = call.method !== 'GET';
      const key = isWrite ? (call.options?.idempotencyKey ?? randomHex()) : undefined;
      const init = initOf(call, key);
      const { signal, timeoutMilliseconds, retries } = { ...options, ...defined(call.options) };
      const timeout = (timeoutMilliseconds ?? timeoutDefault) + (call.waitMilliseconds ?? 0);
      for (let left = retries ?? retriesDefault, tried = 0; ; left -= 1, tried += 1) {
        const timer = AbortSignal.timeout(timeout);
        const either = signal === undefined ? timer : AbortSignal.any([signal, timer]);
        try {
          const response = await attempt(url, { ...init, signal: either });
          return { value: await readValue(response), headers: response.headers };
        } catch (error) {
          signal?.throwIfAborted();
          const failure = toError(error, timer.aborted);
          failure.idempotencyKey = key;
          if (left <= 0 || !isWorthRetrying(failure)) throw failure;
          await pause(delayOf(failure, tried), signal);
        }
      }
    },
    async open(call, signal) {
      const url = urlOf(call);
      const init = initOf(call);
      try {
        return await attempt(url, { ...init, signal });
      } catch (error) {
        throw toError(error, false);
      }
    },
  };
}

/** Without what is there and undefined, which would hide a default. */
function defined(options: WriteOptions = {}): WriteOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as WriteOptions;
}

function formatQuery(query: Call['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    // Left out, it would mean everything.
    if (Array.isArray(value) && value.length === 0) throw new TypeError(`No ${name} was given`);
    for (const one of typeof value === 'object' ? value : [value]) {
      parameters.append(name, String(checkIntegers(one)));
    }
  }
  return parameters.toString();
}

/** An id as it stands in a path. */
export function exactId(id: bigint | number): string {
  return String(checkIntegers(id));
}

/** A number that is no exact integer was damaged before it came here. */
function checkIntegers<Value>(value: Value): Value {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`${value} is no exact integer; use a bigint`);
  }
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(checkIntegers);
  return value;
}

async function readValue(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch (cause) {
    throw unexpected(response, cause);
  }
}

function unexpected({ status, headers }: Response, cause?: unknown): AnimalStoreError {
  const requestId = headers.get('x-request-id') ?? undefined;
  const message = `HTTP ${status} with a body that is not the service's`;
  return new AnimalStoreError('unexpected_response', message, {
    httpStatus: status,
    requestId,
    retryAfterSeconds: readRetryAfter(headers),
    cause,
  });
}

async function readError(response: Response): Promise<AnimalStoreError> {
  const { status: httpStatus, headers } = response;
  const body: unknown = await response.json().catch(() => undefined);
  const { code, message } = Object(body);
  if (typeof code !== 'string' || typeof message !== 'string') return unexpected(response);
  return new AnimalStoreError(code, message, {
    httpStatus,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(headers),
  });
}

/** Seconds, or the time until a date. */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

export function toError(error: unknown, isLate: boolean): AnimalStoreError {
  if (error instanceof AnimalStoreError) return error;
  return isLate
    ? new AnimalStoreError('timed_out', 'There was no answer in time', { cause: error })
    : new AnimalStoreError('connection_failed', `The connection failed: ${reasonOf(error)}`, {
        cause: error,
      });
}

/** The innermost cause knows best. */
function reasonOf(error: unknown): string {
  const { message, cause } = Object(error);
  return cause instanceof Error ? reasonOf(cause) : String(message ?? error);
}

/** Whether the service asks for more patience than a call has. */
export function isTooLong({ retryAfterSeconds = 0 }: AnimalStoreError): boolean {
  return retryAfterSeconds > retryAfterSecondsMax;
}

/** Every attempt of a write has the same Idempotency-Key, so that it is done once however often it is sent. */
function isWorthRetrying(failure: AnimalStoreError): boolean {
  const { code, httpStatus = 0 } = failure;
  if (isTooLong(failure)) return false;
  return (
    code === 'connection_failed' ||
    code === 'timed_out' ||
    code === 'idempotency_in_progress' ||
    httpStatus === 429 ||
    httpStatus >= 500
  );
}

/** What the service asks for, or ever longer, by chance: clients that failed together are not to come back together. */
export function delayOf({ retryAfterSeconds }: AnimalStoreError, tried: number): number {
  const longest = Math.min(delayMillisecondsMax, 500 * 2 ** tried);
  const asked = (retryAfterSeconds ?? 0) * 1000;
  return asked + Math.random() * longest;
}

/** Waits, or throws what the signal was aborted with. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
  signal?.throwIfAborted();
}
