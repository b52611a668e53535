import { findFreePort } from '../support/free-port.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { apiKey } from './sqlite-rig.ts';

/** Two servers that share one PostgreSQL database. */
export interface TwoServers extends AsyncDisposable {
  readonly postgresUrl: string;
  readonly ports: readonly [number, number];
  /** Ends a server with a signal, and returns its exit code or the signal. */
  stop(index: 0 | 1, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null | undefined>;
  /** Starts it again on its port. */
  start(index: 0 | 1): Promise<void>;
}

export async function startTwoServers(args: readonly string[] = []): Promise<TwoServers> {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await startPostgresServer());
  const ports = [findFreePort(), findFreePort()] as const;
  const servers: ServerProcess[] = [];
  const start = async (owner: AsyncDisposableStack, index: 0 | 1) => {
    servers[index] = owner.use(
      await startServerProcess(`${postgres.url}/postgres`, {
        args: ['--port', String(ports[index]), ...args],
        env: { ANIMAL_STORE_API_KEY: apiKey },
      }),
    );
  };
  await start(stack, 0);
  await start(stack, 1);
  const running = stack.move();
  return {
    postgresUrl: postgres.url,
    ports,
    start: (index) => start(running, index),
    stop: async (index, signal) => servers[index]?.stop(signal),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
