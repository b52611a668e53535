import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import type { Transact } from '../../storage/queryable.ts';
import { newerWriterLine, writerVersion } from '../../storage/schema/migrate.ts';
import type { Connection } from '../connection.ts';
import { sqliteCode, translateError } from '../errors.ts';
import { createTransaction } from '../queryable.ts';

/**
 * Runs transactions on a connection, one after the other: to be called again once the last has ended. Where the disk fails
 * in a commit, what was written may be there all the same when the file is next opened.
 */
export function createTransact(connection: Connection): Transact {
  const transaction = createTransaction(connection);
  const begin = connection.query('BEGIN IMMEDIATE');
  const commit = connection.query('COMMIT');
  const selectNewer = connection.query(
    `SELECT 1 FROM meta WHERE writer_version > ${writerVersion}`,
  );

  return async (run) => {
    let committing = false;
    try {
      begin.run();
      // Where a newer program has changed what a write has to maintain, this one would leave it undone.
      if (selectNewer.get() !== null) throw new DatabaseUnavailable(newerWriterLine);
      const result = await run(transaction);
      committing = true;
      commit.run();
      return result;
    } catch (error) {
      if (connection.inTransaction) connection.run('ROLLBACK');
      const translated = translateError(error);
      const isUnknown = committing && sqliteCode(error)?.startsWith('SQLITE_IOERR') === true;
      throw isUnknown
        ? new DatabaseOutcomeUnknown((translated as Error).message, { cause: error })
        : translated;
    }
  };
}
