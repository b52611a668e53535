import { type Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import type { PoolStatistics } from '../domain/database/database.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database/database-error.ts';
import type { Queryable, Value } from '../storage/queryable.ts';
import { type Statement, toRows } from '../storage/statement.ts';
import { createServerCheck, type ServerCheck } from './check-server.ts';
import { failureOfConnecting, isDisconnection, translateError } from './errors.ts';
import { createHosts, type HostClient, type Hosts } from './hosts.ts';
import { exactTypes, type Location } from './location.ts';
import { toQuery } from './queryable.ts';

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
  readonly reads: Queryable;
  /** A connection of its own, to be closed by whoever asked for it. */
  connect(): Promise<Client>;
  statistics(): PoolStatistics;
}

export function createConnections(options: ConnectionOptions): Connections {
  const { location, connectionsMax, allowDataLoss, takesRestored = false } = options;

  const config = clientConfig(location);
  const hosts = createHosts(location.hosts, config);
  const check = createServerCheck({
    allowDataLoss,
    takesRestored,
    askMillisecondsMax: acquireMillisecondsMax,
  });

  const pool = new Pool({
    ...config,
    Client: hosts.HostClient,
    max: connectionsMax,
    idleTimeoutMillis: idleMillisecondsMax,
  });
  pool.on('error', () => {});

  const takeChecked = createTakeChecked(pool, hosts, check);

  async function acquire() {
    const client = await hosts.onWritable(takeChecked);
    return {
      client,
      release: () => client.release(),
      destroy: () => client.release(true),
    };
  }

  async function runOnce<Row extends object>(
    read: Statement<Row>,
    values: readonly Value[],
  ): Promise<readonly Row[]> {
    const { client, release, destroy } = await acquire();
    let rows: Row[];
    try {
      ({ rows } = await client.query<Row>(toQuery(read, values)));
    } catch (error) {
      destroy();
      throw error;
    }
    release();
    return toRows(read, rows);
  }

  return {
    acquire,
    reads: {
      async all(read, values = []) {
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
      hosts.onWritable(async () => {
        const client = new hosts.HostClient();
        try {
          await client.connect();
          await check(client, hosts.at(client.hostIndex));
          return client;
        } catch (error) {
          hosts.moveOn(client.hostIndex);
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

function clientConfig({ config }: Location): ClientConfig {
  return {
    ...config,
    types: exactTypes,
    application_name: config.application_name ?? 'animal-store',
    // Of two that set the same, the last wins.
    options: [config.options ?? process.env.PGOPTIONS, ownOptions].join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMilliseconds,
    connectionTimeoutMillis: acquireMillisecondsMax,
    // Several statements may be on their way at once: an answer that is not needed for the next is not waited for.
    pipeline: true,
    query_timeout: statementMillisecondsMax,
    statement_timeout: statementMillisecondsMaxOfServer,
    lock_timeout: statementMillisecondsMaxOfServer,
    idle_in_transaction_session_timeout: idleInTransactionMillisecondsMax,
  };
}

/** Takes a connection of the pool whose server was as it should be a moment ago. */
function createTakeChecked(
  pool: Pool,
  hosts: Hosts,
  check: ServerCheck,
): () => Promise<PoolClient> {
  /** When the server of a connection was last found to be as it should be, by `performance.now()`. */
  const checkedAt = new WeakMap<object, number>();

  return async () => {
    const deadline = performance.now() + retryMillisecondsMax;
    for (;;) {
      const candidate = await pool.connect().catch((error) => {
        throw failureOfConnecting(error);
      });
      const foundAt = checkedAt.get(candidate) ?? Number.NEGATIVE_INFINITY;
      if (performance.now() - foundAt < checkHoldsMilliseconds) return candidate;
      const { hostIndex } = candidate as PoolClient & HostClient;
      try {
        await check(candidate, hosts.at(hostIndex));
        checkedAt.set(candidate, performance.now());
        return candidate;
      } catch (error) {
        candidate.release(true);
        if (isDisconnection(error) && checkedAt.has(candidate)) {
          // It ended while nobody used it, which says little of its server.
          if (performance.now() < deadline) continue;
          throw error;
        }
        hosts.moveOn(hostIndex);
        // At start it is for the operator; now it is for whoever asks.
        throw error instanceof DatabaseUnusable
          ? new DatabaseUnavailable(error.message, { cause: error })
          : error;
      }
    }
  };
}
