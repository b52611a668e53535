import { renameSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseUnusable } from '../../storage/contract/database-error.ts';
import { deleteLocalRows } from '../../storage/copies/copy-database.ts';
import { readCreatedAt } from '../../storage/copies/restore.ts';
import { schemaVersion } from '../../storage/schema/prepare-schema.ts';
import { toOperatorError, withOperatorError } from '../errors.ts';
import { findFile, removeDatabase } from '../file/data-file.ts';
import { rejectWhiteSpace } from '../file/file-name.ts';
import { flush, isThere, removeIfThere, writeNew } from '../file/file-system.ts';
import { findRefusal } from '../life/check-life.ts';
import { markAsBackup } from '../life/replace-life.ts';
import { changeFile } from '../transaction.ts';
import { verifySound } from '../verify-in-thread.ts';
import {
  type BackupManifest,
  manifestPath,
  measureFile,
  readRegularManifest,
} from './backup-manifest.ts';
import { copyFile } from './copy-file.ts';

export interface BackupOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Receives a function that removes the files of an incomplete backup. */
  readonly onBegin: (removePartial: () => void) => void;
  /** Called after the copy, before the verification. */
  readonly onVerify: () => Promise<void>;
}

// The names of a backup and its manifest until both are complete. They differ for backups that are written at once.
const partialFile = (name: string) => `${name}.partial`;
const partialManifest = (name: string) => partialFile(manifestPath(name));

/**
 * Writes the state of a database at one moment to another file, while servers run. The backup gets its name after it was
 * verified, so a file with that name is complete.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function backUpFile(
  path: string,
  target: string,
  options: BackupOptions,
): Promise<BackupManifest> {
  const realPath = findFile(path);
  checkTarget(target);
  const remove = () => {
    // The manifest gets its name first, so a killed backup can leave one without a file.
    if (!isThere(target)) removeIfThere(manifestPath(target));
    removePartial(target);
  };
  options.onBegin(remove);
  try {
    remove();
    const manifest = await writePartial(
      realPath,
      { partialName: target, madeInFolder: false },
      options,
    );
    nameBackup(target);
    return manifest;
  } catch (error) {
    throw failedBackup(target, error, remove);
  }
}

/** Writes a verified copy and its manifest under partial names. */
export async function writePartial(
  path: string,
  { partialName, madeInFolder }: { readonly partialName: string; readonly madeInFolder: boolean },
  { now, onVerify }: BackupOptions,
): Promise<BackupManifest> {
  const file = partialFile(partialName);
  const refusal = findRefusal(path);
  if (refusal !== undefined) throw new DatabaseUnusable(refusal);
  await copyFile(path, file);
  const createdAt = await changeFile(file, async (transaction) => {
    await deleteLocalRows(transaction);
    return (await readCreatedAt(transaction)) ?? -1;
  });
  markAsBackup(file);
  await onVerify();
  const summary = await verifySound(file);
  const manifest: BackupManifest = {
    madeAt: new Date(now).toISOString(),
    dataCreatedAt: new Date(createdAt).toISOString(),
    madeInFolder,
    schemaVersion,
    ...(await measureFile(file)),
    ...summary,
  };
  flush(file);
  writeNew(partialManifest(partialName), `${JSON.stringify(manifest, undefined, 2)}\n`);
  flush(partialManifest(partialName));
  return manifest;
}

/** Gives a complete backup its name. */
export function nameBackup(partialName: string, target = partialName): void {
  // The file comes last, so that it never exists without its manifest.
  renameSync(partialManifest(partialName), manifestPath(target));
  renameSync(partialFile(partialName), target);
  flush(dirname(target));
}

export function removePartial(partialName: string): void {
  removeIfThere(partialManifest(partialName));
  removeDatabase(partialFile(partialName));
}

/** Removes what a failed backup wrote. Returns the reason for the failure, also if that cannot be removed. */
export function failedBackup(target: string, error: unknown, remove: () => void): unknown {
  try {
    remove();
  } catch {
    // The removal usually fails for the same reason as the backup.
  }
  return toOperatorError(`${target} cannot be written`, error);
}

/** `advice` is for a path that names something else. */
export function checkFolder(folder: string, advice = 'name a folder'): void {
  const path = resolve(folder);
  const found = withOperatorError(`The folder ${path} cannot be read`, () =>
    statSync(path, { throwIfNoEntry: false }),
  );
  // The folder is not created, because its disk may not be mounted.
  if (found === undefined) {
    throw new DatabaseUnusable(`The folder ${path} does not exist: create it, or mount its disk`);
  }
  if (!found.isDirectory()) throw new DatabaseUnusable(`${path} is not a folder: ${advice}`);
}

/** Rejects a file that exists, or a folder that does not exist. */
function checkTarget(target: string): void {
  rejectWhiteSpace(resolve(target));
  checkFolder(dirname(target));
  // A manifest without a file is left by a killed backup. Any other file belongs to the user.
  withOperatorError(`${target} cannot be written`, () => {
    for (const path of [target, manifestPath(target)]) {
      if (!isThere(path) || (path !== target && readRegularManifest(path))) continue;
      throw new DatabaseUnusable(`${path} already exists; choose another name`);
    }
  });
}
