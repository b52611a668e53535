import { closeSync, mkdirSync, openSync } from 'node:fs';
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
  const { path, asServer, now, limits } = options;
  await using opening = new AsyncDisposableStack();
  prepareFile(path, () => {
    if (asServer) opening.use(lockForServer(path));
  });
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
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function prepareFile(path: string, lock: () => void): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Made here, and not by SQLite, so that nobody but its owner can read it.
    closeSync(openSync(path, 'a', 0o600));
    lock();
    using connection = openWritableConnection(path);
    migrate(connection, path);
  } catch (error) {
    if (error instanceof DatabaseUnusable) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const code = sqliteCode(error);
    throw new DatabaseUnusable(
      code?.startsWith('SQLITE_NOTADB')
        ? `${path} is not a SQLite database`
        : `${path} cannot be opened: ${code === undefined ? '' : `${code}, `}${reason}`,
      { cause: error },
    );
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
