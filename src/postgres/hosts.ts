import { Client, type ClientConfig } from 'pg';
import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database/database-error.ts';
import { failureOfAsking, failureOfConnecting, translateError } from './errors.ts';
import type { Host } from './location.ts';

/** What a server may answer a client that has not said who it is. */
const passwordEvents = [
  'authenticationCleartextPassword',
  'authenticationMD5Password',
  'authenticationSASL',
] as const;

const noPasswordLine = 'PostgreSQL requires a password: set it in the URL or in PGPASSWORD';

/** A client that knows which of the hosts it goes to. */
export interface HostClient extends Client {
  readonly hostIndex: number;
}

/** The hosts of an address, of which one takes writes. */
export interface Hosts {
  /** A client of the host that was last found to take writes. It tells failures of the driver from mistakes of ours. */
  readonly HostClient: new () => HostClient;
  at(index: number): Host;
  /** The next connection goes to another host, unless somebody has moved on already. */
  moveOn(from: number): void;
  /** Tries the hosts in turn, beginning with the one that was right the last time. */
  onWritable<Result>(attempt: () => Promise<Result>): Promise<Result>;
}

export function createHosts(hosts: readonly [Host, ...Host[]], config: ClientConfig): Hosts {
  let current = 0;

  /** Goes to the host that was found to take writes, and tells failures of the driver from mistakes of ours. */
  class ClientOfHost extends Client implements HostClient {
    readonly hostIndex = current;
    private wasAskedForPassword = false;
    constructor() {
      super({ ...config, ...hosts[current] });
      // Without a listener, the end of a connection would be the end of the process. Whoever uses the
      // connection learns of it by the failure of what was asked.
      this.on('error', () => {});
      for (const event of passwordEvents) {
        this.connection.once(event, () => {
          this.wasAskedForPassword = true;
        });
      }
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error | null) => void): void;
    // Moves on before the pool hears of a failure, which then connects for whoever waits.
    override connect(callback?: (error: Error | null) => void): unknown {
      if (callback === undefined) {
        return super.connect().catch((error) => {
          throw this.failure(error);
        });
      }
      return super.connect((error: Error | null) => {
        callback(error && this.failure(error));
      });
    }

    private failure(error: unknown): Error {
      moveOn(this.hostIndex);
      // By SCRAM the driver fails where it has none; else it sends an empty or a wrong one.
      return this.wasAskedForPassword && !this.password
        ? new DatabaseUnavailable(noPasswordLine, { cause: error })
        : failureOfConnecting(error);
    }

    // Of all the ways in which the driver lets itself be asked, this is for those that return a promise.
    override query(...parameters: unknown[]): never {
      const answer: Promise<unknown> = Reflect.apply(super.query, this, parameters);
      return answer.catch((error) => {
        throw failureOfAsking(error);
      }) as never;
    }
  }

  function hostAt(index: number): Host {
    return hosts[index] ?? hosts[0];
  }

  /** The next connection goes to another host, unless somebody has moved on already. */
  function moveOn(from: number): void {
    if (from === current) current = (current + 1) % hosts.length;
  }

  /** Tries the hosts in turn, beginning with the one that was right the last time. */
  async function onWritableHost<Result>(attempt: () => Promise<Result>): Promise<Result> {
    let failure: unknown;
    for (let tried = 0; tried < hosts.length; tried += 1) {
      const from = current;
      try {
        return await attempt();
      } catch (error) {
        failure = error;
        // Where nothing is wrong with the host, such as when all connections are in use, another is no better.
        if (error instanceof DatabaseUnusable || from === current) break;
      }
    }
    throw failure instanceof DatabaseUnusable ? failure : translateError(failure);
  }

  return { HostClient: ClientOfHost, at: hostAt, moveOn, onWritable: onWritableHost };
}
