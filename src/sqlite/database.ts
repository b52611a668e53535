import { stat, statfs } from 'node:fs/promises';
import type { Database, FileStatistics } from '../domain/database.ts';
import { defaultWriterLimits, type WriterLimits } from '../domain/writer.ts';
import { prepareApiKeyReads } from './api-keys.ts';
import { prepareAuditReads } from './audit.ts';
import { openReaderConnection, translateError } from './connection.ts';
import { findFile, makeFile, migrateFile } from './file.ts';
import { createFreshness } from './freshness.ts';
import { lockFile } from './lock.ts';
import { preparePetReads } from './pets.ts';
import { watchFile } from './watch-file.ts';
import { prepareWorkspaceReads } from './workspaces.ts';
import { openWriter } from './writer.ts';

export interface SqliteOptions {
  /** Of the file; its folder is made when missing. */
  readonly path: string;
  /** One server at a time has the file, and migrates it; commands run beside it. */
  readonly asServer: boolean;
  /** Refuses where there is no store, and makes none. */
  readonly mustExist?: boolean;
  /** Called where there was no store and one was made, perhaps in a file that was there and empty. */
  readonly onMade?: (wasEmptyFile: boolean) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limits?: Partial<WriterLimits>;
}

/**
 * Opens a SQLite file, making it first, or migrating it for a server.
 * @throws DatabaseUnusable with one line for the operator, when the file cannot be used as it is.
 */
export async function openSqliteDatabase(options: SqliteOptions): Promise<Database> {
  const { asServer, mustExist = false, onMade = () => {}, now, limits } = options;
  await using opening = new AsyncDisposableStack();
  const { path, wasMade } = mustExist
    ? { path: findFile(options.path), wasMade: false }
    : makeFile(options.path);
  opening.use(lockFile(path, asServer ? 'server' : 'command'));
  // Whoever only runs a command does not expect that the server which runs cannot be started again.
  const version = migrateFile(path, { older: asServer ? 'migrated' : 'refused' });
  if (version === 0) onMade(!wasMade);
  const watched = asServer ? opening.use(watchFile(path)) : undefined;
  const writer = opening.use(await openWriter(path, { ...defaultWriterLimits, ...limits }));
  if (watched !== undefined) {
    const besides = ['-wal', '-shm'].map((suffix) => opening.use(watchFile(path + suffix)));
    for (const { lost } of [watched, ...besides]) lost.then(writer.giveUp);
  }
  // It runs in the thread that serves, which must not wait: there is the writer beside it, so it need not.
  const connection = openReaderConnection(path, 0);
  opening.defer(() => connection.close());
  const open = opening.move();
  return {
    ...translated({ freshness: createFreshness(connection) }),
    ...translated(preparePetReads(connection)),
    ...translated(prepareApiKeyReads(connection)),
    ...translated(prepareAuditReads(connection)),
    ...translated(prepareWorkspaceReads(connection, now)),
    write: writer.write,
    writeOnce: writer.writeOnce,
    broken: writer.broken,
    statistics: async () => ({
      commandsWaiting: writer.commandsWaiting,
      commits: writer.commits,
      file: await measure(path),
    }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function measure(path: string): Promise<FileStatistics> {
  const [bytes, logBytes, freeBytes] = await Promise.all([
    orUnknown(async () => (await stat(path)).size),
    orUnknown(async () => (await stat(`${path}-wal`)).size),
    orUnknown(async () => {
      const { bavail, bsize } = await statfs(path);
      return bavail * bsize;
    }),
  ]);
  return { bytes, logBytes, freeBytes };
}

/** What cannot be told, such as of a file that has gone, must not look like a disk that is full. */
async function orUnknown(read: () => Promise<number>): Promise<number> {
  try {
    return await read();
  } catch {
    return Number.NaN;
  }
}

type Reads = Record<string, (...input: never[]) => unknown>;

/** The same functions, throwing the domain's errors in place of SQLite's. */
function translated<Functions extends Reads>(functions: Functions): Functions {
  const entries = Object.entries(functions).map(([name, run]) => [
    name,
    (...input: never[]) => {
      try {
        return run(...input);
      } catch (error) {
        throw translateError(error);
      }
    },
  ]);
  return Object.fromEntries(entries) as Functions;
}
