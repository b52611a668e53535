import { pathToFileURL } from 'node:url';
import { checkVersion } from '../../storage/schema/prepare-schema.ts';
import { openCopyingConnection } from '../connection.ts';
import { withOperatorError } from '../errors.ts';
import { openFileReader } from '../file/file-reader.ts';
import { readFileVersion } from '../migrate-file.ts';

export interface ReadOptions {
  /** What to do with data of an older schema. The default is `refused`. */
  readonly older?: 'refused' | 'migrated';
  /** A `kept` file has no server, unless it has a log. */
  readonly use?: 'kept' | 'served';
}

/**
 * Copies the state of a file at one moment to an empty file that exists, without free pages
 * (https://sqlite.org/lang_vacuum.html#vacuum_with_an_into_clause). SQLite copies tables and indexes as they are, so that a difference between them stays, and `verify` finds it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function vacuumInto(
  path: string,
  target: string,
  { older, use }: ReadOptions,
): Promise<void> {
  const open = () => openFileReader(path, use, openCopyingConnection);
  using reader = withOperatorError(`${path} cannot be read`, open);
  const { connection } = reader;
  checkVersion(path, await readFileVersion(connection, path), older);
  // VACUUM begins its own transaction.
  connection.run('COMMIT');
  const what = `${path} cannot be copied to ${target}`;
  // In this mode, a file that a signal has removed is not created again, which everybody could read.
  const existing = `${pathToFileURL(target).href}?mode=rw`;
  withOperatorError(what, () => connection.query('VACUUM INTO ?1').run(existing));
  reader.checkUnchanged();
}
