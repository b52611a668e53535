import { closeSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Database, DatabaseUnusable } from '../domain/database.ts';
import { prepareApiKeyReads } from './api-keys.ts';
import {
  openReaderConnection,
  openWritableConnection,
  sqliteCode,
  translateError,
} from './connection.ts';
import { createFreshness } from './freshness.ts';
import { migrate } from './migrate.ts';
import { preparePetReads } from './pets.ts';
import { lockForServer } from './server-lock.ts';
import { prepareWorkspaceReads } from './workspaces.ts';
import { defaultWriterLimits, openWriter, type WriterLimits } from './writer.ts';

export interface SqliteOptions {
  /** Of the file; its folder is made when missing. */
  readonly path: string;
  /** A server takes the file for itself; commands run beside it do not. */
  readonly asServer: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limits?: Partial<WriterLimits>;
}

/**
 * Opens a SQLite file, making or migrating it first.
 * @throws DatabaseUnusable with one line for the operator, when the file cannot be used as it is.
 */
export async function openSqliteDatabase(options: SqliteOptions): Promise<Database> {
  const { asServer, now, limits } = options;
  await using opening = new AsyncDisposableStack();
  const path = makeFile(options.path);
  if (asServer) opening.use(lockForServer(path));
  migrateFile(path);
  const writer = opening.use(await openWriter(path, { ...defaultWriterLimits, ...limits }));
  const connection = openReaderConnection(path);
  opening.defer(() => connection.close());
  const open = opening.move();
  return {
    freshness: createFreshness(connection),
    ...translated(preparePetReads(connection)),
    ...translated(prepareApiKeyReads(connection)),
    ...translated(prepareWorkspaceReads(connection, now)),
    write: writer.write,
    writeOnce: writer.writeOnce,
    broken: writer.broken,
    statistics: async () => ({
      commandsWaiting: writer.commandsWaiting,
      commits: writer.commits,
      walBytes: await fileBytes(`${path}-wal`),
    }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** 0 where there is no such file. */
async function fileBytes(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

/** Makes sure that there is a file, and returns its real path: two links to one file share its lock. */
function makeFile(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Made here, and not by SQLite, so that nobody but its owner can read it.
    closeSync(openSync(path, 'a', 0o600));
    return realpathSync(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

function migrateFile(path: string): void {
  try {
    using connection = openWritableConnection(path);
    migrate(connection, path);
  } catch (error) {
    throw error instanceof DatabaseUnusable ? error : unusable(path, error);
  }
}

function unusable(path: string, cause: unknown): DatabaseUnusable {
  const code = sqliteCode(cause);
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseUnusable(
    code?.startsWith('SQLITE_NOTADB')
      ? `${path} is not a SQLite database`
      : `${path} cannot be opened: ${code === undefined ? '' : `${code}, `}${reason}`,
    { cause },
  );
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
