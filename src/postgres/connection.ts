import { Client, Pool, type PoolClient } from 'pg';
import { DatabaseUnavailable, DatabaseUnusable, type PoolStatistics } from '../domain/database.ts';
import { failureOfAsking, failureOfConnecting, isDisconnection, translateError } from './errors.ts';
import { exactTypes, type Host, type Location } from './location.ts';
import { type Session, type Statement, statement } from './statement.ts';

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
  const { location, connectionsMax, allowDataLoss } = options;
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
  const checked = new WeakSet<object>();

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

  async function acquire() {
    const client = await onWritableHost(async () => {
      const candidate = await pool.connect().catch((error) => {
        throw failureOfConnecting(error);
      });
      if (checked.has(candidate)) return candidate;
      const { hostIndex } = candidate as PoolClient & HostClient;
      try {
        await checkServer(candidate, hosts[hostIndex] ?? hosts[0], allowDataLoss);
        checked.add(candidate);
        return candidate;
      } catch (error) {
        moveOn(hostIndex);
        candidate.release(true);
        // At start it is for the operator; now it is for whoever asks.
        throw error instanceof DatabaseUnusable
          ? new DatabaseUnavailable(error.message, { cause: error })
          : error;
      }
    });
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
          await checkServer(client, hosts[client.hostIndex] ?? hosts[0], allowDataLoss);
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

const selectServerState = statement<ServerState>(`
  SELECT pg_is_in_recovery() AS "isStandby",
    current_setting('fsync', true) AS fsync,
    current_setting('full_page_writes', true) AS full_page_writes,
    current_setting('synchronous_commit', true) AS synchronous_commit`);

interface ServerState {
  readonly isStandby: boolean;
  readonly fsync: string | null;
  readonly full_page_writes: string | null;
  readonly synchronous_commit: string | null;
}

const durabilitySettings = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** Refuses a server that takes no writes, or would forget them. */
async function checkServer(
  client: Client | PoolClient,
  { host, port }: Host,
  allowDataLoss: boolean,
): Promise<void> {
  const { rows } = await client.query<ServerState>({ ...selectServerState });
  const state = rows[0];
  if (state === undefined || state.isStandby) {
    throw new DatabaseUnavailable(`${host}:${port} is a standby and takes no writes`);
  }
  const off = durabilitySettings.filter((name) => state[name] === 'off');
  if (off.length > 0 && !allowDataLoss) {
    throw new DatabaseUnusable(
      `PostgreSQL at ${host}:${port} runs with ${off.map((name) => `${name}=off`).join(', ')} and may lose what it acknowledged; turn it on, or accept that with --allow-data-loss true`,
    );
  }
}
