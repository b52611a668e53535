import { Client, type ClientConfig } from 'pg';
import { background } from '../context/context.ts';
import { repeat } from '../context/repeat.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../storage/contract/database-error.ts';
import { describeError, failureOfConnecting, failureOfQuery, sqlState } from './driver-errors.ts';
import type { Host } from './location.ts';

const noPasswordLine = 'PostgreSQL requires a password: set it in the URL or in PGPASSWORD';

/** Without a password, the driver fails for SCRAM, and otherwise sends an empty or a wrong one, which the server rejects. */
function isPasswordRequired(error: unknown): boolean {
  return sqlState(error) === '28P01' || describeError(error).startsWith('SASL: ');
}

export type Hosts = ReturnType<typeof createHosts>;

/** The hosts of a URL. One of them accepts writes. */
export function createHosts(hosts: readonly Host[], config: ClientConfig) {
  let current = 0;

  /** Makes the next host the current one, unless this one is not current any more. */
  function moveOn({ host, port }: Host): void {
    const isCurrent = host === hosts[current]?.host && port === hosts[current]?.port;
    if (isCurrent) current = (current + 1) % hosts.length;
  }

  /** A client for the current host. Translates all errors of the driver. */
  class HostClient extends Client {
    constructor() {
      super({ ...config, ...hosts[current] });
      // Without a listener, the end of a connection would end the process. The next query reports it.
      this.on('error', () => {});
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error | null) => void): void;
    // Changes the host before the pool gets the error, because the pool then connects again for the next request.
    override connect(callback?: (error: Error | null) => void): unknown {
      if (callback === undefined) {
        return super.connect().catch((error) => {
          throw this.failure(error);
        });
      }
      return super.connect((error: Error | null) => {
        callback(error && (this.failure(error) as Error));
      });
    }

    private failure(error: unknown): unknown {
      moveOn(this);
      return !this.password && isPasswordRequired(error)
        ? new DatabaseUnavailable(noPasswordLine, { cause: error })
        : failureOfConnecting(error);
    }

    // The driver has several forms of `query`. Only those that return a promise are used here.
    override query(...parameters: unknown[]): never {
      const answer: Promise<unknown> = Reflect.apply(super.query, this, parameters);
      return answer.catch((error) => {
        throw failureOfQuery(error);
      }) as never;
    }
  }

  /** Runs an attempt on each host, beginning with the current one, until one succeeds. */
  function onWritable<Result>(attempt: () => Promise<Result>): Promise<Result> {
    let from = current;
    // Another host cannot help if this one works, such as when all connections are in use.
    const isPassing = (error: unknown) => !(error instanceof DatabaseUnusable) && from !== current;
    return repeat(background, { isPassing, attemptsMax: hosts.length }, () => {
      from = current;
      return attempt();
    });
  }

  return { HostClient, moveOn, onWritable };
}
