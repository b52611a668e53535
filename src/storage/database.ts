import type { Database, DatabaseStatistics } from '../domain/database/database.ts';
import type { CommandQueue } from './commands/command-queue.ts';
import type { Queryable } from './queryable.ts';
import { createReads } from './registry.ts';

/** What an engine provides. The database is made of it. */
export interface Engine {
  readonly queryable: Queryable;
  readonly queue: CommandQueue;
  readonly dataVersion: () => number;
  readonly staleMillisecondsMax: number;
  readonly broken: Promise<Error>;
  /** The figures of the engine. */
  readonly statistics: () => Promise<Omit<DatabaseStatistics, 'commandsWaiting' | 'commits'>>;
  readonly close: () => Promise<void>;
}

export function createDatabase(engine: Engine): Database {
  const { queryable, queue, dataVersion, staleMillisecondsMax, broken, statistics, close } = engine;
  return {
    ...createReads(queryable),
    write: queue.write,
    writeKeyed: queue.writeKeyed,
    dataVersion,
    staleMillisecondsMax,
    broken,
    statistics: async () => ({
      commandsWaiting: queue.commandsWaiting,
      commits: queue.commits,
      ...(await statistics()),
    }),
    [Symbol.asyncDispose]: close,
  };
}
