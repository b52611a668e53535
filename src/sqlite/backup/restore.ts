import { realpathSync, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseUnusable } from '../../domain/database/database-error.ts';
import { deleteLocalRows } from '../../storage/copies/copy.ts';
import {
  continueRestoredTrail,
  type Replaced,
  type RestoredBackup,
  raiseRestoredCounters,
  readReplaced,
} from '../../storage/copies/restore.ts';
import { readHighestCounter } from '../../storage/records/counters.ts';
import { pauseWebhooks } from '../../storage/webhooks/pause.ts';
import { type Connection, openReaderConnection, openWritableConnection } from '../connection.ts';
import { isDamage, sqliteCode, toOperatorError, withOperatorError } from '../errors.ts';
import { findPath, removeDatabase, setAsideForeignLog, setAsideLog } from '../file/data-file.ts';
import { flush, hasContent, makeFolder, writeNew } from '../file/file-system.ts';
import { lockFile } from '../file/lock-file.ts';
import { replaceFile } from '../file/replace-file.ts';
import { hasForeignLog, isRefused, withoutGapLine } from '../life/check-life.ts';
import { clearMarkOfReplaced, idMaxOf, prepareReplacement } from '../life/replace-life.ts';
import { isOfOtherProgram, prepareFile } from '../migrate-file.ts';
import { createQueryable } from '../queryable.ts';
import { changeFile } from '../transaction.ts';
import { verifySound } from '../verify-in-thread.ts';
import type { BackupOptions } from './backup.ts';
import { readManifest } from './backup-manifest.ts';
import { checkBackup, copyPlainFile } from './plain-file.ts';

interface RestoreOptions extends Pick<BackupOptions, 'now' | 'onBegin'> {
  readonly idGap: number;
  /** Receives lines for the operator about what was found and done. */
  readonly report: (line: string) => void;
}

/**
 * Replaces a file that no process uses with a backup, or with a plain file that has no manifest. New ids start above all ids of the replaced file. If it is missing,
 * unreadable or from another database, they start `idGap` above those of the backup.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator. The data is then unchanged, and its log can have another name.
 */
export async function restoreFile(
  backup: string,
  path: string,
  { idGap, now, report, onBegin }: RestoreOptions,
) {
  const manifest = await readManifest(backup);
  const realPath = findPath(path);
  makeFolder(dirname(realPath));
  using lock = lockFile(realPath, 'copy or restore', report);
  // SQLite deletes the log of an empty file when it opens the file.
  const existed = hasContent(realPath);
  if (existed) {
    withOperatorError(`${path} cannot be restored`, () => rejectReplacement(realPath, backup));
  }
  const restoring = `${realPath}.restoring`;
  onBegin(() => {
    removeDatabase(restoring);
    lock[Symbol.dispose]();
  });
  // A killed restore can leave files.
  removeDatabase(restoring);
  try {
    const isLacking = existed && isRefused(realPath);
    if (isLacking && idGap === 0) throw new DatabaseUnusable(withoutGapLine(path));
    if (existed && hasForeignLog(realPath)) setAsideForeignLog(realPath, now, report);
    const origin = manifest ?? (await copyPlainFile(backup, restoring));
    if (manifest !== undefined) await copyContents(backup, restoring);
    await checkBackup(restoring, backup);
    const { replaced, wasKept } = await continueReplaced(existed, realPath, restoring, {
      now,
      backup: { madeAt: origin.madeAt, sha256: origin.sha256 },
    });
    await prepareFile(restoring, { older: 'migrated', unfinishedCopy: 'taken', now });
    const options = { idGap, now, isLacking, idMax: idMaxOf(realPath) };
    const { kind, pausedWebhooks, idMax } = await changeRestored(restoring, replaced, options);
    const life = prepareReplacement(realPath, restoring, idMax);
    checkpointLog(restoring);
    const { animals, apiKeys } = await verifySound(restoring);
    flush(restoring);
    if (existed) checkpointLog(realPath);
    if (existed && !isLacking) clearMarkOfReplaced(realPath);
    // SQLite would apply what remains to the restored file.
    setAsideLog(realPath, now, report);
    life.before();
    const keptAs = existed ? replaceFile(realPath, restoring, now) : undefined;
    if (!existed) nameFile(restoring, realPath);
    life.after();
    lock.keep();
    return {
      replaced: kind,
      /** Whether the restored audit trail contains that of the replaced data. */
      auditTrailWasKept: wasKept || !existed,
      animals,
      apiKeys,
      /** Undefined for a file without a manifest. */
      madeAt: manifest?.madeAt,
      pausedWebhooks,
      /** The new name of the replaced file; undefined if there was none. */
      keptAs,
      /** Undefined if the replaced data could not be read. */
      replacedAnimals: replaced.animals,
    };
  } catch (error) {
    removeDatabase(restoring);
    throw toOperatorError(`${path} cannot be restored`, error);
  }
}

