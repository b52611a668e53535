import type { Category, eventTypes, Order, Pet } from './contract.ts';
import { AnimalStoreError, isAnimalStoreError } from './error.ts';
import { parseJson } from './json.ts';
import {
  type CallOptions,
  delayOf,
  exactId,
  pause,
  type QueryValue,
  type Transport,
} from './transport.ts';

export type EventType = (typeof eventTypes)[number];

interface EventOf<Type extends EventType, Data> {
  readonly id: string;
  /** Its place in the feed, and the position after it. */
  readonly sequence: bigint;
  readonly type: Type;
  readonly timestamp: string;
  readonly requestId?: string;
  /** The record after the change or, if it was deleted, before it. */
  readonly data: Data;
  /** Of an update: the members that changed, as they were; `null` for one that was absent. */
  readonly previous?: { readonly [Member in keyof Data]?: Data[Member] | null };
}

/** A change. There may be types that this version of the client does not know: skip them. */
export type StoreEvent =
  | EventOf<'pet.created' | 'pet.updated' | 'pet.deleted', Pet>
  | EventOf<'order.created' | 'order.updated', Order>
  | EventOf<'category.created' | 'category.updated' | 'category.deleted', Category>
  | EventOf<'feed.reset', Record<string, never>>;

/** A position in the feed: the sequence of the last event that was seen, 0, or `now`. */
export type Position = bigint | number | 'now';

export type EventFilter = EventType | 'pet.*' | 'order.*' | 'category.*' | 'feed.*';

export interface StreamOptions {
  /** Where to begin; with the oldest event that is kept, unless it is said. */
  readonly after?: Position | undefined;
  readonly types?: readonly EventFilter[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The service sends something every 15 s: a connection that is quiet for so long is lost. */
const silenceMillisecondsMax = 45_000;

/** Events as they happen, each once and in order, over as many connections as it takes. It ends with its signal or an error. */
export async function* streamEvents(
  transport: Transport,
  { after, types, signal }: StreamOptions,
): AsyncGenerator<StoreEvent, void, undefined> {
  let position: string | undefined =
    typeof after === 'bigint' || typeof after === 'number' ? exactId(after) : after;
  for (let failures = 0; ; failures += 1) {
    let failure = new AnimalStoreError('connection_failed', 'The stream ended');
    const connection = new AbortController();
    const leave = () => connection.abort(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      signal?.throwIfAborted();
      const query: Record<string, QueryValue | undefined> = { after: position, type: types };
      const call = { method: 'GET', path: '/events/stream', query } as const;
      const response = await transport.open(call, connection.signal);
      for await (const block of readBlocks(response, connection)) {
        failures = 0;
        const data = fieldOf(block, 'data');
        if (data !== undefined) yield parseEvent(data);
        // Only now: who leaves while dealing with an event has not dealt with it.
        position = fieldOf(block, 'id') ?? position;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isAnimalStoreError(error)) failure = error;
      if (!isPassing(failure)) throw failure;
    } finally {
      signal?.removeEventListener('abort', leave);
      connection.abort();
    }
    await pause(delayOf(failure, failures), signal);
  }
}

/** What a new connection may help against. A key that is refused and a position that has expired are for the caller. */
function isPassing({ httpStatus = 0, code }: AnimalStoreError): boolean {
  return code === 'connection_failed' || httpStatus === 429 || httpStatus >= 500;
}

function parseEvent(text: string): StoreEvent {
  try {
    return parseJson(text) as StoreEvent;
  } catch (cause) {
    throw new AnimalStoreError('unexpected_response', "The stream is not the service's", { cause });
  }
}

async function* readBlocks(response: Response, connection: AbortController) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const timer = setTimeout(() => connection.abort(), silenceMillisecondsMax);
    const part = await reader?.read().finally(() => clearTimeout(timer));
    if (part === undefined || part.done) return;
    const blocks = (text + part.value).split('\n\n');
    text = blocks.pop() ?? '';
    yield* blocks;
  }
}

function fieldOf(block: string, name: string): string | undefined {
  const line = block.split('\n').find((candidate) => candidate.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}

export interface EventsRequest extends CallOptions {
  readonly after?: Position | undefined;
  readonly types?: readonly EventFilter[] | undefined;
  readonly limit?: number | undefined;
  /** For how many seconds to wait where there is no event yet. */
  readonly wait?: number | undefined;
}

export interface EventsAnswer {
  readonly events: readonly StoreEvent[];
  /** Where to go on from. */
  readonly position: bigint;
}

export async function readEvents(
  transport: Transport,
  { after, types, limit, wait = 0, ...options }: EventsRequest,
): Promise<EventsAnswer> {
  const { value, headers } = await transport.call({
    method: 'GET',
    path: '/events',
    query: { after, type: types, limit, wait },
    waitMilliseconds: wait * 1000,
    options,
  });
  return {
    events: value as StoreEvent[],
    position: BigInt(headers.get('last-event-id') ?? 0),
  };
}
