import { AnimalStoreError } from './error.ts';
import { parseJson } from './json.ts';

/** The rate limit of the key, as of a response. */
export interface RateLimit {
  /** Requests in each window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Requests that remain. */
  readonly remaining: number;
  /** The seconds over which the remaining requests may be spread. If none remain, the seconds until the next one. */
  readonly resetSeconds: number;
}

/** The metadata of a response. */
export interface ResponseInfo {
  /** The HTTP status. */
  readonly status: number;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Undefined if the key has no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** Whether the service returned the stored response of an earlier request with the same `Idempotency-Key`. */
  readonly isReplayed: boolean;
  readonly headers: Headers;
}

export function describeResponse({ status, headers }: Response): ResponseInfo {
  return {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    rateLimit: readRateLimit(headers),
    isReplayed: headers.get('idempotent-replayed') === 'true',
    headers,
  };
}

function readRateLimit(headers: Headers): RateLimit | undefined {
  const text = `${headers.get('ratelimit-policy')};${headers.get('ratelimit')}`;
  const [limit, windowSeconds, remaining, resetSeconds] = ['q', 'w', 'r', 't'].map((name) => {
    const digits = new RegExp(`; *${name}=(\\d+)`).exec(text)?.[1];
    return digits === undefined ? undefined : Number(digits);
  });
  if (limit === undefined || windowSeconds === undefined) return undefined;
  if (remaining === undefined || resetSeconds === undefined) return undefined;
  return { limit, windowSeconds, remaining, resetSeconds };
}

/** Seconds, or the time until a date. */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

export function readValue(response: Response, text: string): unknown {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch (cause) {
    throw unexpected(response, cause);
  }
}

/** In UTF-16 units. The errors of the service are shorter. */
const errorLengthMax = 65_536;

export async function readError(response: Response): Promise<AnimalStoreError> {
  // An answer without JSON is not of the service, which the error says.
  const body: unknown = await readStart(response, errorLengthMax)
    .then(JSON.parse)
    .catch(() => undefined);
  const { code, message } = Object(body);
  if (typeof code !== 'string' || typeof message !== 'string') return unexpected(response);
  return new AnimalStoreError(code, message, detailsOf(response));
}

/** Reads a body up to a limit, because another service could send one without an end. */
async function readStart({ body }: Response, lengthMax: number): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length <= lengthMax) {
    const part = await reader?.read();
    if (part === undefined || part.done) return text;
    text += part.value;
  }
  await reader?.cancel();
  return text;
}

function unexpected(response: Response, cause?: unknown): AnimalStoreError {
  const message = `HTTP ${response.status} with a body that is not the service's`;
  return new AnimalStoreError('unexpected_response', message, { ...detailsOf(response), cause });
}

function detailsOf({ status, headers }: Response) {
  return {
    httpStatus: status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(headers),
  };
}
