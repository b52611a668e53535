import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseUnusable } from '../domain/database-error.ts';
import { checkVersion } from '../storage/migrate.ts';
import { deleteOwnRows } from '../storage/own-rows.ts';
import {
  continueRestoredTrail,
  type Replaced,
  type ReplacedKind,
  raiseRestoredCounters,
  readReplaced,
} from '../storage/restore.ts';
import { type BackupManifest, readManifest } from './backup-manifest.ts';
import { changeFile } from './change-file.ts';
import { openReaderConnection, openWritableConnection } from './connection.ts';
import { sqliteCode, unusable } from './errors.ts';
import {
  findPlace,
  flush,
  makeIfMissing,
  noDataLine,
  removeDatabase,
  removeIfThere,
} from './file.ts';
import { lockFile } from './lock.ts';
import { prepareFile, readFileVersion } from './migrate-file.ts';
import { createSession } from './session.ts';
import { verifySound } from './verify-in-thread.ts';

/** What replaced what, and from where ids go on. */
export interface Restored {
  readonly replaced: ReplacedKind;
  /** Whether all that the audit trail of the replaced data told is in that of the restored one. */
  readonly auditTrailWasKept: boolean;
  readonly manifest: BackupManifest;
  /** How many were in the data that was replaced, where they could be counted. */
  readonly replacedAnimals: number | undefined;
}

/**
 * Puts a backup in the place of a file that nobody uses. Ids go on above all that the replaced file gave out or,
 * where it is gone, cannot be read or holds other data, `idGap` above those of the backup.
 * @throws DatabaseUnusable with one line for the operator, and with the file as it was.
 */
export async function restoreFile(
  backup: string,
  path: string,
  { idGap, now }: { readonly idGap: number; readonly now: number },
): Promise<Restored> {
  const manifest = await readManifest(backup);
  const realPath = findPlace(path);
  using _lock = lockFile(realPath, 'copy or restore');
  const existed = existsSync(realPath);
  const restoring = `${realPath}.restoring`;
  // What is left of a restore that was killed.
  removeDatabase(restoring);
  try {
    // Whoever may read the backup, only its owner may read the data: the copy does not take over the mode.
    makeIfMissing(restoring);
    await Bun.write(Bun.file(restoring), Bun.file(backup));
    await checkBackup(restoring);
    const replaced = existed ? await tryToRead(realPath) : {};
    const { madeAt, sha256 } = manifest;
    const wasKept = await changeFile(restoring, (transaction) =>
      continueRestoredTrail(transaction, replaced, { madeAt, sha256 }, now),
    );
    await prepareFile(restoring, { older: 'migrated', unfinishedCopy: 'taken', now });
    const kind = await changeFile(restoring, async (transaction) => {
      await deleteOwnRows(transaction);
      return await raiseRestoredCounters(transaction, replaced, { idGap, now });
    });
    foldLog(restoring);
    await verifySound(restoring);
    flush(restoring);
    if (existed) foldLog(realPath);
    renameSync(restoring, realPath);
    flush(dirname(realPath));
    const auditTrailWasKept = wasKept || !existed;
    return { replaced: kind, auditTrailWasKept, manifest, replacedAnimals: replaced.animals };
  } catch (error) {
    removeDatabase(restoring);
    throw unusable(`${path} cannot be restored`, error);
  }
}

async function tryToRead(path: string): Promise<Replaced> {
  try {
    using connection = openReaderConnection(path);
    connection.run('BEGIN');
    return await readReplaced(createSession(connection));
  } catch {
    // It is no database any more.
    return {};
  }
}

/** Before anything is written: data of another program, or of a newer version of this one, is left as it is. */
async function checkBackup(path: string): Promise<void> {
  using connection = openReaderConnection(path);
  connection.run('BEGIN');
  const version = await readFileVersion(connection, path);
  if (version === 0) throw new DatabaseUnusable(noDataLine(path));
  checkVersion(path, version, 'migrated');
}

/** A log that is left beside the file would be taken for one of the file that takes its place. */
function foldLog(path: string): void {
  try {
    using connection = openWritableConnection(path);
    connection.run('PRAGMA journal_mode = DELETE');
  } catch (error) {
    // Where the file is no database any more, its log is of no use to anybody. Else it is in use, or the disk fails.
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(sqliteCode(error) ?? '')) throw error;
  }
  for (const suffix of ['-wal', '-shm']) removeIfThere(path + suffix);
}
