import {
  createCommandQueue,
  defaultCommandQueueLimits,
} from '../storage/commands/command-queue.ts';
import { commitGroup, workspaceOf } from '../storage/commands/commit-group.ts';
import type { PendingCommand } from '../storage/contract/command-writer.ts';
import type { CreateData } from '../storage/contract/create-data.ts';
import type { Database } from '../storage/contract/database.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../storage/contract/database-error.ts';
import type { Durability } from '../storage/contract/durability.ts';
import type { Reads } from '../storage/contract/reads-and-commands.ts';
import { createDatabase } from '../storage/create-database.ts';
import { createAdvice, type OpenOptions, reportPrepared } from '../storage/open-options.ts';
import { createReads, removesAccess } from '../storage/registry.ts';
import {
  type Migrated,
  type PrepareOptions,
  schemaVersion,
} from '../storage/schema/prepare-schema.ts';
import { connectionOf } from './begin-writing.ts';
import { type Listening, watchDataVersion } from './commit-notices.ts';
import { type Connections, openConnections } from './connections.ts';
import { readTables } from './identity.ts';
import { noDataLine, openExisting, prepareTables } from './prepare-tables.ts';
import { createTransact } from './run-transaction.ts';

export interface PostgresOptions extends OpenOptions {
  /** `postgres://user:password@host:port/name`, with several hosts if one can take over from another. */
  readonly url: string;
  /** The size of the pool. A server has one more connection to listen on. */
  readonly connectionsMax?: number | undefined;
  /** How long reads may be reused without a check for commits of other processes; 0 checks every time. */
  readonly staleMillisecondsMax?: number | undefined;
  /** What the server must promise about commits; `checked` by default. */
  readonly durability?: Durability;
  /** The same database without a connection pooler, for notices of commits. */
  readonly listenUrl?: string | undefined;
  /** Whether reads may come from a standby while no host accepts writes. */
  readonly readsStandby?: boolean;
  /** Whether the database may be paused while it is not used, so that no connection waits for notices. */
  readonly letsSleep?: boolean;
}

const connectionsMaxDefault = 10;
const staleMillisecondsMaxDefault = 500;

const awayLine = 'No host of PostgreSQL accepts writes';

/** From the arrival of a write to its result. */
const waitMillisecondsMax = 4500;

/**
 * Opens a PostgreSQL database to write to. Any number of servers and commands can use it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openPostgresDatabase(options: PostgresOptions): Promise<Database> {
  const { asServer, now, limits, connectionsMax = connectionsMaxDefault } = options;
  await using opening = new AsyncDisposableStack();
  const {
    mustExist = false,
    createData = 'auto',
    durability = 'checked',
    staleMillisecondsMax = staleMillisecondsMaxDefault,
  } = options;
  const checks = { durability, report: asServer ? options.report : undefined };
  let onPrimaryBack = () => {};
  const connections = opening.use(
    openConnections(options.url, {
      connectionsMax,
      ...checks,
      onPrimaryBack: asServer && options.readsStandby ? () => onPrimaryBack() : undefined,
    }),
  );
  const version = await prepareTables(connections, {
    ...(mustExist ? { refusalIfMissing: noDataLine } : refusalUnlessCreated(createData)),
    older: asServer ? 'migrated' : 'refused',
    beforeChange: options.beforeChange,
    now: now(),
  });
  reportPrepared(version, options);
  const listening = asServer ? await openListening(opening, connections, options) : undefined;
  const watched = opening.use(watchDataVersion(connections, { staleMillisecondsMax, listening }));
  // What was read from a standby is not current any more.
  onPrimaryBack = watched.changed;
  const transact = createTransact(connections, watched.committed);
  const queue = createCommandQueue({
    limits: {
      ...defaultCommandQueueLimits,
      waitMillisecondsMax,
      // Each transaction uses a connection that reads could have.
      transactionsMax: Math.max(1, Math.floor(connectionsMax / 2)),
      ...limits,
    },
    async commit(context, group) {
      // Its caller was read from a standby, which can lack a revocation.
      if (connections.standbyReads?.isInUse()) throw new DatabaseUnavailable(awayLine);
      try {
        return await commitGroup(transact(context), group);
      } finally {
        if (group.some(({ name }) => removesAccess(name))) connections.standbyReads?.noteCommit();
      }
    },
    partitionOf,
  });
  opening.use(queue);
  const open = opening.move();
  return createDatabase({
    within: connections.reads,
    queue,
    dataVersion: watched.current,
    accessVersion: watched.current,
    staleMillisecondsMax,
    readsWait: true,
    ...(connections.standbyReads && { standbyReads: connections.standbyReads }),
    // PostgreSQL recovers without a restart of this process.
    broken: new Promise(() => {}),
    statistics: async () => ({ pool: connections.statistics() }),
    close: () => open.disposeAsync(),
  });
}

/**
 * The connections that receive notices of commits; undefined if there are none. `opening` gets those that are opened only for this.
 * @throws DatabaseUnusable if the URL to listen on leads to a pooler or another database.
 */
