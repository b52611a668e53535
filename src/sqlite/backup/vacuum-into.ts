import { resolve } from 'node:path';
import { checkVersion } from '../../storage/schema/prepare-schema.ts';
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
 * Copies the state of a file at one moment to an empty file (https://sqlite.org/lang_vacuum.html#vacuum_with_an_into_clause), without
 * free pages. SQLite copies tables and indexes as they are, so that a difference between them stays, and `verify` finds it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function vacuumInto(
  path: string,
  target: string,
  { older, use }: ReadOptions,
): Promise<void> {
  const open = () => openFileReader(path, use);
  using reader = withOperatorError(`${path} cannot be read`, open);
  const { connection } = reader;
  checkVersion(path, await readFileVersion(connection, path), older);
  // VACUUM begins its own transaction.
  connection.run('COMMIT');
  const what = `${path} cannot be copied to ${target}`;
  withOperatorError(what, () => connection.query('VACUUM INTO ?1').run(resolve(target)));
  reader.checkUnchanged();
}
