import { Webhook } from 'standardwebhooks';

/** A request that the receiver got. */
export interface Received {
  readonly id: string;
  readonly body: string;
  /** Whether the signature is right, as the package of Standard Webhooks checks it. */
  readonly isSigned: boolean;
  readonly headers: Headers;
  readonly path: string;
}

export interface Receiver extends Disposable {
  readonly url: string;
  /** All requests, in the order in which they arrived. */
  readonly received: readonly Received[];
  /** Sets the secret with which it checks. */
  setSecret(text: string): void;
}

/** Starts the program of a developer that receives events. `answer` gets the number of the request, from 1. */
export function startReceiver({
  port = 0,
  secret = '',
  answer = (): Response | Promise<Response> => new Response(null, { status: 204 }),
}: {
  port?: number;
  secret?: string;
  answer?: (request: Received, count: number) => Response | Promise<Response>;
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
        body,
        isSigned: isSigned(keys.secret, body, headers),
        headers,
        path: url.slice(new URL(url).origin.length),
      };
      received.push(one);
      return answer(one, received.length);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    setSecret(text) {
      keys.secret = text;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function isSigned(secret: string, body: string, headers: Headers): boolean {
  try {
    new Webhook(secret).verify(body, Object.fromEntries(headers));
    return true;
  } catch {
    return false;
  }
}
