import { Client, Pool, type PoolClient } from 'pg';
import { DatabaseUnavailable, DatabaseUnusable, type PoolStatistics } from '../domain/database.ts';
import { createServerCheck } from './check-server.ts';
import { failureOfAsking, failureOfConnecting, isDisconnection, translateError } from './errors.ts';
import { exactTypes, type Host, type Location } from './location.ts';
import type { Session, Statement } from './statement.ts';

/** Getting a connection, by waiting for a free one or by making one. */
const acquireMillisecondsMax = 1500;
/** One statement. Told to the server as well, somewhat shorter, so that it stops by itself. */
const statementMillisecondsMax = 2000;
const statementMillisecondsMaxOfServer = 1800;
/** A transaction whose client has gone silent is ended by the server. */
const idleInTransactionMillisecondsMax = 5000;
const idleMillisecondsMax = 60_000;
/** After this much silence the network is asked whether the other side is there at all. */
const keepAliveMilliseconds = 10_000;
/** For so long, what was found of a connection's server is taken to hold. */
const checkHoldsMilliseconds = 1000;
/**
 * A read or a transaction whose connection failed is tried again only so soon, so that nobody waits long for a server that
 * comes and goes. Longer than the second after which PostgreSQL notices a deadlock, and shorter than a statement may take.
 */
export const retryMillisecondsMax = 1500;

export const schemaName = 'animal_store';

/** Warnings tell of a commit that went without its standby. */
const ownOptions = `-c search_path=${schemaName} -c client_min_messages=notice`;

/** What a server may answer a client that has not said who it is. */
const passwordEvents = [
  'authenticationCleartextPassword',
  'authenticationMD5Password',
  'authenticationSASL',
] as const;

const noPasswordLine = 'PostgreSQL asks for a password: give it in the address or as PGPASSWORD';

export interface ConnectionOptions {
  readonly location: Location;
  readonly connectionsMax: number;
  /** Takes a server that may lose what it acknowledged. */
  readonly allowDataLoss: boolean;
  /** Takes tables that were restored from a dump, to make them ready for use. */
  readonly takesRestored?: boolean;
}

/** The connections of this process to the one server that takes writes. */
export interface Connections extends AsyncDisposable {
  /** Lends a connection. One that failed is not to be used again: `destroy` ends it. */
  acquire(): Promise<{ client: PoolClient; release(): void; destroy(): void }>;
  /** Runs one statement outside any transaction. Only for reads: one that broke off is tried again. */
  readonly reads: Session;
  /** A connection of its own, to be closed by whoever asked for it. */
  connect(): Promise<Client>;
  statistics(): PoolStatistics;
}

export function createConnections(options: ConnectionOptions): Connections {
  const { location, connectionsMax, allowDataLoss, takesRestored = false } = options;
  const hosts = location.hosts;
  let current = 0;

  const config = {
    ...location.config,
    types: exactTypes,
    application_name: location.config.application_name ?? 'animal-store',
    // Of two that set the same, the last wins.
    options: [location.config.options ?? process.env.PGOPTIONS, ownOptions].join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMilliseconds,
    connectionTimeoutMillis: acquireMillisecondsMax,
    query_timeout: statementMillisecondsMax,
    statement_timeout: statementMillisecondsMaxOfServer,
    lock_timeout: statementMillisecondsMaxOfServer,
    idle_in_transaction_session_timeout: idleInTransactionMillisecondsMax,
  };

  const check = createServerCheck({
    allowDataLoss,
    takesRestored,
    askMillisecondsMax: acquireMillisecondsMax,
  });

  /** Goes to the host that was found to take writes, and tells failures of the driver from mistakes of ours. */
  class HostClient extends Client {
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

  const pool = new Pool({
    ...config,
    Client: HostClient,
    max: connectionsMax,
    idleTimeoutMillis: idleMillisecondsMax,
  });
  pool.on('error', () => {});
  /** When the server of a connection was last found to be as it should be, by `performance.now()`. */
  const checkedAt = new WeakMap<object, number>();

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

  /** A connection of the pool, whose server was as it should be a moment ago. */
  async function takeChecked(): Promise<PoolClient> {
    const deadline = performance.now() + retryMillisecondsMax;
    for (;;) {
      const candidate = await pool.connect().catch((error) => {
        throw failureOfConnecting(error);
      });
      const foundAt = checkedAt.get(candidate) ?? Number.NEGATIVE_INFINITY;
      if (performance.now() - foundAt < checkHoldsMilliseconds) return candidate;
      const { hostIndex } = candidate as PoolClient & HostClient;
      try {
        await check(candidate, hostAt(hostIndex));
        checkedAt.set(candidate, performance.now());
        return candidate;
      } catch (error) {
        candidate.release(true);
        if (isDisconnection(error) && checkedAt.has(candidate)) {
          // It ended while nobody used it, which says little of its server.
          if (performance.now() < deadline) continue;
          throw error;
        }
        moveOn(hostIndex);
        // At start it is for the operator; now it is for whoever asks.
        throw error instanceof DatabaseUnusable
          ? new DatabaseUnavailable(error.message, { cause: error })
          : error;
      }
    }
  }

  async function acquire() {
    const client = await onWritableHost(takeChecked);
    return {
      client,
      release: () => client.release(),
      destroy: () => client.release(true),
    };
  }

  async function runOnce<Row extends object>(
    { name, text }: Statement<Row>,
    values: readonly unknown[],
  ) {
    const { client, release, destroy } = await acquire();
    try {
      const { rows, rowCount } = await client.query<Row>({ name, text, values: [...values] });
      release();
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      destroy();
      throw error;
    }
  }

  return {
    acquire,
    reads: {
      async run(read, values = []) {
        const deadline = performance.now() + retryMillisecondsMax;
        try {
          return await runOnce(read, values);
        } catch (error) {
          if (!isDisconnection(error) || performance.now() > deadline) throw translateError(error);
        }
        // The server was restarted or has ended this connection. Others of the pool may be dead likewise.
        try {
          return await runOnce(read, values);
        } catch (error) {
          throw translateError(error);
        }
      },
    },
    connect: () =>
      onWritableHost(async () => {
        const client = new HostClient();
        try {
          await client.connect();
          await check(client, hostAt(client.hostIndex));
          return client;
        } catch (error) {
          moveOn(client.hostIndex);
          client.end().catch(() => {});
          throw error;
        }
      }),
    statistics: () => ({
      connections: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async [Symbol.asyncDispose]() {
      await pool.end();
    },
  };
}
