import { existsSync, renameSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseUnusable } from '../../domain/database/database-error.ts';
import { isBetween } from '../../storage/copies/data-state.ts';
import { deleteOwnRows } from '../../storage/copies/local-rows.ts';
import { schemaVersion } from '../../storage/schema/migrate.ts';
import { toOperatorError } from '../errors.ts';
import { findFile, flush, isThere, removeDatabase, removeIfThere, writeNew } from '../file/file.ts';
import { verifySound } from '../verify-in-thread.ts';
import { changeFile } from '../writer/transact.ts';
import { type BackupManifest, isManifest, manifestPath, measureFile } from './backup-manifest.ts';
import { copyWhileWritten, readState } from './copy-file.ts';

export interface BackupOptions {
  readonly now: number;
  /** Told once there may be something to remove where it does not come to its end, and how. */
  readonly onBegin: (removePartial: () => void) => void;
  /** Told how many bytes more were copied, of how many in all. */
  readonly onBytes: (bytes: number, totalBytes: number) => void;
  /** Told when all was copied. */
  readonly onVerify: () => Promise<void>;
}

/** The names of a backup and its manifest until both are complete. */
export interface PartialBackup {
  readonly file: string;
  readonly manifest: string;
}

/**
 * Writes all that is in a file to another, as it stands at one moment, while servers go on. The backup is verified, and
 * only then gets its name: a file of that name is whole.
 * @throws DatabaseUnusable with one line for the operator.
 */
export async function backUpFile(
  path: string,
  target: string,
  options: BackupOptions,
): Promise<BackupManifest> {
  const realPath = findFile(path);
  checkTarget(target);
  const partial = { file: `${target}.partial`, manifest: `${manifestPath(target)}.partial` };
  const remove = () => {
    // The manifest gets its name first, so a killed backup can leave one without a file.
    if (!isThere(target)) removeIfThere(manifestPath(target));
    removePartial(partial);
  };
  options.onBegin(remove);
  try {
    remove();
    const manifest = await writePartial(realPath, partial, { ...options, madeInFolder: false });
    nameBackup(partial, target);
    return manifest;
  } catch (error) {
    throw failedBackup(target, error, remove);
  }
}

/** Writes a verified copy and its manifest. */
export async function writePartial(
  path: string,
  partial: PartialBackup,
  {
    now,
    onBytes,
    onVerify,
    madeInFolder,
  }: Omit<BackupOptions, 'onBegin'> & { readonly madeInFolder: boolean },
): Promise<BackupManifest> {
  const { earlier, later } = await copyWhileWritten(path, partial.file, onBytes);
  const copied = await readState(partial.file);
  if (!isBetween(copied, earlier, later)) {
    throw new DatabaseUnusable(
      `The copy does not hold the data of ${path}. Check the disk and the folder of the backup, then run the backup again`,
    );
  }
  await changeFile(partial.file, deleteOwnRows);
  await onVerify();
  const summary = await verifySound(partial.file);
  const manifest: BackupManifest = {
    madeAt: new Date(now).toISOString(),
    dataCreatedAt: new Date(copied.createdAt).toISOString(),
    madeInFolder,
    schemaVersion,
    ...(await measureFile(partial.file)),
    ...summary,
  };
  flush(partial.file);
  writeNew(partial.manifest, `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

export function nameBackup(partial: PartialBackup, target: string): void {
  // The file comes last: it is never there without its manifest.
  renameSync(partial.manifest, manifestPath(target));
  renameSync(partial.file, target);
  flush(dirname(target));
}

export function removePartial({ file, manifest }: PartialBackup): void {
  removeIfThere(manifest);
  removeDatabase(file);
}

/** Removes what a failed backup wrote. Returns the reason for the failure, also if that cannot be removed. */
export function failedBackup(target: string, error: unknown, remove: () => void): unknown {
  try {
    remove();
  } catch {
    // The backup most often failed for the same reason.
  }
  return toOperatorError(`${target} cannot be written`, error);
}

export function checkFolder(folder: string): void {
  // It is not made: it may be that of a disk that is not mounted.
  if (!existsSync(folder)) throw new DatabaseUnusable(`There is no folder ${resolve(folder)}`);
}

/** Refuses one that is there, or whose folder is not. */
function checkTarget(target: string): void {
  checkFolder(dirname(target));
  // A manifest without a file is one of ours that was killed before its end; anything else is somebody's.
  for (const path of [target, manifestPath(target)]) {
    if (!isThere(path) || (path !== target && isManifest(path))) continue;
    throw new DatabaseUnusable(`${path} already exists; choose another name`);
  }
}
