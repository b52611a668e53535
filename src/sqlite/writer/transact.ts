import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import type { Transact, Transaction } from '../../storage/queryable.ts';
import { newerWriterLine, writerVersion } from '../../storage/schema/migrate.ts';
import { type Connection, openWritableConnection } from '../connection.ts';
import { sqliteCode, translateError } from '../errors.ts';
import { createTransaction } from '../queryable.ts';

/**
 * Runs transactions on a connection, one after the other. The caller waits for the end of each. If the disk fails during a
 * commit, the outcome is unknown: the changes can exist when the file is next opened.
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
      // A newer program may require that writes maintain more than this program knows.
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

/** Changes a file that no other process uses, in one transaction. The caller flushes it. */
export async function changeFile<Result>(
  path: string,
  run: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  using connection = openWritableConnection(path);
  return await createTransact(connection)(run);
}
