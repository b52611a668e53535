import { type CreateData, createAdvice } from '../domain/database/create-data.ts';
import type { Database } from '../domain/database/database.ts';
import type { Reads } from '../domain/database/registry.ts';
import {
  type CommandQueueLimits,
  createCommandQueue,
  defaultCommandQueueLimits,
} from '../storage/commands/command-queue.ts';
import { commitGroup, type PendingCommand } from '../storage/commands/commit-group.ts';
import { createDatabase } from '../storage/database.ts';
import { createReads } from '../storage/registry.ts';
import { type Migrated, type PrepareOptions, schemaVersion } from '../storage/schema/migrate.ts';
import { createConnections } from './connection.ts';
import { watchDataVersion } from './data-version.ts';
import { parseLocation } from './location.ts';
import { noDataLine, prepareTables } from './migrate.ts';
import { createTransact } from './transaction.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/name`, with several hosts where one takes over from another. */
  readonly url: string;
  /** A server migrates the tables, and hears of others' commits as they happen; commands do neither. */
  readonly asServer: boolean;
  /** Rejects a database without tables. */
  readonly mustExist?: boolean;
  /** Whether to create the tables if there are none; `auto` unless given, which is `always` here. */
  readonly createData?: CreateData;
  /** Runs before data is made or migrated, which it can prevent by an error. */
  readonly beforeChange?: () => Promise<void>;
  /** Called where there was no data and its tables were made. */
  readonly onMade?: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Connections of this process at once, beside one to listen on. */
  readonly connectionsMax?: number | undefined;
  /** For how long what was read is taken to hold without asking again; 0 asks every time. */
  readonly staleMillisecondsMax?: number | undefined;
  /** Takes a server that may lose what it acknowledged. */
  readonly allowDataLoss?: boolean;
  readonly limits?: Partial<CommandQueueLimits>;
}

const connectionsMaxDefault = 10;
const staleMillisecondsMaxDefault = 500;

/** From the arrival of a write to its answer. */
const waitMillisecondsMax = 4500;

/**
 * Opens a PostgreSQL database, making its tables first, or migrating them for a server.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openPostgresDatabase(options: PostgresOptions): Promise<Database> {
  const { asServer, now, limits, connectionsMax = connectionsMaxDefault } = options;
  const location = parseLocation(options.url);
  await using opening = new AsyncDisposableStack();
  const {
    mustExist = false,
    createData = 'auto',
    onMade = () => {},
    allowDataLoss = false,
    staleMillisecondsMax = staleMillisecondsMaxDefault,
  } = options;
  const connections = opening.use(createConnections({ location, connectionsMax, allowDataLoss }));
  const version = await prepareTables(connections, {
    ...(mustExist ? { refusalIfMissing: noDataLine } : refusalUnlessCreated(createData)),
    older: asServer ? 'migrated' : 'refused',
    beforeChange: options.beforeChange,
    now: now(),
  });
  if (version === 0) onMade();
  const watched = opening.use(
    watchDataVersion({ connections, staleMillisecondsMax, listens: asServer }),
  );
  const transact = createTransact(connections, watched.committed);
  const queue = createCommandQueue({
    limits: {
      ...defaultCommandQueueLimits,
      waitMillisecondsMax,
      // Each holds a connection that reads would use.
      transactionsMax: Math.max(1, Math.floor(connectionsMax / 2)),
      ...limits,
    },
    commit: (group) => commitGroup(transact, group),
    partitionOf,
  });
  opening.use(queue);
  const open = opening.move();
  return createDatabase({
    queryable: connections.reads,
    queue,
    dataVersion: watched.current,
    staleMillisecondsMax,
    // Whatever fails here comes back by itself.
    broken: new Promise(() => {}),
    statistics: async () => ({ pool: connections.statistics() }),
    close: () => open.disposeAsync(),
  });
}

/**
 * Commands about one workspace hold its row: those of a lane would wait for each other. Of all others, those of one name hold
 * rows in one order; with others beside them they might not.
 */
function partitionOf({ name, input }: PendingCommand): string {
  const { workspaceId } = input as { readonly workspaceId?: bigint };
  return workspaceId === undefined ? name : String(workspaceId);
}

/**
 * Opens a PostgreSQL database to read from alone.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openPostgresReader(
  url: string,
  allowDataLoss: boolean,
): Promise<Reads & AsyncDisposable> {
  const location = parseLocation(url);
  await using opening = new AsyncDisposableStack();
  const connections = opening.use(
    createConnections({ location, connectionsMax: 1, allowDataLoss }),
  );
  await prepareTables(connections, { refusalIfMissing: noDataLine, now: 0 });
  const open = opening.move();
  return {
    ...createReads(connections.reads),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/**
 * Brings a PostgreSQL database to this program's schema, while servers of the version before go on. Tables that are missing
 * are made: by the role that owns them, for others that may not.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function migratePostgres(
  url: string,
  {
    allowDataLoss,
    createData,
    now,
  }: {
    readonly allowDataLoss: boolean;
    readonly createData: CreateData;
    readonly now: number;
  },
): Promise<Migrated> {
  const location = parseLocation(url);
  await using connections = createConnections({ location, connectionsMax: 1, allowDataLoss });
  const options = { ...refusalUnlessCreated(createData), older: 'migrated', now } as const;
  return { from: await prepareTables(connections, options), to: schemaVersion };
}

function refusalUnlessCreated(createData: CreateData): Pick<PrepareOptions, 'refusalIfMissing'> {
  return createData === 'never' ? { refusalIfMissing: `${noDataLine}: ${createAdvice}` } : {};
}
