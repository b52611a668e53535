import { andThen } from '../domain/values/awaitable.ts';
import type { App } from './app.ts';
import { bodySecondsMax } from './request/read-json.ts';
import type { Transport } from './request/request-head.ts';

export interface ServerOptions {
  readonly hostname: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly app: App;
}

export interface Server extends AsyncDisposable {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  /**
   * Stops accepting, lets what runs finish, and closes whatever is still open at the deadline.
   * Returns whether everything finished by itself.
   */
  stop(deadlineMilliseconds: number): Promise<boolean>;
}

/**
 * Seconds after which a connection is closed that waits for a request, or for the rest of its head. Bun looks at this
 * every four seconds, so that it may be 8 or 13.
 */
const idleTimeoutSeconds = 10;

/**
 * The same for one that waits for the rest of a body: Bun counts from the head, whatever comes after it, and closes
 * without a word. So this only has to be longer than the app waits, which then answers.
 */
const bodyTimeoutSeconds = 2 * bodySecondsMax;

/** The only place that knows which HTTP server runs the app. It throws when the address cannot be had. */
export function startServer({ hostname, port, app }: ServerOptions): Server {
  const server = Bun.serve({
    hostname,
    port,
    // The app never throws; this only keeps the server's own error page, with its stack, out of reach.
    development: false,
    // Outside development, Bun shares the port by default, and a second server would go unnoticed.
    reusePort: false,
    error: () =>
      new Response('{"code":"internal_error","message":"Internal error","status":500}', {
        status: 500,
        headers: { 'content-type': 'application/json' },
      }),
    idleTimeout: idleTimeoutSeconds,
    // The app counts bodies itself, because the server's refusal would come without the Error shape.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch(request, bun) {
      if (request.method === 'GET') return app(request, transport);
      if (request.method === 'HEAD') return andThen(app(request, transport), withDate);
      bun.timeout(request, bodyTimeoutSeconds);
      return andThen(app(request, transport), (response) => {
        bun.timeout(request, idleTimeoutSeconds);
        return response;
      });
    },
  });
  const transport: Transport = {
    addressOf: (request) => server.requestIP(request)?.address,
    closeWhenIdle(request, seconds) {
      server.timeout(request, seconds);
      return { [Symbol.dispose]: () => server.timeout(request, idleTimeoutSeconds) };
    },
  };
  return {
    origin: server.url.origin,
    async stop(deadlineMilliseconds) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), deadlineMilliseconds);
      server.stop().then(() => resolve(true));
      const finished = await promise;
      clearTimeout(timer);
      if (!finished) await server.stop(true);
      return finished;
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

/** Bun dates every answer but those to HEAD, which RFC 9110 (section 6.6.1) wants dated as well. */
function withDate(response: Response): Response {
  response.headers.set('date', new Date().toUTCString());
  return response;
}
