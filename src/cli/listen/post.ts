import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import packageJson from '../../../package.json' with { type: 'json' };
import { timeout } from '../../context/deadline.ts';
import type { SignatureHeaders } from '../../webhooks/signature.ts';

/** As for a webhook, so that a receiver that works here works there. */
const answerSecondsMax = 15;

/** How much of an answer is read, and kept. */
const bodyBytesMax = 65_536;
const excerptBytesMax = 1024;

export type PostResult = { readonly milliseconds: number } & (
  | { readonly outcome: 'answered'; readonly httpStatus: number; readonly excerpt: string }
  /** `unreachable` if there was no connection, so that the receiver has seen nothing. */
  | { readonly outcome: 'unreachable' | 'broken'; readonly reason: string }
);

/** Posts one event once. Throws only if the signal aborts. */
export async function post(
  receiver: URL,
  signature: SignatureHeaders,
  body: string,
  signal: AbortSignal,
  answerMillisecondsMax = answerSecondsMax * 1000,
): Promise<PostResult> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const timer = timeout(answerMillisecondsMax);
  let isConnected = false;
  try {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = {
      ...signature,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': `animal-store/${packageJson.version}`,
    };
    // `fetch` would send events for this machine to the proxy of HTTP_PROXY.
    const send = receiver.protocol === 'https:' ? requestHttps : requestHttp;
    const either = AbortSignal.any([signal, timer]);
    send(receiver, { method: 'POST', headers, agent: false, signal: either }, resolve)
      .on('socket', (socket) => {
        socket.once('connect', () => {
          isConnected = true;
        });
      })
      // Without a listener, an upgraded request would not end, and its signal would do nothing.
      .on('upgrade', (response, socket) => {
        socket.destroy();
        resolve(response);
      })
      .on('error', reject)
      .on('close', () => reject(new Error('the connection was closed without an answer')))
      .end(body);
    const response = await promise;
    const { statusCode: httpStatus = 0 } = response;
    const excerpt = await readExcerpt(response);
    // Bun ends an aborted body of unknown length without an error.
    either.throwIfAborted();
    return { outcome: 'answered', httpStatus, excerpt, milliseconds: elapsed() };
  } catch (error) {
    signal.throwIfAborted();
    const missing = isConnected ? 'complete answer' : 'connection';
    const reason = timer.aborted
      ? `no ${missing} in ${answerMillisecondsMax / 1000} s`
      : reasonOf(error);
    const outcome = isConnected ? 'broken' : 'unreachable';
    return { outcome, reason, milliseconds: elapsed() };
  }
}

/** Reads an answer to its end or its limit, and returns the beginning. */
async function readExcerpt(response: IncomingMessage): Promise<string> {
  let excerpt = Buffer.alloc(0);
  let bytes = 0;
  for await (const part of response) {
    bytes += part.length;
    excerpt = Buffer.concat([excerpt, part.subarray(0, excerptBytesMax - excerpt.length)]);
    if (bytes > bodyBytesMax) break;
  }
  return excerpt.toString();
}

/** Errors about several addresses have no message of their own. */
function reasonOf(error: unknown): string {
  const { message, code } = Object(error);
  return String(message || code || error);
}
