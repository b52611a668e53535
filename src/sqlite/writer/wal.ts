import { statSync } from 'node:fs';
import { DatabaseUnavailable } from '../../storage/contract/database-error.ts';
import {
  autoCheckpointPages,
  type Connection,
  logBytesMax,
  makeDurable,
  openWritableConnection,
} from '../connection.ts';
import type { WatchedFile } from '../file/watch-files.ts';

/** From here on, the log is long: the writer would checkpoint it for too long. */
export const longPages = 4 * autoCheckpointPages;

/** One commit shortens the file of the log by this much, which takes about 4 ms. */
const stepBytes = 16 * 2 ** 20;

/** Lets the log grow, and does not shorten it, until `shortenWal` is called. */
export function pauseCheckpoints(connection: Connection): void {
  connection.run('PRAGMA journal_size_limit = -1');
  connection.run('PRAGMA wal_autocheckpoint = 0');
}

/**
 * Makes the next commit shorten the file of a log that has grown, by one step. Each commit checkpoints, so that the next one
 * restarts the log, and SQLite then truncates it. Returns whether only the last step is left. The next ordinary restart does it.
 */
export function shortenWal(connection: Connection, path: string): boolean {
  const bytesMax = Math.max(logBytesMax, statSync(`${path}-wal`).size - stepBytes);
  const isLast = bytesMax === logBytesMax;
  connection.run(`PRAGMA journal_size_limit = ${bytesMax}`);
  connection.run(`PRAGMA wal_autocheckpoint = ${isLast ? autoCheckpointPages : 1}`);
  return isLast;
}

/**
 * Copies the pages of the log to the file, up to those that a reader still needs, with another connection to files that the writer
 * has open. If one of them was moved or replaced, SQLite would write pages of one file to another. It opens the data file first, and
 * the log at the first read. Both have to be these files.
 */
export function checkpoint(path: string, files: readonly WatchedFile[]): void {
  using connection = openWritableConnection(path);
  checkUnchanged(files);
  makeDurable(connection);
  connection.run('SELECT 1 FROM meta');
  checkUnchanged(files);
  connection.run('PRAGMA wal_checkpoint(PASSIVE)');
}

function checkUnchanged(files: readonly WatchedFile[]): void {
  for (const { path, dev, ino } of files) {
    const found = statSync(path, { bigint: true });
    if (found.dev !== dev || found.ino !== ino) {
      throw new DatabaseUnavailable(`${path} was replaced by another file`);
    }
  }
}
