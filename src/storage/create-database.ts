import type { CommandQueue } from './commands/command-queue.ts';
import type { Database, DatabaseStatistics, DataVersion } from './contract/database.ts';
import { createReads } from './registry.ts';
import type { Within } from './within.ts';

/** What an engine provides. The database is made of it. */
interface Engine extends DataVersion, Pick<Database, 'broken' | 'readsWait' | 'standbyReads'> {
  readonly within: Within;
  readonly queue: CommandQueue;
  /** The figures of the engine. */
  readonly statistics: () => Promise<Omit<DatabaseStatistics, 'commandsWaiting' | 'commits'>>;
  readonly close: () => Promise<void>;
}

export function createDatabase({ within, queue, statistics, close, ...engine }: Engine): Database {
  return {
    ...createReads(within),
    ...engine,
    write: queue.write,
    writeKeyed: queue.writeKeyed,
    writeMany: queue.writeMany,
    statistics: async () => ({
      commandsWaiting: queue.commandsWaiting,
      commits: queue.commits,
      ...(await statistics()),
    }),
    [Symbol.asyncDispose]: close,
  };
}
