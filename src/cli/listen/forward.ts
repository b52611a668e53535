import { pause } from '../../../client/src/retry.ts';
import { hideApiKeys } from '../../domain/access/hide-api-keys.ts';
import { formatTime, print } from '../../terminal/print.ts';
import { signMessage } from '../../webhooks/signature.ts';
import type { FeedEvent } from './parse-event.ts';
import { type PostResult, post } from './post.ts';

/** The delays after the first failures of a receiver. It has most time to restart before the last attempt. */
const retryMilliseconds = [500, 1000, 2000] as const;

/** How often listen tries to connect to a receiver that is not there. */
const connectMilliseconds = 1000;

/** How much of the body of a failed answer is printed. */
const bodyCharactersMax = 128;

interface ForwardOptions {
  readonly receiver: URL;
  readonly secret: string;
  readonly signal: AbortSignal;
}

/**
 * Creates a function that posts an event until the receiver accepts it, or has failed too often. A receiver that is not there has
 * seen nothing, so it is waited for.
 */
export function createForwarder({ receiver, secret, signal }: ForwardOptions) {
  return async (event: FeedEvent): Promise<void> => {
    const { id, text: body } = event;
    let failures = 0;
    let isWaiting = false;
    for (;;) {
      const timestampSeconds = Math.floor(Date.now() / 1000);
      const headers = signMessage([secret], { id, timestampSeconds, body });
      const result = await post(receiver, headers, body, signal);
      if (result.outcome === 'unreachable') {
        if (!isWaiting) printResult(event, result, `${result.reason}; waiting for the receiver`);
        isWaiting = true;
        await pause(connectMilliseconds, signal);
        continue;
      }
      isWaiting = false;
      const reason = faultOf(result);
      if (reason === undefined) return printResult(event, result);
      const delay = retryMilliseconds[failures];
      failures += 1;
      if (delay === undefined) {
        return printResult(event, result, `${reason}; skipped after ${failures} attempts`);
      }
      printResult(event, result, `${reason}; next attempt in ${delay / 1000} s`);
      await pause(delay, signal);
    }
  };
}

/** Why the receiver did not accept the event. Undefined if it did. */
function faultOf(result: PostResult): string | undefined {
  if (result.outcome !== 'answered') return result.reason;
  const { httpStatus, excerpt } = result;
  if (httpStatus >= 200 && httpStatus < 300) return undefined;
  if (httpStatus >= 300 && httpStatus < 400) return 'redirects are not followed';
  return toLine(excerpt) || 'no body';
}

/** The beginning of a body on one line, without API keys. `print` escapes the control characters. */
function toLine(excerpt: string): string {
  const line = hideApiKeys(excerpt).replaceAll(/\s+/g, ' ').trim();
  const characters = [...line];
  if (characters.length <= bodyCharactersMax) return line;
  return `${characters.slice(0, bodyCharactersMax).join('')}…`;
}

function printResult(event: FeedEvent, result: PostResult, note?: string): void {
  const httpStatus = result.outcome === 'answered' ? String(result.httpStatus) : '-';
  const cells = [
    formatTime(Date.now()),
    String(event.sequence),
    event.type,
    event.record,
    httpStatus,
    `${Math.round(result.milliseconds)} ms`,
  ];
  print((note === undefined ? cells : [...cells, note]).join('  '));
}
