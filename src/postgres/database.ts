import type { Database } from '../domain/database.ts';
import { defaultWriterLimits } from '../domain/writer.ts';
import { createApiKeyReads } from './api-keys.ts';
import { createAuditReads } from './audit.ts';
import { createConnections } from './connection.ts';
import { createFreshness } from './freshness.ts';
import { parseLocation } from './location.ts';
import { createPetReads } from './pets.ts';
import { noStoreLine, prepareTables } from './prepare-tables.ts';
import { createWorkspaceReads } from './workspaces.ts';
import { createWriter, type PostgresWriterLimits } from './writer.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/name`, with several hosts where one takes over from another. */
  readonly url: string;
  /** A server migrates the tables, and hears of others' commits as they happen; commands do neither. */
  readonly asServer: boolean;
  /** Refuses where there is no store, and makes none. */
  readonly mustExist?: boolean;
  /** Called where there was no store and its tables were made. */
  readonly onMade?: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Connections of this process at once, beside one to listen on. */
  readonly connectionsMax?: number | undefined;
  /** For how long what was read is taken to hold without asking again; 0 asks every time. */
  readonly staleMillisecondsMax?: number | undefined;
  /** Takes a server that may lose what it acknowledged. */
  readonly allowDataLoss?: boolean;
  readonly limits?: Partial<PostgresWriterLimits>;
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
    onMade = () => {},
    allowDataLoss = false,
    staleMillisecondsMax = staleMillisecondsMaxDefault,
  } = options;
  const connections = opening.use(createConnections({ location, connectionsMax, allowDataLoss }));
  const version = await prepareTables(connections, {
    ...(mustExist ? { refusalIfMissing: noStoreLine } : {}),
    older: asServer ? 'migrated' : 'refused',
  });
  if (version === 0) onMade();
  const freshness = opening.use(
    createFreshness({ connections, staleMillisecondsMax, listens: asServer }),
  );
  const transactionsMax = Math.max(1, Math.floor(connectionsMax / 2));
  const writerLimits = { ...defaultWriterLimits, waitMillisecondsMax, transactionsMax, ...limits };
  const writer = opening.use(createWriter(connections, writerLimits, freshness.committed));
  const open = opening.move();
  return {
    freshness: freshness.current,
    ...createPetReads(connections.reads),
    ...createApiKeyReads(connections.reads),
    ...createAuditReads(connections.reads),
    ...createWorkspaceReads(connections, now),
    write: writer.write,
    writeOnce: writer.writeOnce,
    // Whatever fails here comes back by itself.
    broken: new Promise(() => {}),
    statistics: () => ({
      commandsWaiting: writer.commandsWaiting,
      commits: writer.commits,
      pool: connections.statistics(),
    }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
