import { parseJson } from './json.ts';
import type { StoreEvent } from './stream.ts';

export type WebhookErrorCode =
  | 'missing_header'
  | 'wrong_timestamp'
  | 'wrong_signature'
  | 'invalid_body';

/** The error for a request that is not a webhook delivery with a valid signature. Answer it with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

/** Those of `Request`, of Node.js (`request.headers`), or any object with names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface WebhookOptions {
  /** How far the clock of the service may be from this one, plus the time that the request took; 300 by default. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970, as `Date.now()`. */
  readonly now?: number | undefined;
}

/**
 * Checks a webhook delivery as Standard Webhooks describes, and returns its event with every digit. `rawBody` is the body as it
 * arrived, before any parser: JSON that is parsed and written again can differ. During a rotation, pass both secrets. Throws a
 * `WebhookError`.
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  options: WebhookOptions = {},
): Promise<StoreEvent> {
  const body = toBytes(rawBody);
  const keys = await Promise.all([secret].flat().map(importSecret));
  if (keys.length === 0) throw new TypeError('verifyWebhook needs a secret');
  const id = requireHeader(headers, 'webhook-id');
  const timestamp = requireHeader(headers, 'webhook-timestamp');
  const signatures = requireHeader(headers, 'webhook-signature');
  checkTimestamp(timestamp, options);
  const content = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : undefined;
    if (bytes === undefined) continue;
    for (const key of keys) {
      // It compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, bytes, content)) return parseEvent(body);
    }
  }
  throw new WebhookError(
    'wrong_signature',
    'No signature in webhook-signature was made with this secret and the raw body',
  );
}

function toBytes(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new TypeError('rawBody must be the text or bytes of the body, before a parser reads it');
}

function importSecret(secret: string): Promise<CryptoKey> {
  const [, base64 = ''] = /^whsec_(.+)$/.exec(secret) ?? [];
  const bytes = decodeBase64(base64);
  // The message must not repeat the secret.
  if (bytes === undefined) throw new TypeError('A secret must be whsec_ followed by base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : findHeader(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookError('missing_header', `The request has no header ${name}`);
}

function findHeader(headers: object, name: string): unknown {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function checkTimestamp(
  timestamp: string,
  { toleranceSeconds = 300, now = Date.now() }: WebhookOptions,
): void {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  const age = Math.floor(now / 1000) - seconds;
  if (Math.abs(age) <= toleranceSeconds) return;
  throw new WebhookError(
    'wrong_timestamp',
    Number.isNaN(age)
      ? 'webhook-timestamp must be a number of seconds'
      : `The request was signed ${Math.abs(age)} s ${age > 0 ? 'ago' : 'in the future'}; ${toleranceSeconds} s are allowed`,
  );
}

function parseEvent(body: Uint8Array): StoreEvent {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body)) as StoreEvent;
  } catch (cause) {
    throw new WebhookError('invalid_body', 'The body is not JSON', cause);
  }
}

/** Undefined if the text is not base64, or empty. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