async function openListening(
  opening: AsyncDisposableStack,
  connections: Connections,
  { listenUrl, letsSleep = false, durability = 'checked', report = () => {} }: PostgresOptions,
): Promise<Listening | undefined> {
  if (letsSleep) {
    if (listenUrl !== undefined) report('--listen-url is not used, because of --idle-polling');
    return undefined;
  }
  if (listenUrl !== undefined) {
    const listening = opening.use(openConnections(listenUrl, { durability }));
    return await checkListening(connections, listening, report);
  }
  if (!(await isPooled(connections))) return { connections, check: async () => {}, report };
  report(
    'PostgreSQL is behind a connection pooler, so commits of other servers are looked for instead of notified: set --listen-url to its address without the pooler to be notified',
  );
  return undefined;
}

/** Whether a connection pooler is between this process and the server. */
function isPooled({ use }: Connections): Promise<boolean> {
  return use(async (client) => connectionOf(client).isPooled);
}

async function checkListening(
  connections: Connections,
  listening: Connections,
  report: (line: string) => void,
): Promise<Listening> {
  async function check(): Promise<void> {
    const [wanted, found] = [await connections.use(readTables), await listening.use(readTables)];
    if (await isPooled(listening)) {
      throw new DatabaseUnusable(
        '--listen-url leads to a connection pooler, which loses notices: give the address of PostgreSQL itself',
      );
    }
    if (wanted !== found) {
      throw new DatabaseUnusable('--listen-url leads to another database than --database');
    }
  }
  try {
    await check();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    report(
      `--listen-url does not answer, so commits of other servers are looked for until it does: ${error.message}`,
    );
  }
  return { connections: listening, check, report };
}

/**
 * Commands on one workspace lock its row, so they share a partition instead of waiting for each other. All other commands are
 * partitioned by name: those of one name lock rows in the same order, and cannot deadlock.
 */
function partitionOf(command: PendingCommand): string {
  return String(workspaceOf(command) ?? command.name);
}

/**
 * Opens a PostgreSQL database only to read from.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openPostgresReader(
  url: string,
  durability: Durability,
): Promise<Reads & AsyncDisposable> {
  const connections = await openExisting(url, { durability });
  return {
    ...createReads(connections.reads),
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

/**
 * Migrates a PostgreSQL database to the schema of this program, while servers of the previous version run. Creates missing
 * tables, so that their owner can do this for servers with fewer rights.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function migratePostgres(
  url: string,
  durability: Durability,
  createData: CreateData,
  now: number,
): Promise<Migrated> {
  await using connections = openConnections(url, { durability });
  const prepare = { ...refusalUnlessCreated(createData), older: 'migrated', now } as const;
  return { from: await prepareTables(connections, prepare), to: schemaVersion };
}

/** A database without tables cannot be a lost one, except beside tables in another schema. */
function refusalUnlessCreated(
  createData: CreateData,
): Pick<PrepareOptions, 'refusalIfMissing' | 'besideOther'> {
  return createData === 'never'
    ? { refusalIfMissing: `${noDataLine}: ${createAdvice}` }
    : { besideOther: createData === 'always' };
}
