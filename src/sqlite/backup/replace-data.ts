import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { openWritableConnection } from '../connection.ts';
import { sqliteCode, toOperatorError, withOperatorError } from '../errors.ts';
import { removeDatabase, setAsideLog } from '../file/data-file.ts';
import { flush, hasContent } from '../file/file-system.ts';
import { lockFile } from '../file/lock-file.ts';
import { replaceFile } from '../file/replace-file.ts';
import { hasForeignLog } from '../life/check-life.ts';
import { clearMarkOfReplaced, prepareReplacement } from '../life/replace-life.ts';
import { verifySound } from '../verify-in-thread.ts';
import type { BackupOptions } from './backup.ts';

export interface ReplaceOptions extends Pick<BackupOptions, 'now' | 'onBegin'> {
  /** More than the number of ids of any kind that were assigned after the state of the new data. */
  readonly idGap: number;
  /** Receives lines for the operator about what was found and done. */
  readonly report: (line: string) => void;
}

/** What is known of the new file when it is written. */
interface Made {
  /** Whether the replaced file has all acknowledged commits, so that servers may use it again. */
  readonly isWhole: boolean;
  /** The highest counter of ids in the new file. */
  readonly idMax: bigint;
}

/**
 * Replaces a data file that no process uses by the file that `make` writes, after that was verified. At any moment, a kill leaves
 * the old or the new data under the name. The old file is kept as `NAME.TIME`. `check` throws before anything is changed.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator. The data is then unchanged, and its log can have another name.
 */
export async function replaceData<Result extends Made>(
  path: string,
  fault: string,
  options: ReplaceOptions,
  make: (replacement: string) => Promise<Result>,
  check = () => {},
) {
  const { now, onBegin, report } = options;
  using lock = lockFile(path, 'copy or restore', report);
  withOperatorError(fault, check);
  const replacement = `${path}.restoring`;
  onBegin(() => {
    removeDatabase(replacement);
    lock[Symbol.dispose]();
  });
  // A killed command can leave files.
  removeDatabase(replacement);
  try {
    // SQLite deletes the log of an empty file when it opens the file.
    const existed = hasContent(path);
    const made = await make(replacement);
    const life = prepareReplacement(path, replacement, made.idMax);
    applyLog(replacement);
    const { animals, apiKeys } = await verifySound(replacement);
    flush(replacement);
    if (existed) applyLog(path);
    if (existed && made.isWhole) clearMarkOfReplaced(path);
    // SQLite would apply what remains to the new file.
    const what = existed ? 'A log that cannot be applied' : 'A log without its database';
    setAsideLog(path, what, options);
    life.before();
    const keptAs = existed ? replaceFile(path, replacement, now) : undefined;
    if (!existed) renameSync(replacement, path);
    if (!existed) flush(dirname(path));
    life.after();
    lock.keep();
    return { ...made, animals, apiKeys, keptAs };
  } catch (error) {
    removeDatabase(replacement);
    throw toOperatorError(fault, error);
  }
}

/** Renames a log that was made for another file than the one beside it, which SQLite would apply. */
export function setAsideForeignLog(path: string, options: ReplaceOptions): void {
  if (!hasForeignLog(path)) return;
  setAsideLog(path, `The log beside ${path} does not belong to it, and`, options);
}

/** Moves the log of a file into the file, and removes the log. */
function applyLog(path: string): void {
  try {
    using connection = openWritableConnection(path);
    connection.run('PRAGMA journal_mode = DELETE');
  } catch (error) {
    // If the file is not a database any more, its log stays. Otherwise the file is in use, or the disk fails.
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(sqliteCode(error) ?? '')) throw error;
  }
}
