/** One block of server-sent events. A comment has neither data nor id. */
export interface Frame {
  readonly id?: number;
  readonly data?: string;
  readonly retry?: number;
}

export interface StreamOptions {
  readonly apiKey: string;
  /** Such as `?after=now`. */
  readonly query?: string;
  readonly lastEventId?: number;
}

/** A client of the stream, written with `fetch`. */
interface EventStream extends AsyncDisposable {
  readonly response: Response;
  /** The next event. Its id is the position after it. Undefined at the end of the stream. */
  nextEvent(): Promise<{ readonly id: number; readonly data: string } | undefined>;
  /** Waits until lines after the last block contain a text, such as a comment. */
  waitFor(part: string): Promise<void>;
  /** The next block of any kind. */
  nextFrame(): Promise<Frame | undefined>;
}

/** Opens a stream at an origin such as `http://127.0.0.1:8080`. */
export async function openStream(
  origin: string,
  { apiKey, query = '', lastEventId }: StreamOptions,
): Promise<EventStream> {
  const leaving = new AbortController();
  const response = await fetch(`${origin}/v1/events/stream${query}`, {
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
    signal: leaving.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';

  async function nextFrame(): Promise<Frame | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        return parseFrame(block);
      }
      const read = await reader?.read();
      if (read === undefined || read.done) {
        // A delay counts without the end of its block.
        const [retry] = /^retry: [0-9]+(?=\n$)/m.exec(text) ?? [];
        text = '';
        return retry === undefined ? undefined : parseFrame(retry);
      }
      text += read.value;
    }
  }

  return {
    response,
    nextFrame,
    async waitFor(part) {
      while (!text.includes(part)) {
        const read = await reader?.read();
        if (read === undefined || read.done) throw new Error(`The stream ended before ${part}`);
        text += read.value;
      }
    },
    async nextEvent() {
      for (;;) {
        const frame = await nextFrame();
        if (frame === undefined) return undefined;
        const { id, data } = frame;
        if (id !== undefined && data !== undefined) return { id, data };
      }
    },
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await reader?.cancel().catch(() => {});
    },
  };
}

function parseFrame(block: string): Frame {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
    }),
  );
  const number = (name: string) => (fields.has(name) ? Number(fields.get(name)) : undefined);
  const [id, retry, data] = [number('id'), number('retry'), fields.get('data')];
  return {
    ...(id === undefined ? {} : { id }),
    ...(data === undefined ? {} : { data }),
    ...(retry === undefined ? {} : { retry }),
  };
}
