import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { DatabaseUnavailable, DatabaseUnusable } from '../../storage/contract/database-error.ts';
import { toOperatorError, withOperatorError } from '../errors.ts';
import { findFile } from '../file/data-file.ts';
import { flush, isThere, removeIfThere } from '../file/file-system.ts';
import {
  type BackupOptions,
  checkFolder,
  failedBackup,
  nameBackup,
  removePartial,
  writePartial,
} from './backup.ts';
import { lockFolder } from './backup-lock.ts';
import {
  type BackupManifest,
  findRegular,
  manifestPath,
  type OnUnreadable,
  readRegularManifest,
} from './backup-manifest.ts';

/** A complete backup: a regular file of the size in its manifest. */
interface FoundBackup {
  readonly path: string;
  readonly manifest: BackupManifest;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
}

/** Clocks of two machines can differ by this much. A backup with a later time was made with a wrong clock. */
export const clockSkewMillisecondsMax = 5 * 60_000;

const backupName = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/;
const partialNames =
  /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.[0-9a-f]{8}(?:\.partial(?:-journal|-wal|-shm)?|\.json\.partial)$/;

export function isBackupName(name: string): boolean {
  return backupName.test(name);
}

/** Such as `2026-11-22T19-30-00Z`, which sorts by time. */
export function nameOfTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/**
 * Writes a backup to a folder, named by its time. During that, its files have unique names, so that any number of backups can be
 * written to the folder at once.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function backUpToFolder(
  path: string,
  folder: string,
  { id, ...options }: BackupOptions & { readonly id: string },
): Promise<Pick<FoundBackup, 'path' | 'manifest'>> {
  const realPath = findFile(path);
  checkFolder(folder, 'name the file without --folder');
  const partialName = join(folder, `${nameOfTime(options.now)}.${id.slice(0, 8)}`);
  const remove = () => removePartial(partialName);
  try {
    removeLeftovers(folder);
    using _writeLock = lockFolder(folder, 'write');
    options.onBegin(remove);
    const manifest = await writePartial(realPath, { partialName, madeInFolder: true }, options);
    using _changeLock = lockFolder(folder, 'change');
    const target = findFreeName(folder, options.now);
    nameBackup(partialName, target);
    return { path: target, manifest };
  } catch (error) {
    throw failedBackup(`A backup in ${folder}`, error, remove);
  }
}

function lockFolderIfUnused(folder: string): Disposable | undefined {
  try {
    return lockFolder(folder, 'cleanUp');
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined;
    throw error;
  }
}

/** Returns the name for a time, or for the next second without a backup. */
function findFreeName(folder: string, now: number): string {
  for (let milliseconds = now; ; milliseconds += 1000) {
    const path = join(folder, `${nameOfTime(milliseconds)}.db`);
    if (!isThere(path) && !isThere(manifestPath(path))) return path;
  }
}

/** Removes files that killed backups left: partial files, and manifests without a file. Not while another backup is written. */
function removeLeftovers(folder: string): void {
  using lock = lockFolderIfUnused(folder);
  if (lock === undefined) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (partialNames.test(name)) removeIfThere(path);
    const backup = name.replace(/\.json$/, '');
    const isManifest = backup !== name && isBackupName(backup) && !isThere(join(folder, backup));
    if (isManifest && readRegularManifest(path)?.madeInFolder === true) removeIfThere(path);
  }
}

/**
 * Removes the oldest backups that `backUpToFolder` made of the same database, and keeps `keep` of them, including `made`. It
 * does not count backups with a later time than `made`, which cannot be ordered (docs/decisions/backups.md). Returns the removed
 * backups, and the number of later ones.
 */
export function removeOldBackups(
  folder: string,
  made: Pick<FoundBackup, 'path' | 'manifest'>,
  keep: number,
) {
  const newestAt = Date.parse(made.manifest.madeAt);
  return withOperatorError(`Old backups in ${folder} cannot be removed`, () => {
    using _lock = lockFolder(folder, 'change');
    const others = findBackups(folder).filter(
      ({ path, manifest }) =>
        path !== made.path &&
        manifest.madeInFolder === true &&
        isBackupName(basename(path)) &&
        manifest.dataCreatedAt === made.manifest.dataCreatedAt,
    );
    const earlier = others.filter(({ madeAt }) => madeAt <= newestAt);
    const removed = earlier.slice(keep - 1).map(({ path }) => path);
    for (const path of removed) {
      // The file goes first: a file without a manifest would never be removed.
      removeIfThere(path);
      removeIfThere(manifestPath(path));
    }
    if (removed.length > 0) flush(folder);
    return { removed, laterCount: others.length - earlier.length };
  });
}

/**
 * Returns the newest backup in a folder by the times in the manifests.
 * @throws DatabaseUnusable with one line for the operator, also if the newest backup can be the wrong one.
 */
export function findLatestBackup(
  folder: string,
  now: number,
  report: (line: string) => void,
): FoundBackup {
  checkFolder(folder, 'name the file without --latest');
  const found = withOperatorError(`${folder} cannot be read`, () =>
    findBackups(folder, (manifest, error) => {
      throw toOperatorError(
        `The newest backup in ${resolve(folder)} is unknown, because ${manifest} cannot be read`,
        error,
      );
    }),
  );
  for (const path of findIncomplete(folder, found)) {
    report(`${path} is not complete and is skipped: a backup is a file with its manifest`);
  }
  const [latest] = found;
  if (latest === undefined) {
    throw new DatabaseUnusable(
      `${resolve(folder)} has no complete backup: a backup is a file with its manifest FILE.json`,
    );
  }
  const newest = [...Map.groupBy(found, ({ manifest }) => manifest.dataCreatedAt).values()];
  if (newest.length > 1) {
    const names = newest.flatMap(([first]) => (first === undefined ? [] : [describe(first)]));
    throw new DatabaseUnusable(
      `${resolve(folder)} has backups of ${newest.length} databases: restore one by its name. The newest of each are ${names.join(', ')}`,
    );
  }
  if (latest.madeAt > now + clockSkewMillisecondsMax) {
    throw new DatabaseUnusable(
      `The newest backup in ${resolve(folder)} has a time in the future, because a clock is or was wrong: ${describe(latest)}. Restore a backup by its name`,
    );
  }
  return latest;
}

function describe({ path, manifest: { madeAt, animals } }: FoundBackup): string {
  return `${path} (${madeAt}, animals: ${animals})`;
}

/** Returns all complete backups in a folder, newest first. `onUnreadable` receives each manifest that this user may not read. */
function findBackups(folder: string, onUnreadable?: OnUnreadable): readonly FoundBackup[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const path = join(folder, name);
      const bytes = findRegular(path)?.size;
      if (bytes === undefined) return [];
      const manifest = readRegularManifest(manifestPath(path), onUnreadable);
      const madeAt = Date.parse(manifest?.madeAt ?? '');
      return manifest?.bytes !== bytes || Number.isNaN(madeAt) ? [] : [{ path, manifest, madeAt }];
    })
    .sort((one, other) => other.madeAt - one.madeAt || (one.path < other.path ? 1 : -1));
}

/** Returns the names of backups whose file or manifest is missing or has another size. */
function findIncomplete(folder: string, complete: readonly FoundBackup[]): readonly string[] {
  const names = readdirSync(folder).filter((name) => isBackupName(name) || name.endsWith('.json'));
  const paths = new Set(names.map((name) => join(folder, name.replace(/\.json$/, ''))));
  for (const { path } of complete) paths.delete(path);
  return [...paths];
}
