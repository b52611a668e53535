import { Webhook } from 'standardwebhooks';

/** A request that the receiver got. */
export interface Received {
  readonly id: string;
  /** Not of a `webhook.test`. */
  readonly sequence: number;
  readonly body: string;
  /** Whether the signature is right, as the package of Standard Webhooks checks it. */
  readonly isSigned: boolean;
  readonly headers: Headers;
  readonly path: string;
}

export interface Receiver extends Disposable {
  readonly url: string;
  /** All requests, in the order in which they arrived. */
  readonly received: Received[];
  sequences(): number[];
  /** Gets the number of the request too, from 1. */
  answer: (request: Received, count: number) => Response | Promise<Response>;
  /** Sets the secret with which it checks. */
  setSecret(text: string): void;
}

/** Starts the program of a developer that receives events. By default, it answers with 204. */
export function startReceiver({
  port = 0,
  secret = '',
  answer = (): Response | Promise<Response> => new Response(null, { status: 204 }),
}: {
  port?: number;
  secret?: string;
  answer?: Receiver['answer'];
} = {}): Receiver {
  const received: Received[] = [];
  const keys = { secret };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    async fetch(request): Promise<Response> {
      const body = await request.text();
      const { headers, url } = request;
      const one: Received = {
        id: headers.get('webhook-id') ?? '',
        sequence: JSON.parse(body).sequence,
        body,
        isSigned: isSigned(keys.secret, body, headers),
        headers,
        path: url.slice(new URL(url).origin.length),
      };
      received.push(one);
      return receiver.answer(one, received.length);
    },
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    sequences: () => received.map(({ sequence }) => sequence),
    answer,
    setSecret(text) {
      keys.secret = text;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
  return receiver;
}

function isSigned(secret: string, body: string, headers: Headers): boolean {
  try {
    new Webhook(secret).verify(body, Object.fromEntries(headers));
    return true;
  } catch {
    return false;
  }
}
