import { findFreePort } from '../support/free-port.ts';
import { replaceEach } from '../support/replace-each.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { onPostgres, type PostgresDatabase, type StartOptions } from './databases.ts';
import type { TestOutcome } from './long-test.ts';

/** Two servers that share one PostgreSQL database. */
export interface TwoServers {
  readonly database: PostgresDatabase;
  readonly ports: readonly [number, number];
  /** Ends a server with a signal. Returns its exit code or the signal. */
  stop(index: 0 | 1, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null | undefined>;
  /** Starts it again on its port, as the given program if there is one. */
  start(index: 0 | 1, program?: readonly string[]): Promise<void>;
}

/** For nginx before them. All clients have the same address, so the limit for each address would reject them. */
export function withoutLimit(site: string): string {
  return replaceEach(site, [['rate=100r/s', 'rate=100000r/s']]);
}

export interface TwoServersOptions {
  /** Of both servers. */
  readonly args?: readonly string[];
  /** Fills the empty database before the servers start. */
  readonly fill?: (url: string) => Promise<void>;
}

export function onTwoServers(
  run: (servers: TwoServers) => Promise<TestOutcome>,
  { args = [], fill }: TwoServersOptions = {},
): Promise<TestOutcome> {
  return onPostgres(async (database) => {
    await using started = new AsyncDisposableStack();
    const ports = [findFreePort(), findFreePort()] as const;
    const servers: ServerProcess[] = [];
    const start: TwoServers['start'] = async (index, program) => {
      const options: StartOptions = { args: ['--port', String(ports[index]), ...args] };
      const server = await database.start(
        program === undefined ? options : { ...options, program },
      );
      servers[index] = started.use(server);
    };
    await fill?.(database.url);
    await start(0);
    await start(1);
    const stop: TwoServers['stop'] = async (index, signal) => servers[index]?.stop(signal);
    return await run({ database, ports, start, stop });
  });
}
