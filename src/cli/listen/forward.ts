import { background } from '../../context/context.ts';
import { rest } from '../../context/deadline.ts';
import { repeat } from '../../context/repeat.ts';
import { hideApiKeys } from '../../domain/access/hide-api-keys.ts';
import { isDelivered } from '../../domain/webhook.ts';
import { formatTime, print } from '../../terminal/print.ts';
import type { FeedEvent } from './parse-event.ts';
import { type PostResult, post, reasonOf } from './post.ts';

/** The delays after the first failures of a receiver. It has most time to restart before the last attempt. */
const retryMilliseconds = [500, 1000, 2000] as const;

/** How often listen tries to connect to a receiver that is not there. */
const connectMilliseconds = 1000;

/** How much of the body of a failed answer is printed. */
const bodyCharactersMax = 128;

export interface ForwardOptions {
  readonly receiver: URL;
  readonly secret: string;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The receiver did not get an event, or did not accept it. */
class NotAccepted extends Error {}

const isPassing = (error: unknown) => error instanceof NotAccepted;

/**
 * Creates a function that posts an event until the receiver accepts it, or has failed too often. A receiver that is not there has
 * seen nothing, so it is waited for.
 */
export function createForwarder({ receiver, secret, signal }: ForwardOptions) {
  const untilStopped = { ...background, signal };

  function postWhenReachable(event: FeedEvent): Promise<PostResult> {
    const policy = { isPassing, restMilliseconds: connectMilliseconds };
    return repeat(untilStopped, policy, async (attempt) => {
      const result = await post(receiver, secret, event, signal);
      if (result.wasConnected) return result;
      const reason = reasonOf(result);
      if (attempt === 1) printResult(event, result, `${reason}; waiting for the receiver`);
      throw new NotAccepted(reason);
    });
  }

  return async (event: FeedEvent): Promise<void> => {
    let delay: number | undefined;
    const wait = () => rest(delay ?? 0, signal);
    await repeat(untilStopped, { isPassing, wait }, async (attempt) => {
      const result = await postWhenReachable(event);
      const fault = faultOf(result);
      if (fault === undefined) return printResult(event, result);
      delay = retryMilliseconds[attempt - 1];
      const next =
        delay === undefined
          ? `skipped after ${attempt} attempts`
          : `next attempt in ${delay / 1000} s`;
      printResult(event, result, `${fault}; ${next}`);
      if (delay !== undefined) throw new NotAccepted(fault);
    });
  };
}

/** Why the receiver did not accept the event. Undefined if it did. */
function faultOf(result: PostResult): string | undefined {
  const { httpStatus, responseExcerpt = '' } = result.outcome;
  if (httpStatus === undefined) return reasonOf(result);
  if (isDelivered(result.outcome)) return undefined;
  if (httpStatus >= 300 && httpStatus < 400) return 'redirects are not followed';
  return toLine(responseExcerpt) || 'no body';
}

/** The beginning of a body on one line, without API keys. `print` escapes the control characters. */
function toLine(excerpt: string): string {
  const line = hideApiKeys(excerpt).replaceAll(/\s+/g, ' ').trim();
  const characters = [...line];
  if (characters.length <= bodyCharactersMax) return line;
  return `${characters.slice(0, bodyCharactersMax).join('')}…`;
}

function printResult(event: FeedEvent, result: PostResult, note?: string): void {
  const cells = [
    formatTime(Date.now()),
    String(event.sequence),
    event.type,
    event.record,
    String(result.outcome.httpStatus ?? '-'),
    `${Math.round(result.milliseconds)} ms`,
  ];
  print((note === undefined ? cells : [...cells, note]).join('  '));
}
