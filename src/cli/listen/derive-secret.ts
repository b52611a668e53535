import { scryptSync } from 'node:crypto';
import { makeWebhookSecret } from '../../webhooks/signature.ts';

/** A cost that OWASP recommends for passwords, because the operator of a server can choose its API key. */
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 };

/**
 * The secret of `listen` for an API key. The same key always gives the same secret, so that a receiver keeps working after a restart,
 * and neither side needs a file. The secret does not reveal the key.
 */
export function deriveSecret(apiKey: string): string {
  return makeWebhookSecret((bytes) => scryptSync(apiKey, 'animal-store listen', bytes, cost));
}
