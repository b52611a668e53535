import { type AnimalStoreError, isAnimalStoreError } from '../../../client/src/error.ts';
import { readEvents, streamTexts } from '../../../client/src/stream.ts';
import { createTransport } from '../../../client/src/transport.ts';
import { CliFailure } from '../../terminal/cli-failure.ts';
import { printNote } from '../../terminal/print.ts';
import { createForwarder } from './forward.ts';
import { parseEvent } from './parse-event.ts';

/** Where the events come from. */
interface FeedOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly after: bigint | 'now';
  readonly types: readonly string[] | undefined;
}

interface FollowOptions {
  readonly feed: FeedOptions;
  readonly receiver: URL;
  readonly secret: string;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Called with the first position, when the server has accepted the key and the filter. */
  readonly onStart: (position: bigint) => void;
}

/**
 * Posts the events of a feed to a receiver, in order, until the signal aborts.
 * @throws CliFailure if a retry cannot help.
 */
export async function followFeed(options: FollowOptions): Promise<void> {
  const { feed, receiver, secret, signal, onStart } = options;
  const { baseUrl, apiKey, after, types } = feed;
  const forward = createForwarder({ receiver, secret, signal });
  let position: bigint | undefined;
  try {
    const transport = createTransport({ baseUrl, apiKey, fetch: createWatchedFetch(signal) });
    // A stream retries for ten seconds before it fails. This shows mistakes at once, and returns the position of `now`.
    const check = { after, types, limit: 1, signal, retryMillisecondsMax: 0 };
    const { position: head } = await readEvents(transport, check);
    position = after === 'now' ? head : after;
    onStart(position);
    const onPosition = (scanned: string): void => {
      if (/^\d{1,15}$/.test(scanned)) position = BigInt(scanned);
    };
    for await (const text of streamTexts(
      transport,
      { after: position, types, signal },
      onPosition,
    )) {
      await forward(parseEvent(text));
    }
  } catch (error) {
    const isExpired = isAnimalStoreError(error, 'cursor_expired');
    if (position !== undefined && !isExpired) printNote(`To continue, add --after ${position}.`);
    if (signal.aborted) return;
    // A server refuses this start only if it keeps no events.
    if (isExpired && position === undefined && after === 'now') {
      const need = 'listen needs a server with --event-days of 1 or more';
      throw new CliFailure(`${error.message}. ${need}`);
    }
    throw isAnimalStoreError(error) ? toCliFailure(error, baseUrl) : error;
  }
}

function toCliFailure(error: AnimalStoreError, baseUrl: string): CliFailure {
  const { code, httpStatus, message } = error;
  switch (code) {
    case 'connection_failed':
    case 'timed_out':
    case 'unexpected_response':
      return new CliFailure(`No animal store answers at ${baseUrl}: ${message}`);
    case 'missing_api_key':
    case 'invalid_api_key':
      return new CliFailure(`${baseUrl} does not accept this API key: ${message}`);
    case 'cursor_expired':
      return new CliFailure(`${message}. --after now begins with the next event`);
    default:
      return new CliFailure(`${baseUrl} answers ${httpStatus} ${code}: ${message}`);
  }
}

/** A `fetch` that reports when the stream breaks, and when it continues. The client retries in silence. */
function createWatchedFetch(signal: AbortSignal): typeof fetch {
  let hasAnswered = false;
  let isLost = false;

  function report(fault: string | undefined): void {
    if (fault === undefined && isLost) printNote('The stream continues.');
    if (fault !== undefined && hasAnswered && !isLost && !signal.aborted) {
      printNote(`The server ${fault}. listen retries.`);
    }
    hasAnswered ||= fault === undefined;
    isLost = hasAnswered && fault !== undefined;
  }

  async function send(...request: Parameters<typeof fetch>): Promise<Response> {
    try {
      const response = await fetch(...request);
      const { status } = response;
      report(status === 429 || status >= 500 ? `refuses the stream (HTTP ${status})` : undefined);
      return response;
    } catch (error) {
      report('does not answer (no connection)');
      throw error;
    }
  }
  return Object.assign(send, { preconnect: fetch.preconnect });
}
