import { statSync } from 'node:fs';
import { DatabaseUnavailable } from '../../domain/database/database-error.ts';
import {
  autoCheckpointPages,
  type Connection,
  logBytesMax,
  makeDurable,
  openWritableConnection,
} from '../connection.ts';
import type { WatchedFile } from '../file/watch-files.ts';

/** One commit cuts this much from the file of the log, which takes about 4 ms. */
const cutBytes = 16 * 2 ** 20;

/** Lets the log grow, and does not cut it, until `shortenLog` is called. */
export function pauseCheckpoints(connection: Connection): void {
  connection.run('PRAGMA journal_size_limit = -1');
  connection.run('PRAGMA wal_autocheckpoint = 0');
}

/**
 * Makes the next commits cut the file of a log that has grown, one step each: every commit checkpoints, so that the next one
 * restarts the log, and SQLite cuts it then. Returns whether the last step is due, which the next ordinary restart does.
 */
export function shortenLog(connection: Connection, path: string): boolean {
  const bytesMax = Math.max(logBytesMax, statSync(`${path}-wal`).size - cutBytes);
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
