import type { EventData, EventEnvelope, EventType } from './contract.ts';
import { AnimalStoreError, isAnimalStoreError } from './error.ts';
import { parseJson } from './json.ts';
import { delayOf, isRetryable, pause, planRetries } from './retry.ts';
import {
  type Call,
  type CallOptions,
  exactId,
  type RequestOptions,
  type Transport,
  toError,
} from './transport.ts';

interface EventOf<Type extends string, Data> extends EventEnvelope {
  readonly type: Type;
  /** The record after the change or, if it was deleted, before it. */
  readonly data: Data;
  /** Of an update: the members that changed, as they were; `null` for one that was absent. */
  readonly previous?: { readonly [Member in keyof Data]?: Data[Member] | null };
}

/**
 * A type that this version of the client does not know. TypeScript cannot express "every string except these". A pattern that no
 * known type matches lets `event.type === 'pet.created'` narrow; read the value as a `string`.
 */
export type UnknownEventType = `?${string}`;

/** A change of a kind that is newer than this version of the client: skip it. */
export type UnknownEvent = EventOf<UnknownEventType, Readonly<Record<string, unknown>>>;

/** A change. Its `type` narrows its `data`. */
export type StoreEvent =
  | { readonly [Type in EventType]: EventOf<Type, EventData[Type]> }[EventType]
  | UnknownEvent;

/** A position in the feed: the sequence of the last event that was seen, 0, or `now`. */
export type Position = bigint | number | 'now';

type KindOf<Type> = Type extends `${infer Kind}.${string}` ? Kind : never;

/** A type, or all types of a kind. A newer service knows more than these. */
export type EventFilter = EventType | `${KindOf<EventType>}.*` | (string & {});

/** A record, such as `pet:5`. A newer service knows more kinds. */
export type RecordFilter =
  | `${Exclude<KindOf<EventType>, 'feed' | 'webhook'>}:${bigint}`
  | (string & {});

/** Which events, from which position on. */
interface EventSelection {
  /** By default the oldest event that is kept. */
  readonly after?: Position | undefined;
  readonly types?: readonly EventFilter[] | undefined;
  /** Only events of this record, and `feed.reset`. */
  readonly record?: RecordFilter | undefined;
  /** Only events with this `actor`, such as `key:3`. */
  readonly actor?: string | undefined;
}

export interface StreamOptions extends EventSelection, RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The service sends something every 15 s: a connection that is silent for longer is lost. */
const silenceMillisecondsMax = 45_000;

/** A stream ends with the error if the service asks it to wait longer than this. */
const retryAfterSecondsMax = 60;

/** The service's own delay between connections is honoured within these limits. */
const reconnectMillisecondsMin = 500;
const reconnectMillisecondsMax = 10_000;

/** In UTF-16 units. An event of the service is shorter. */
const messageLengthMax = 2 ** 20;

/**
 * Events as they happen, each once and in order, over as many connections as necessary. It ends with its signal or an error. A
 * failed connection is an error only if no connection has succeeded before.
 */
export async function* streamEvents(
  transport: Transport,
  options: StreamOptions,
): AsyncGenerator<StoreEvent, void, undefined> {
  for await (const text of streamTexts(transport, options)) yield parseEvent(text);
}

/** What happens to a stream besides its events. */
interface StreamWatch {
  /** Gets the position after each event that the caller has processed, and after events that the filter left out. */
  readonly onPosition?: (position: string) => void;
  /** A connection delivers events. */
  readonly onOpen?: () => void;
  /** A connection could not be opened. It is retried. */
  readonly onRefused?: (error: AnimalStoreError) => void;
}

