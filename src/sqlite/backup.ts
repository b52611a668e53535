import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseUnusable } from '../domain/database-error.ts';
import { schemaVersion } from '../storage/migrate.ts';
import { deleteOwnRows } from '../storage/own-rows.ts';
import { type BackupManifest, isManifest, manifestPath, measureFile } from './backup-manifest.ts';
import { changeFile } from './change-file.ts';
import { copyWhileWritten } from './copy-file.ts';
import { unusable } from './errors.ts';
import { findFile, flush, removeDatabase, removeIfThere } from './file.ts';
import { verifySound } from './verify-in-thread.ts';

export interface BackupOptions {
  readonly now: number;
  /** Told once there may be something to remove where it does not come to its end, and how. */
  readonly onBegin: (removePartial: () => void) => void;
  /** Told how many bytes more were copied, of how many in all. */
  readonly onBytes: (bytes: number, totalBytes: number) => void;
  /** Told when all was copied. */
  readonly onVerify: () => Promise<void>;
}

/**
 * Writes all that is in a file to another, as it stands at one moment, while servers go on. The backup is verified, and
 * only then gets its name: a file of that name is whole.
 * @throws DatabaseUnusable with one line for the operator.
 */
export async function backUpFile(
  path: string,
  target: string,
  { now, onBegin, onBytes, onVerify }: BackupOptions,
): Promise<BackupManifest> {
  const realPath = findFile(path);
  checkTarget(target);
  onBegin(() => removePartialBackup(target));
  removePartialBackup(target);
  const partial = partialPath(target);
  try {
    await copyWhileWritten(realPath, partial, onBytes);
    await changeFile(partial, deleteOwnRows);
    await onVerify();
    const summary = await verifySound(partial);
    const manifest: BackupManifest = {
      madeAt: new Date(now).toISOString(),
      schemaVersion,
      ...(await measureFile(partial)),
      ...summary,
    };
    flush(partial);
    writeFileSync(
      partialPath(manifestPath(target)),
      `${JSON.stringify(manifest, undefined, 2)}\n`,
      { mode: 0o600 },
    );
    flush(partialPath(manifestPath(target)));
    // The file comes last: it is never there without its manifest.
    renameSync(partialPath(manifestPath(target)), manifestPath(target));
    renameSync(partial, target);
    flush(dirname(target));
    return manifest;
  } catch (error) {
    removePartialBackup(target);
    throw unusable(`${target} cannot be written`, error);
  }
}

/** Removes what a backup that did not come to its end has left; a file of the backup's own name stays. */
function removePartialBackup(target: string): void {
  if (!existsSync(target)) removeIfThere(manifestPath(target));
  removeIfThere(partialPath(manifestPath(target)));
  removeDatabase(partialPath(target));
}

/** Refuses one that is there, or whose folder is not. */
function checkTarget(target: string): void {
  // It is not made: it may be that of a disk that is not mounted.
  const folder = dirname(target);
  if (!existsSync(folder)) throw new DatabaseUnusable(`There is no folder ${resolve(folder)}`);
  // A manifest without a file is one of ours that was killed before its end; anything else is somebody's.
  for (const path of [target, manifestPath(target)]) {
    if (!existsSync(path) || (path !== target && isManifest(path))) continue;
    throw new DatabaseUnusable(`${path} already exists; choose another name`);
  }
}

function partialPath(target: string): string {
  return `${target}.partial`;
}
