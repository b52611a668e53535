import { settlesWithin } from '../context/deadline.ts';
import { andThen } from '../domain/values/awaitable.ts';
import type { App } from './app.ts';
import { reachable } from './public-urls.ts';
import { bodySecondsMax } from './request/read-json.ts';
import type { Transport } from './request-context.ts';

export interface ServerOptions {
  readonly hostname: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly app: App;
  /** How long an idle connection is kept, also one that waits for the rest of a head, from 1 to 240. Bun's timer makes 10 s 8 to 13. */
  readonly keepAliveSeconds?: number;
}

export interface Server extends AsyncDisposable {
  /** The address of the server, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  /**
   * Stops accepting connections, waits for running requests, and closes the rest at the deadline. Returns whether all requests
   * ended before it.
   */
  stop(deadlineMilliseconds: number): Promise<boolean>;
}

const keepAliveSecondsDefault = 10;

/**
 * The same for a connection that waits for the rest of a body. Bun counts from the head, and closes without a response. So this
 * must be longer than the app waits for a body.
 */
const bodyTimeoutSeconds = 2 * bodySecondsMax;

/** The only function that knows the HTTP server. It throws if it cannot listen on the address. */
export function startServer({
  hostname,
  port,
  app,
  keepAliveSeconds = keepAliveSecondsDefault,
}: ServerOptions): Server {
  const server = Bun.serve({
    hostname,
    port,
    // The app never throws. This only prevents the server's own error page with its stack.
    development: false,
    // Outside development, Bun shares the port by default, and a second server would start without an error.
    reusePort: false,
    error: () =>
      new Response('{"code":"internal_error","message":"Internal error","status":500}', {
        status: 500,
        headers: { 'content-type': 'application/json' },
      }),
    idleTimeout: keepAliveSeconds,
    // The app limits bodies itself, because the server's response would have no error body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch(request, bun) {
      if (request.method === 'GET') return app(request, transport);
      if (request.method === 'HEAD') return andThen(app(request, transport), withDate);
      bun.timeout(request, bodyTimeoutSeconds);
      return andThen(app(request, transport), (response) => {
        bun.timeout(request, keepAliveSeconds);
        return response;
      });
    },
  });
  const transport: Transport = {
    addressOf: (request) => server.requestIP(request)?.address,
    closeWhenIdle(request, seconds) {
      server.timeout(request, seconds);
      return { [Symbol.dispose]: () => server.timeout(request, keepAliveSeconds) };
    },
  };
  return {
    origin: reachable(server.url.origin),
    async stop(deadlineMilliseconds) {
      const finished = await settlesWithin(server.stop(), deadlineMilliseconds);
      if (!finished) await server.stop(true);
      return finished;
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

/** Bun adds `Date` to every response except those to HEAD, which need one too (RFC 9110, section 6.6.1). */
function withDate(response: Response): Response {
  response.headers.set('date', new Date().toUTCString());
  return response;
}
