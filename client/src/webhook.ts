import { parseJson } from './json.ts';
import type { StoreEvent } from './stream.ts';

export type WebhookErrorCode =
  | 'missing_header'
  | 'wrong_timestamp'
  | 'wrong_signature'
  | 'invalid_body';

/** What `POST /webhooks/{webhookId}/test` sends. It is no event of the feed, so that it has no `sequence` and no record. */
export interface WebhookTestEvent {
  readonly id: string;
  readonly type: 'webhook.test';
  readonly timestamp: string;
  readonly data: Readonly<Record<string, never>>;
}

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
): Promise<StoreEvent | WebhookTestEvent> {
  const body = toBytes(rawBody);
  const keys = await Promise.all([secret].flat().map(importSecret));
  if (keys.length === 0) throw new TypeError('verifyWebhook needs a secret');
  const id = requireHeader(headers, 'webhook-id');
  const timestamp = requireHeader(headers, 'webhook-timestamp');
  const signatures = requireHeader(headers, 'webhook-signature');
  checkTimestamp(timestamp, options);
  const content = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  // Once for each secret: the header of any client can have thousands of signatures.
  const digests = await Promise.all(keys.map((key) => crypto.subtle.sign('HMAC', key, content)));
  const isSigned = signatures.split(' ').some((signature) => {
    const bytes = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : undefined;
    return bytes !== undefined && digests.some((digest) => isEqual(new Uint8Array(digest), bytes));
  });
  if (isSigned) return parseEvent(body);
  throw new WebhookError(
    'wrong_signature',
    'No signature in webhook-signature was made with this secret and the raw body',
  );
}

function toBytes(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  // Not a TypeError, because requests can cause it: frameworks pass something else if a request has no body or another type.
  throw new WebhookError(
    'invalid_body',
    'rawBody must be the text or bytes of the body, before a parser reads it',
  );
}

function importSecret(secret: string): Promise<CryptoKey> {
  const [, base64 = ''] = /^whsec_(.+)$/.exec(secret) ?? [];
  const bytes = decodeBase64(base64);
  // The message must not repeat the secret.
  if (bytes === undefined) throw new TypeError('A secret must be whsec_ followed by base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
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

function parseEvent(body: Uint8Array): StoreEvent | WebhookTestEvent {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return parseJson(text) as StoreEvent | WebhookTestEvent;
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

/** Takes a time that does not depend on the bytes. */
function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
