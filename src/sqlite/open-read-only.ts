import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { prepareSchema } from '../storage/schema/prepare-schema.ts';
import { withOperatorError } from './errors.ts';
import { findFileToRead, noDataLine } from './file/data-file.ts';
import { openFileReader } from './file/file-reader.ts';
import { readFileVersion } from './migrate-file.ts';
import { createQueryable } from './queryable.ts';

/** Whether SQLite cannot create a lock or a log beside a file, as on a read-only disk or for another user. */
export function isFolderReadOnly(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/**
 * Begins a read transaction on a file of this program whose folder is read-only. The file has the schema of this program.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function openReadOnly(givenPath: string) {
  return withOperatorError(`${givenPath} cannot be opened`, async () => {
    const path = findFileToRead(givenPath);
    using opening = new DisposableStack();
    const reader = opening.use(openFileReader(path));
    const { connection } = reader;
    const queryable = createQueryable(connection);
    const schema = {
      queryable,
      readVersion: () => readFileVersion(connection, path),
      migrate: () => Promise.reject(new Error('An older schema is refused')),
    };
    await prepareSchema(path, schema, { refusalIfMissing: noDataLine(givenPath), now: 0 });
    const opened = opening.move();
    return {
      queryable,
      async close() {
        using _ = opened;
        reader.checkUnchanged();
      },
    };
  });
}