/** The same as JSON, with every byte as the service sent it. */
export async function* streamTexts(
  transport: Transport,
  { after, types, record, actor, signal, ...options }: StreamOptions,
  { onPosition, onOpen, onRefused }: StreamWatch = {},
): AsyncGenerator<string, void, undefined> {
  let position: string | undefined =
    typeof after === 'bigint' || typeof after === 'number' ? exactId(after) : after;
  let wasConnected = false;
  let reconnectMilliseconds = 1000;
  const delayBeforeFirst = planRetries(transport.retryMillisecondsMax);
  for (let failures = 0; ; failures += 1) {
    let delay: number;
    let isOpen = false;
    const connection = new AbortController();
    const abort = () => connection.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const query = { after: position, type: types, record, actor };
      const call = { method: 'GET', path: '/events/stream', query, options } as const;
      const open = () => {
        wasConnected = true;
        isOpen = true;
        onOpen?.();
      };
      for await (const block of readBlocks(transport, call, connection, open)) {
        signal?.throwIfAborted();
        const { id, data, retry } = fieldsOf(block);
        if (retry !== undefined) {
          const milliseconds = Math.min(Number(retry) || 0, reconnectMillisecondsMax);
          reconnectMilliseconds = Math.max(milliseconds, reconnectMillisecondsMin);
        }
        if (data !== undefined) yield data;
        if (id === undefined) continue;
        // Only now: a caller that breaks out of its loop has not processed the event.
        position = id;
        onPosition?.(id);
        failures = 0;
      }
      // The service ended it, and has sent the delay.
      delay = reconnectMilliseconds;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isAnimalStoreError(error) || !isRetryable(error)) throw error;
      if ((error.retryAfterSeconds ?? 0) > retryAfterSecondsMax) throw error;
      const next = wasConnected
        ? reconnectMillisecondsMin + delayOf(error, failures)
        : delayBeforeFirst(error);
      if (next === undefined) throw error;
      delay = next;
      if (!isOpen) onRefused?.(error);
    } finally {
      signal?.removeEventListener('abort', abort);
      connection.abort();
    }
    await pause(delay, signal);
  }
}

function parseEvent(text: string): StoreEvent {
  try {
    return parseJson(text) as StoreEvent;
  } catch (cause) {
    throw new AnimalStoreError('unexpected_response', 'An event is not valid JSON', { cause });
  }
}

/** The blocks of one connection. A connection that is silent for too long is lost, also at its start. */
async function* readBlocks(
  transport: Transport,
  call: Call,
  connection: AbortController,
  onOpen: () => void,
): AsyncGenerator<string, void, undefined> {
  const inTime = async <Value>(waiting: Promise<Value>): Promise<Value> => {
    const timer = setTimeout(() => connection.abort(), silenceMillisecondsMax);
    return await waiting.finally(() => clearTimeout(timer));
  };
  const response = await inTime(transport.open(call, connection.signal));
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    throw new AnimalStoreError('unexpected_response', 'The response is not a stream of events');
  }
  onOpen();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let end = '';
  for (;;) {
    const part = await inTime(reader?.read() ?? Promise.resolve(undefined)).catch((error) => {
      throw toError(error);
    });
    if (part === undefined || part.done) {
      // A delay counts without the end of its block.
      const [retry] = /^retry: [0-9]+(?=\n)/m.exec(text) ?? [];
      if (retry !== undefined) yield retry;
      return;
    }
    text += part.value;
    // Only the new part is searched, because a message can arrive in many parts.
    const searched = end + part.value;
    end = searched.slice(-1);
    if (searched.includes('\n\n')) {
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      yield* blocks;
    }
    if (text.length > messageLengthMax) {
      const message = 'A message of the stream is longer than 1 MiB';
      throw new AnimalStoreError('unexpected_response', message);
    }
  }
}

/** The fields of a block by their names. A text can contain every character except a line feed. */
function fieldsOf(block: string): Partial<Record<'id' | 'data' | 'retry', string>> {
  const pairs = block.split('\n').map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  return Object.fromEntries(pairs);
}

export interface EventsRequest extends EventSelection, CallOptions {
  readonly limit?: number | undefined;
  /** Seconds to wait if there is no event yet. */
  readonly wait?: number | undefined;
}

export interface EventsAnswer {
  readonly events: readonly StoreEvent[];
  /** The position for the next call. */
  readonly position: bigint;
}

export async function readEvents(
  transport: Transport,
  { after, types, record, actor, limit, wait = 0, ...options }: EventsRequest,
): Promise<EventsAnswer> {
  const { value, headers } = await transport.call({
    method: 'GET',
    path: '/events',
    query: { after, type: types, record, actor, limit, wait },
    waitMilliseconds: wait * 1000,
    options,
  });
  const position = headers.get('last-event-id') ?? '';
  if (!Array.isArray(value) || !/^\d+$/.test(position)) {
    throw new AnimalStoreError('unexpected_response', 'The response is not a list with a position');
  }
  return { events: value as StoreEvent[], position: BigInt(position) };
}
