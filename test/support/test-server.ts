import { type Server, startServer } from '../../src/http/server.ts';
import type { AppOptions } from '../../src/http/services.ts';
import { connect, nextTurn } from './raw-connection.ts';
import { openTestApp, type TestApp } from './test-app.ts';

/** The whole service behind a real socket on a free port. */
export interface TestServer extends AsyncDisposable {
  readonly app: TestApp;
  readonly port: number;
  /** Method and address of every request that the app received, in order. */
  readonly dispatched: readonly string[];
  /**
   * Sends pieces of text, each after the previous one was sent, and reads until the server closes.
   * In both directions, a character is a byte.
   */
  exchange(...pieces: readonly string[]): Promise<string>;
  /** Sends pieces of text, resets the connection, and waits until no request is running. */
  abandon(...pieces: readonly string[]): Promise<void>;
}

export async function openTestServer(options: Partial<AppOptions> = {}): Promise<TestServer> {
  const app = await openTestApp({ newRequestId: () => 'test', ...options });
  const handled: Promise<unknown>[] = [];
  const dispatched: string[] = [];
  const server: Server = startServer({
    hostname: '127.0.0.1',
    port: 0,
    app(request, peerAddress) {
      dispatched.push(`${request.method} ${request.url}`);
      const answering = Promise.resolve(app.app(request, peerAddress));
      handled.push(answering);
      return answering;
    },
  });
  const port = Number(new URL(server.origin).port);

  return {
    app,
    port,
    dispatched,
    async exchange(...pieces) {
      const connection = await connect(port);
      await connection.send(pieces);
      return connection.received;
    },
    async abandon(...pieces) {
      const count = handled.length;
      const connection = await connect(port);
      await connection.send(pieces);
      while (handled.length === count) await nextTurn();
      connection.terminate();
      await Promise.allSettled(handled);
    },
    async [Symbol.asyncDispose]() {
      await server.stop(0);
      await app[Symbol.asyncDispose]();
    },
  };
}
