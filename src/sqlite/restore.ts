import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { continueTrail, prepareAudit, readAuditHead } from './audit.ts';
import { type BackupManifest, readManifest } from './backup-manifest.ts';
import { openReaderConnection, openWritableConnection, sqliteCode } from './connection.ts';
import {
  findPlace,
  flush,
  makeIfMissing,
  migrateFile,
  removeDatabase,
  removeIfThere,
} from './file.ts';
import { lockFile } from './lock.ts';
import { unusable } from './unusable.ts';
import { verifySound } from './verify-in-thread.ts';

/** What replaced what, and from where ids go on. */
export interface Restored {
  readonly manifest: BackupManifest;
  /** How many were in the store that was replaced, where they could be counted. */
  readonly replacedAnimals: number | undefined;
  /**
   * Whether what was replaced tells which ids were given out since the backup: the store of the backup, at a later time,
   * does; another one, or what cannot be read, does not.
   */
  readonly replaced: 'same' | 'other' | 'unreadable';
  /** Whether all that the replaced store's audit trail told is in that of the restored one. */
  readonly auditTrailWasKept: boolean;
}

/**
 * Puts a backup in the place of a file that nobody uses. Ids go on above all that the replaced file gave out or,
 * where it is gone, cannot be read or is of another store, `idGap` above those of the backup.
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
    migrateFile(restoring, { older: 'migrated', unfinishedCopy: 'taken' });
    const replacedAnimals = existed ? countAnimals(realPath) : undefined;
    const replaced = existed ? raiseAbove(restoring, realPath) : 'unreadable';
    if (replaced !== 'same') raiseBy(restoring, idGap);
    const auditTrailWasKept = recordRestore(
      restoring,
      existed ? realPath : undefined,
      manifest,
      now,
    );
    foldLog(restoring);
    await verifySound(restoring);
    flush(restoring);
    if (existed) foldLog(realPath);
    renameSync(restoring, realPath);
    flush(dirname(realPath));
    return { manifest, replacedAnimals, replaced, auditTrailWasKept };
  } catch (error) {
    removeDatabase(restoring);
    throw unusable(`${path} cannot be restored`, error);
  }
}

function countAnimals(path: string): number | undefined {
  try {
    using connection = openReaderConnection(path);
    const count = connection.query<{ count: bigint }, []>('SELECT count(*) AS count FROM pets');
    return Number(count.get()?.count);
  } catch {
    // Damaged, which may be why it is replaced.
    return undefined;
  }
}

/** A store is known by when its first workspace was made, which is never deleted. */
const selectSame = `
  SELECT 1 FROM workspaces JOIN replaced.workspaces AS before USING (id, created_at) WHERE id = 1`;

/** Raises the counters of a restored file to those of the one it replaces, where that is of the same store. */
function raiseAbove(restored: string, replaced: string): Restored['replaced'] {
  try {
    using connection = openWritableConnection(restored);
    connection.run('ATTACH ? AS replaced', [replaced]);
    if (connection.query(selectSame).get() === null) return 'other';
    connection.transaction(() => {
      connection.run(`
        UPDATE workspaces SET next_pet_id = max(next_pet_id, coalesce(
          (SELECT next_pet_id FROM replaced.workspaces AS before WHERE before.id = workspaces.id), 0))`);
      connection.run(`
        UPDATE sqlite_sequence SET seq = max(seq, coalesce(
          (SELECT seq FROM replaced.sqlite_sequence AS before WHERE before.name = sqlite_sequence.name), 0))`);
    })();
    return 'same';
  } catch {
    // Damaged, which may be why it is replaced.
    return 'unreadable';
  }
}

function raiseBy(restored: string, idGap: number): void {
  using connection = openWritableConnection(restored);
  connection.transaction(() => {
    connection.run('UPDATE workspaces SET next_pet_id = next_pet_id + ?', [idGap]);
    connection.run('UPDATE sqlite_sequence SET seq = seq + ?', [idGap]);
  })();
}

/** Adds the restore to the audit trail, after what the replaced store's tells since; false where it cannot be told. */
function recordRestore(
  restored: string,
  replaced: string | undefined,
  { madeAt, sha256 }: BackupManifest,
  now: number,
): boolean {
  using connection = openWritableConnection(restored);
  const entryCount = readAuditHead(connection).count;
  let wasKept = replaced === undefined;
  if (replaced !== undefined) {
    try {
      connection.run('ATTACH ? AS replaced', [replaced]);
      wasKept = connection.transaction(continueTrail)(connection);
    } catch {
      // Damaged, or older than the trail.
    }
  }
  connection.transaction(() => {
    const details = { madeAt, sha256, entryCount };
    prepareAudit(connection)({ at: now, event: 'backup_restored', details });
  })();
  return wasKept;
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
