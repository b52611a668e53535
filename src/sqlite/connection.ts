import { Database as Connection, constants } from 'bun:sqlite';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lookAgain } from '../context/repeat.ts';
import { DatabaseUnusable } from '../storage/contract/database-error.ts';
import { sqliteCode } from './errors.ts';

export { Connection };

/**
 * The wait for a commit of another process, such as a command. It is shorter than any client waits for a write, so that a group
 * that could not begin has certainly changed nothing.
 */
const busyTimeoutMilliseconds = 3000;

/**
 * In pages, about 12 MB. The commit that moves the log into the file waits for two more flushes, and events make the log grow
 * fast.
 */
export const autoCheckpointPages = 3000;

/** A log that grew during a long read is truncated to this size when it next restarts. */
export const logBytesMax = 16 * 2 ** 20;

/** Each connection sets these and reads them back; docs/decisions/sqlite.md has the reasons. */
const writerPragmas = [
  ['journal_mode', 'wal'],
  ['synchronous', 2n],
  // On macOS a plain flush leaves the data in the memory of the drive. On other systems, these two do nothing.
  ['fullfsync', 1n],
  ['checkpoint_fullfsync', 1n],
  ['foreign_keys', 1n],
  ['trusted_schema', 0n],
  ['cell_size_check', 1n],
  ['mmap_size', 0n],
  ['wal_autocheckpoint', BigInt(autoCheckpointPages)],
  ['journal_size_limit', BigInt(logBytesMax)],
] as const;

/**
 * Opens a connection that may write, and changes nothing yet. The file must exist. Its path is made absolute, because `bun:sqlite`
 * removes white space at the beginning, which the name of a folder can have.
 */
export function openWritableConnection(path: string): Connection {
  const connection = new Connection(resolve(path), {
    readwrite: true,
    safeIntegers: true,
    strict: true,
  });
  connection.run(`PRAGMA busy_timeout = ${busyTimeoutMilliseconds}`);
  // Otherwise free pages, and copies of the file by other programs, keep what was removed.
  connection.run('PRAGMA secure_delete = 1');
  return connection;
}

/** Opens a connection whose commits are on disk when they return. */
export function openWriterConnection(path: string): Connection {
  const connection = openWritableConnection(path);
  makeDurable(connection);
  return connection;
}

export function makeDurable(connection: Connection): void {
  for (const [pragma, wanted] of writerPragmas) {
    runWhenFree(connection, `PRAGMA ${pragma} = ${wanted}`);
    const found = Object.values(connection.query(`PRAGMA ${pragma}`).get() ?? {})[0];
    if (found !== wanted) {
      throw new DatabaseUnusable(`SQLite did not set ${pragma} to ${wanted}; it is ${found}`);
    }
  }
}

/** SQLite does not wait if two processes put a new file into WAL mode at once, because they could wait for each other. */
function runWhenFree(connection: Connection, sql: string): void {
  lookAgain({ looksMax: busyTimeoutMilliseconds / 5, restMilliseconds: 5 }, (isLast) => {
    try {
      return connection.run(sql);
    } catch (error) {
      if (sqliteCode(error) !== 'SQLITE_BUSY' || isLast) throw error;
      return undefined;
    }
  });
}

/** Opens a read-only connection. docs/decisions/sqlite.md describes when it waits. */
export function openReaderConnection(
  path: string,
  busyMilliseconds = busyTimeoutMilliseconds,
): Connection {
  const connection = new Connection(resolve(path), {
    readonly: true,
    safeIntegers: true,
    strict: true,
  });
  prepareReader(connection, busyMilliseconds);
  return connection;
}

/** Opens a file that no process changes: without locks, and without a file beside it (https://sqlite.org/uri.html#uriimmutable). */
export function openImmutableConnection(path: string): Connection {
  return openByUrl(path, '?immutable=1');
}

/** Opens a read-only connection that takes a URL in `VACUUM INTO` too. */
export function openCopyingConnection(path: string): Connection {
  return openByUrl(path);
}

function openByUrl(path: string, parameters = ''): Connection {
  const connection = new Connection(
    `${pathToFileURL(path).href}${parameters}`,
    constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
  );
  prepareReader(connection, busyTimeoutMilliseconds);
  return connection;
}

function prepareReader(connection: Connection, busyMilliseconds: number): void {
  // First, because the size of the cache reads the schema, which needs the lock.
  connection.run(`PRAGMA busy_timeout = ${busyMilliseconds}`);
  connection.run('PRAGMA trusted_schema = 0');
  connection.run('PRAGMA mmap_size = 0');
  // In KiB. The inner pages of a tree of ten million animals, and its most used leaves, fit in.
  connection.run('PRAGMA cache_size = -16384');
}
