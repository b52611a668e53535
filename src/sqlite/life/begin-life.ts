import { DatabaseUnavailable } from '../../storage/contract/database-error.ts';
import type { Connection } from '../connection.ts';
import { systemCode, translateError } from '../errors.ts';
import { readWalName } from '../file/intact-files.ts';
import { hasServer } from '../file/lock-file.ts';
import {
  type CommitMark,
  emptyRecord,
  noLife,
  readLifeRecord,
  replaceLifeRecord,
} from './life-record.ts';
import { readLifeRow, writeLife } from './life-table.ts';

/** Codes of a disk that is full. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Gives a file a new life. `NAME.life` first has the present life and the new one, then the file gets the new life in a transaction,
 * and then `NAME.life` has the new life alone. So a process that is killed at any moment leaves a file with a life that `NAME.life`
 * has. The caller has a lock that excludes other servers.
 * @throws DatabaseUnavailable if the disk is full, or a file must not be written. Then the file keeps its present life.
 */
export function beginLife(
  connection: Connection,
  path: string,
  { life, isRunning }: { readonly life: string; readonly isRunning: boolean },
): void {
  const row = readLifeRow(connection);
  const record = { ...(readLifeRecord(path) ?? emptyRecord), isLost: false };
  const { last, base, log } = record;
  const commits = Math.max(row?.commits ?? 0, last.commits) + 1;
  const newLast: CommitMark = { ...last, commits };
  try {
    replaceLifeRecord(path, { ...record, present: row?.life ?? noLife, next: life });
    connection.run('BEGIN IMMEDIATE');
    try {
      writeLife(connection, { life, commits, isRunning });
      connection.run('COMMIT');
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK');
      throw error;
    }
    const newLog = readWalName(`${path}-wal`);
    replaceLifeRecord(path, {
      ...record,
      present: life,
      next: undefined,
      last: newLast,
      // This commit can have begun another log, before which all earlier commits were in the file.
      base: newLog === log ? base : last,
      log: newLog,
    });
  } catch (error) {
    throw asUnavailable(path, error);
  }
}

/**
 * Clears the mark of a server that was killed, before a command that has read its log closes the file. The last connection to close
 * removes the log, and without it the mark would look like a loss.
 */
export function clearRunning(connection: Connection, path: string): void {
  try {
    if (readLifeRow(connection)?.isRunning !== true || hasServer(path)) return;
    connection.run('PRAGMA query_only = 0');
    connection.run('UPDATE life SET is_running = 0');
  } catch {
    // On a full or read-only disk, the log stays too.
  }
}

/** Creates the table in the transaction that creates the schema. */
export function createFirstLife(connection: Connection): void {
  writeLife(connection, { life: newLife(), commits: 0, isRunning: false });
}

/** Writes `NAME.life` after `createFirstLife` was committed. Without it, missing commits are not noticed until a server starts. */
export function recordFirstLife(connection: Connection, path: string): void {
  const present = readLifeRow(connection)?.life ?? noLife;
  try {
    replaceLifeRecord(path, { ...emptyRecord, present });
  } catch {
    // On a full disk, missing commits are not noticed until a server starts.
  }
}

/** 128 random bits in hexadecimal. */
export function newLife(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

function asUnavailable(path: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined || code.startsWith('SQLITE_')) return translateError(error);
  return new DatabaseUnavailable(`${path}.life cannot be written: ${code}`, {
    cause: error,
    isFull: fullCodes.has(code),
  });
}