function changeRestored(
  path: string,
  replaced: Replaced,
  options: Parameters<typeof raiseRestoredCounters>[2],
) {
  return changeFile(path, async (transaction) => {
    await deleteLocalRows(transaction);
    const pausedWebhooks = await pauseWebhooks(transaction);
    const kind = await raiseRestoredCounters(transaction, replaced, options);
    return { kind, pausedWebhooks, idMax: await readHighestCounter(transaction) };
  });
}

function nameFile(path: string, name: string): void {
  renameSync(path, name);
  flush(dirname(name));
}

/** The copy uses one descriptor, so that a file that a signal removed is not created again. */
async function copyContents(from: string, to: string): Promise<void> {
  // Only the owner may read the data, so the copy does not have the mode of the backup.
  writeNew(to, '');
  await using copy = await open(to, 'r+');
  for await (const piece of Bun.file(from).stream()) await copy.appendFile(piece);
}

/** A mistyped path must not destroy another file. */
function rejectReplacement(path: string, backup: string): void {
  if (realpathSync(backup) === path) {
    throw new DatabaseUnusable(`${path} is the backup itself: name the data with --database`);
  }
  if (isOther(path)) {
    throw new DatabaseUnusable(
      `${path} is a SQLite database of another program: move it away, or name another file with --database`,
    );
  }
}

function isOther(path: string): boolean {
  try {
    using connection = openReaderConnection(path);
    return isOfOtherProgram(connection);
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/** Reads the replaced data, and lets the restored data continue its audit trail. */
async function continueReplaced(
  existed: boolean,
  path: string,
  restoring: string,
  { now, backup }: { readonly now: number; readonly backup: RestoredBackup },
) {
  using connection = existed ? openReplaced(path) : undefined;
  const queryable = connection && createQueryable(connection);
  const replaced: Replaced = queryable === undefined ? {} : await readReplaced(queryable, isDamage);
  const wasKept = await changeFile(restoring, (transaction) =>
    continueRestoredTrail(transaction, queryable, backup, { now, isDamage }),
  );
  return { replaced, wasKept };
}

/** Returns undefined if the file is not a readable database, because that can be why it is replaced. */
function openReplaced(path: string): Connection | undefined {
  using opening = new DisposableStack();
  try {
    const connection = opening.use(openReaderConnection(path));
    connection.run('BEGIN');
    connection.query('SELECT 1 FROM sqlite_schema').get();
    opening.move();
    return connection;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Moves the log of a file into the file, and removes the log. */
function checkpointLog(path: string): void {
  try {
    using connection = openWritableConnection(path);
    connection.run('PRAGMA journal_mode = DELETE');
  } catch (error) {
    // If the file is not a database any more, its log stays. Otherwise the file is in use, or the disk fails.
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(sqliteCode(error) ?? '')) throw error;
  }
}
