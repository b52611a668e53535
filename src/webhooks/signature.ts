import { createHmac } from 'node:crypto';
import type { RandomBytes } from '../domain/values/base62.ts';

// The scheme of Standard Webhooks 1.0:
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

const secretPrefix = 'whsec_';

/** The specification allows 24 to 64. */
const secretBytes = 32;

const secretForm = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The headers of a delivery that a receiver checks. */
export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export interface SignedMessage {
  /** The same in each attempt to deliver the message. It contains no dot. */
  readonly id: string;
  /** The time of this attempt, in whole seconds since 1970. */
  readonly timestampSeconds: number;
  /** Exactly what is sent. */
  readonly body: string;
}

export function makeWebhookSecret(randomBytes: RandomBytes): string {
  return secretPrefix + Buffer.from(randomBytes(secretBytes)).toString('base64');
}

/** Whether a text is a secret that receivers accept: a prefix, and 24 to 64 bytes in base64. */
export function isWebhookSecret(text: string): boolean {
  const { length } = keyOf(text);
  return secretForm.test(text) && length >= 24 && length <= 64;
}

/**
 * Signs a message with each secret, so that receivers can change from one to the other while both are valid. A receiver accepts
 * the message if one signature is right.
 */
export function signMessage(secrets: readonly string[], message: SignedMessage): SignatureHeaders {
  const { id, timestampSeconds, body } = message;
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestampSeconds}.${body}`);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64');
}
