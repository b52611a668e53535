import { startPostgresServer } from '../support/postgres-server.ts';
import { findFreePort } from '../support/proxy-process.ts';
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
  const stack = new AsyncDisposableStack();
  const postgres = stack.use(await startPostgresServer());
  const ports = [findFreePort(), findFreePort()] as const;
  const servers: ServerProcess[] = [];
  const start = async (index: 0 | 1) => {
    servers[index] = stack.use(
      await startServerProcess(`${postgres.url}/postgres`, {
        args: ['--port', String(ports[index]), ...args],
        env: { ANIMAL_STORE_API_KEY: apiKey },
      }),
    );
  };
  await start(0);
  await start(1);
  return {
    postgresUrl: postgres.url,
    ports,
    start,
    stop: async (index, signal) => servers[index]?.stop(signal),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
