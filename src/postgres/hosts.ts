import { Client, type ClientConfig } from 'pg';
import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database/database-error.ts';
import { failureOfConnecting, failureOfQuery } from './errors.ts';
import type { Host } from './location.ts';

/** The requests of a server for a password. */
const passwordEvents = [
  'authenticationCleartextPassword',
  'authenticationMD5Password',
  'authenticationSASL',
] as const;

const noPasswordLine = 'PostgreSQL requires a password: set it in the URL or in PGPASSWORD';

/** A client that knows the index of its host. */
export interface HostClient extends Client {
  readonly hostIndex: number;
}

/** The hosts of a URL. One of them accepts writes. */
export interface Hosts {
  /** Creates a client for the current host. */
  readonly HostClient: new () => HostClient;
  at(index: number): Host;
  /** Makes the next host the current one, unless `from` is not current any more. */
  moveOn(from: number): void;
  /** Runs an attempt on each host, beginning with the current one, until one succeeds. */
  onWritable<Result>(attempt: () => Promise<Result>): Promise<Result>;
}

export function createHosts(hosts: readonly [Host, ...Host[]], config: ClientConfig): Hosts {
  let current = 0;

  function moveOn(from: number): void {
    if (from === current) current = (current + 1) % hosts.length;
  }

  class ClientOfHost extends TranslatingClient implements HostClient {
    readonly hostIndex = current;
    constructor() {
      super({ ...config, ...hosts[current] }, () => moveOn(this.hostIndex));
    }
  }

  async function onWritable<Result>(attempt: () => Promise<Result>): Promise<Result> {
    let failure: unknown;
    for (let tried = 0; tried < hosts.length; tried += 1) {
      const from = current;
      try {
        return await attempt();
      } catch (error) {
        failure = error;
        // Another host cannot help if this one works, such as when all connections are in use.
        if (error instanceof DatabaseUnusable || from === current) break;
      }
    }
    throw failure;
  }

  return {
    HostClient: ClientOfHost,
    at: (index) => hosts[index] ?? hosts[0],
    moveOn,
    onWritable,
  };
}

/** Translates all errors of the driver. */
class TranslatingClient extends Client {
  private wasAskedForPassword = false;
  constructor(
    config: ClientConfig,
    private readonly onConnectFailed: () => void,
  ) {
    super(config);
    // Without a listener, the end of a connection would end the process. The next query reports it.
    this.on('error', () => {});
    for (const event of passwordEvents) {
      this.connection.once(event, () => {
        this.wasAskedForPassword = true;
      });
    }
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
    this.onConnectFailed();
    // Without a password, the driver fails for SCRAM, and sends an empty or a wrong one otherwise.
    return this.wasAskedForPassword && !this.password
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
