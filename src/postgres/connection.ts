import { type Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import type { PoolStatistics } from '../domain/database/database.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database/database-error.ts';
import type { Queryable, Value } from '../storage/queryable.ts';
import { type Statement, toRows } from '../storage/statement.ts';
import { createServerCheck, type ServerCheck } from './check-server.ts';
import { failureOfConnecting, isDisconnection, translateError } from './errors.ts';
import { createHosts, type HostClient, type Hosts } from './hosts.ts';
import { exactTypes, type Location, parseLocation } from './location.ts';
import { toQuery } from './queryable.ts';

/** How long to wait for a free or new connection. */
const acquireMillisecondsMax = 1500;
/** How long a statement may take. The limit of the server is shorter, so that the server stops the statement first. */
const statementMillisecondsMax = 2000;
const statementMillisecondsMaxOfServer = 1800;
/** The server ends a transaction whose client is silent for this long. */
const idleInTransactionMillisecondsMax = 5000;
const idleMillisecondsMax = 60_000;
/** After this much silence, TCP checks whether the other side still exists. */
const keepAliveMilliseconds = 10_000;
/** How long the check of a server holds for a connection. */
const checkHoldsMilliseconds = 1000;
/**
 * A read or a transaction whose connection failed is retried only within this time, so that clients do not wait long for an
 * unstable server. It is longer than the second after which PostgreSQL detects a deadlock, and shorter than a statement may take.
 */
export const retryMillisecondsMax = 1500;

export const schemaName = 'animal_store';

/** The notices include the warning that a commit did not reach its standby. */
const ownOptions = `-c search_path=${schemaName} -c client_min_messages=notice`;

export interface ConnectionOptions {
  readonly location: Location;
  readonly connectionsMax: number;
  /** Accepts a server that can lose committed data. */
  readonly allowDataLoss: boolean;
  /** Accepts tables that were restored from a dump, to prepare them for use. */
  readonly takesRestored?: boolean;
}

/** A connection of the pool. After a failure, `destroy` ends it; otherwise `release` returns it to the pool. */
interface Lease {
  readonly client: PoolClient;
  release(): void;
  destroy(): void;
}

/** The connections of this process to the server that accepts writes. */
export interface Connections extends AsyncDisposable {
  acquire(): Promise<Lease>;
  /** Runs one statement outside a transaction. Only for reads: a read is retried if its connection fails. */
  readonly reads: Queryable;
  /** Opens a connection outside the pool. The caller closes it. */
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

  async function acquire(): Promise<Lease> {
    const client = await hosts.onWritable(takeChecked);
    return {
      client,
      release: () => client.release(),
      destroy: () => client.release(true),
    };
  }

  return {
    acquire,
    reads: createReads(acquire),
    connect: () => hosts.onWritable(() => connectOnce(hosts, check)),
    statistics: () => ({
      connections: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/** Opens connections one at a time, for a command. */
export function openSingle(
  url: string,
  options: Pick<ConnectionOptions, 'allowDataLoss' | 'takesRestored'>,
): Connections {
  return createConnections({ ...options, location: parseLocation(url), connectionsMax: 1 });
}

function createReads(acquire: () => Promise<Lease>): Queryable {
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
    async all(read, values = []) {
      const deadline = performance.now() + retryMillisecondsMax;
      try {
        return await runOnce(read, values);
      } catch (error) {
        if (!isDisconnection(error) || performance.now() > deadline) throw translateError(error);
      }
      // The server restarted or ended this connection. Other connections of the pool may be dead too.
      try {
        return await runOnce(read, values);
      } catch (error) {
        throw translateError(error);
      }
    },
  };
}

async function connectOnce(hosts: Hosts, check: ServerCheck): Promise<Client> {
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
}

function clientConfig({ config }: Location): ClientConfig {
  return {
    ...config,
    types: exactTypes,
    application_name: config.application_name ?? 'animal-store',
    // If two options set the same parameter, the last one wins.
    options: [config.options ?? process.env.PGOPTIONS, ownOptions].join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMilliseconds,
    connectionTimeoutMillis: acquireMillisecondsMax,
    // Sends several statements without waiting for the result of each.
    pipeline: true,
    query_timeout: statementMillisecondsMax,
    statement_timeout: statementMillisecondsMaxOfServer,
    lock_timeout: statementMillisecondsMaxOfServer,
    idle_in_transaction_session_timeout: idleInTransactionMillisecondsMax,
  };
}

/** Takes a connection of the pool whose server passed the check a moment ago. */
function createTakeChecked(
  pool: Pool,
  hosts: Hosts,
  check: ServerCheck,
): () => Promise<PoolClient> {
  /** When the server of a connection last passed the check, by `performance.now()`. */
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
          // It ended while it was idle, which says little about its server.
          if (performance.now() < deadline) continue;
          throw error;
        }
        hosts.moveOn(hostIndex);
        // At start, this is an error for the operator. Now it is one for a client.
        throw error instanceof DatabaseUnusable
          ? new DatabaseUnavailable(error.message, { cause: error })
          : error;
      }
    }
  };
}
