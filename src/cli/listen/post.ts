import packageJson from '../../../package.json' with { type: 'json' };
import { type Exchange, exchange } from '../../webhooks/send.ts';
import type { FeedEvent } from './parse-event.ts';

export interface PostResult extends Exchange {
  readonly milliseconds: number;
}

/**
 * Posts one event once, as a server does to a webhook: a receiver that works here works there. Any address can be called, and
 * nothing is sent to a proxy. Rejects only if the signal is aborted.
 */
export async function post(
  url: URL,
  secret: string,
  { id, text }: Pick<FeedEvent, 'id' | 'text'>,
  signal: AbortSignal,
): Promise<PostResult> {
  const startedAt = performance.now();
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const target = { url, host, port, isPermitted: true };
  const attempt = { url: url.href, eventId: id, secrets: [secret], body: text };
  const options = { version: packageJson.version, now: Date.now };
  const result = await exchange(target, attempt, options, signal);
  return { ...result, milliseconds: performance.now() - startedAt };
}

/** Why no response arrived. */
export function reasonOf({ outcome, wasConnected, cause }: Exchange): string {
  if (outcome.error === 'timeout') return `no ${wasConnected ? 'answer' : 'connection'} in time`;
  // Errors about several addresses have no message of their own.
  const { message, code } = Object(cause);
  return outcome.responseExcerpt ?? (message || code || 'the connection was closed');
}
