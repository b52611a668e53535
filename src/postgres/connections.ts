import { type Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import { checkContext, createContext, shorten } from '../context/context.ts';
import { repeat } from '../context/repeat.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../storage/contract/database-error.ts';
import type { Snapshot } from '../storage/queryable.ts';
import type { Within } from '../storage/within.ts';
import { statementMillisecondsMax } from './begin-writing.ts';
import { createServerCheck, type ServerCheck, type ServerCheckOptions } from './check-server.ts';
import { createQueryable } from './client-queryable.ts';
import { failureOfConnecting, isDisconnection } from './driver-errors.ts';
import { createHosts, type Hosts } from './hosts.ts';
import { exactTypes, type Location, parseLocation } from './location.ts';
import { openStandbyReads } from './standby/standby-reads.ts';

/** How long to wait for a free or new connection. */
const acquireMillisecondsMax = 1500;
const idleMillisecondsMax = 60_000;
/** After this much silence, TCP checks whether the other side still exists. */
const keepAliveMilliseconds = 10_000;
/** How long the check of a server holds for a connection. A server that became a standby since then refuses writes itself. */
const checkHoldsMilliseconds = 1000;
/**
 * A read or a transaction whose connection failed is retried only within this time, so that clients do not wait long for an
 * unstable server. It is longer than the second after which PostgreSQL detects a deadlock, and shorter than a statement may take.
 */
export const retryMillisecondsMax = 1500;

/** For reading a table. It is far too long for most tables, because a copy that reaches it has to start again. */
const snapshotStatementMillisecondsMax = 6 * 60 * 60_000;

/** Between reads, earlier rows may be written to a slow disk. */
const snapshotIdleMillisecondsMax = 60_000;

export type Connections = ReturnType<typeof openConnections>;

interface ConnectionsOptions extends ServerCheckOptions {
  readonly connectionsMax?: number;
  /** Lets reads come from a standby while no host accepts writes. It is called when one accepts them again. */
  readonly onPrimaryBack?: (() => void) | undefined;
}

/** The connections of this process to the server that accepts writes. Commands use one at a time. */
export function openConnections(url: string, options: ConnectionsOptions) {
  const location = parseLocation(url);
  const config = clientConfig(location);
  const hosts = createHosts(location.hosts, config);
  const check = createServerCheck(options);
  const pool = new Pool({
    ...config,
    Client: hosts.HostClient,
    max: options.connectionsMax ?? 1,
    idleTimeoutMillis: idleMillisecondsMax,
  });
  pool.on('error', () => {});
  const use = createUse(hosts, createTakeChecked(pool, hosts, check));
  const primaryReads = createPrimaryReads(use);
  /** Opens a connection outside the pool. The caller closes it. */
  const connect = () => hosts.onWritable(() => connectOnce(hosts, check));
  const { onPrimaryBack: onBack, report = () => {} } = options;
  const standbyReads =
    onBack &&
    openStandbyReads(
      primaryReads,
      location.hosts.map((host) => ({ ...config, ...host })),
      { connect, check, onBack, report },
    );

  return {
    use,
    connect,
    reads: standbyReads?.reads ?? primaryReads,
    /** Undefined if nothing is read from a standby. */
    standbyReads,
    statistics: () => ({
      connections: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all([pool.end(), standbyReads?.[Symbol.asyncDispose]()]);
    },
  };
}

type Use = <Result>(run: (client: PoolClient) => Promise<Result>) => Promise<Result>;

/**
 * Returns a function that runs another one on a connection of the pool. If it fails, the connection ends, which rolls a transaction
 * back, and is right for a doubtful connection too.
 */
function createUse(hosts: Hosts, takeChecked: () => Promise<PoolClient>): Use {
  return async (run) => {
    const client = await hosts.onWritable(takeChecked);
    try {
      const result = await run(client);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
}

/** If a server restarted or ended a connection, others of the pool may be dead too. */
const readRepeats = { attemptsMax: 2, isPassing: isDisconnection };

/** Runs one statement outside a transaction. Only for reads: a read is repeated if its connection fails. */
function createPrimaryReads(use: Use): Within {
  return (context) => ({
    async all(read, values) {
      const run = () =>
        use(async (client) => {
          checkContext(context);
          return await createQueryable(client).all(read, values);
        });
      return await repeat(shorten(context, retryMillisecondsMax), readRepeats, run);
    },
  });
}

/** Opens a connection that sees the state of one moment. */
export async function openSnapshot(connections: Connections): Promise<Snapshot> {
  const client = await connections.connect();
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL search_path = pg_catalog;
      SET LOCAL statement_timeout = ${snapshotStatementMillisecondsMax};
      SET LOCAL idle_in_transaction_session_timeout = ${snapshotIdleMillisecondsMax}`);
  } catch (error) {
    // The connection may have ended already.
    client.end().catch(() => {});
    throw error;
  }
  return {
    ...createQueryable(client, snapshotStatementMillisecondsMax),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function connectOnce(hosts: Hosts, check: ServerCheck): Promise<Client> {
  const client = new hosts.HostClient();
  try {
    await client.connect();
    await check(client);
    return client;
  } catch (error) {
    hosts.moveOn(client);
    // The connection may have ended already.
    client.end().catch(() => {});
    throw error;
  }
}

function clientConfig({ config }: Location): ClientConfig {
  return {
    ...config,
    types: exactTypes,
    application_name: config.application_name ?? 'animal-store',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMilliseconds,
    connectionTimeoutMillis: acquireMillisecondsMax,
    // Sends several statements without waiting for the result of each.
    pipeline: true,
    // The limits of the server are no parameters of the start, because a pooler refuses or drops those.
    query_timeout: statementMillisecondsMax,
  };
}

/** Takes a connection of the pool whose server passed the check a moment ago. */
function createTakeChecked(pool: Pool, hosts: Hosts, check: ServerCheck) {
  /** When the server of a connection last passed the check, by `performance.now()`. */
  const checkedAt = new WeakMap<object, number>();

  return (): Promise<PoolClient> => {
    const taking = createContext({ millisecondsMax: retryMillisecondsMax });
    let endedWhileIdle = false;
    return repeat(taking, { isPassing: () => endedWhileIdle }, async () => {
      endedWhileIdle = false;
      const candidate = await pool.connect().catch((error) => {
        throw failureOfConnecting(error);
      });
      const foundAt = checkedAt.get(candidate) ?? Number.NEGATIVE_INFINITY;
      if (performance.now() - foundAt < checkHoldsMilliseconds) return candidate;
      try {
        await check(candidate);
        checkedAt.set(candidate, performance.now());
        return candidate;
      } catch (error) {
        candidate.release(true);
        // It says little about the server.
        endedWhileIdle = isDisconnection(error) && checkedAt.has(candidate);
        if (endedWhileIdle) throw error;
        hosts.moveOn(candidate);
        // At start, this is an error for the operator. Now it is one for a client.
        throw error instanceof DatabaseUnusable
          ? new DatabaseUnavailable(error.message, { cause: error })
          : error;
      }
    });
  };
}
