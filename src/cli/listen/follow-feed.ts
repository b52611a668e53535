import { type AnimalStoreError, isAnimalStoreError } from '../../../client/src/error.ts';
import { readEvents, streamTexts } from '../../../client/src/stream.ts';
import { createTransport } from '../../../client/src/transport.ts';
import { CliFailure } from '../../terminal/cli-failure.ts';
import { printNote } from '../../terminal/print.ts';
import { createForwarder, type ForwardOptions } from './forward.ts';
import { parseEvent } from './parse-event.ts';

interface FollowOptions extends ForwardOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly after: bigint | 'now';
  readonly types: readonly string[] | undefined;
  /** Called with the first position, when the server has accepted the key and the filter. */
  readonly onStart: (position: bigint) => void;
}

/**
 * Posts the events of a feed to a receiver, in order, until the signal aborts.
 * @throws CliFailure if a retry cannot help.
 */
export async function followFeed(options: FollowOptions): Promise<void> {
  const { baseUrl, apiKey, after, types, signal, onStart } = options;
  const forward = createForwarder(options);
  let position: bigint | undefined;
  try {
    const transport = createTransport({ baseUrl, apiKey });
    // A stream retries for ten seconds before it fails. This shows mistakes at once, and returns the position of `now`.
    const check = { after, types, limit: 1, signal, retryMillisecondsMax: 0 };
    const { position: head } = await readEvents(transport, check);
    position = after === 'now' ? head : after;
    onStart(position);
    const watch = {
      ...createStreamWatch(),
      onPosition(scanned: string): void {
        if (/^\d{1,15}$/.test(scanned)) position = BigInt(scanned);
      },
    };
    const start = { after: position, types, signal };
    for await (const text of streamTexts(transport, start, watch)) await forward(parseEvent(text));
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

/** Prints when the stream breaks, and when it continues. The client retries in silence. */
function createStreamWatch() {
  let isLost = false;
  return {
    onOpen(): void {
      if (isLost) printNote('The stream continues.');
      isLost = false;
    },
    onRefused({ httpStatus }: AnimalStoreError): void {
      const fault =
        httpStatus === undefined
          ? 'does not answer (no connection)'
          : `refuses the stream (HTTP ${httpStatus})`;
      if (!isLost) printNote(`The server ${fault}. listen retries.`);
      isLost = true;
    },
  };
}
