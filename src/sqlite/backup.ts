import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { emptyAuditHead } from '../domain/audit.ts';
import { DatabaseUnusable } from '../domain/database.ts';
import type { StoreSummary } from '../domain/verification.ts';
import { continueTrail, prepareAudit, readAuditHead } from './audit.ts';
import { openReaderConnection, openWritableConnection, sqliteCode } from './connection.ts';
import { copyWhileWritten } from './copy-file.ts';
import { makePlace, migrateFile } from './file.ts';
import { schemaVersion } from './migrate.ts';
import { lockForServer } from './server-lock.ts';
import { unusable } from './unusable.ts';
import { verifyInThread } from './verify-in-thread.ts';

/** What lies beside a backup, in `FILE.json`, to tell whether it is whole and what it holds. */
export interface BackupManifest extends StoreSummary {
  readonly madeAt: string;
  readonly schemaVersion: number;
  readonly bytes: number;
  /** Of the file, in hexadecimal. */
  readonly sha256: string;
}

export interface BackupOptions {
  readonly now: number;
  /** Told once there may be something to remove, by `removePartialBackup`, where it does not come to its end. */
  readonly onBegin: () => void;
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
  if (!existsSync(path)) throw new DatabaseUnusable(`There is no file ${path} to back up`);
  refuseToReplace(target);
  onBegin();
  removePartialBackup(target);
  const partial = partialPath(target);
  try {
    await copyWhileWritten(path, partial, onBytes);
    await onVerify();
    const summary = await verifiedSummary(partial);
    const manifest: BackupManifest = {
      madeAt: new Date(now).toISOString(),
      schemaVersion,
      ...(await measureFile(partial)),
      ...summary,
    };
    flush(partial);
    writeFileSync(partialPath(manifestPath(target)), `${JSON.stringify(manifest, undefined, 2)}\n`);
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
export function removePartialBackup(target: string): void {
  if (!existsSync(target)) rmSync(manifestPath(target), { force: true });
  rmSync(partialPath(manifestPath(target)), { force: true });
  removeDatabase(partialPath(target));
}

/** A manifest without a file is one of ours that was killed before its end; anything else is somebody's. */
function refuseToReplace(target: string): void {
  for (const path of [target, manifestPath(target)]) {
    if (!existsSync(path) || (path !== target && isManifest(path))) continue;
    throw new DatabaseUnusable(`${path} is there already: name another`);
  }
}

function partialPath(target: string): string {
  return `${target}.partial`;
}

/** A file, and what SQLite may have left beside it, which it would take for a part of the next one there. */
function removeDatabase(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm'])
    rmSync(`${path}${suffix}`, { force: true });
}

/** What replaced what, and from where ids go on. */
export interface Restored {
  readonly manifest: BackupManifest;
  /** How many were in the store that was replaced, where they could be counted. */
  readonly replacedAnimals: number | undefined;
  /** Whether the store that was replaced told how far its ids had come. */
  readonly replacedWasRead: boolean;
  /** Whether all that the replaced store's audit trail told is in that of the restored one. */
  readonly auditTrailWasKept: boolean;
}

/**
 * Puts a backup in the place of a file that no server uses. Ids go on above all that the replaced file gave out or,
 * where it is gone or cannot be read, `idGap` above those of the backup.
 * @throws DatabaseUnusable with one line for the operator, and with the file as it was.
 */
export async function restoreFile(
  backup: string,
  path: string,
  { idGap, now }: { readonly idGap: number; readonly now: number },
): Promise<Restored> {
  const manifest = await readManifest(backup);
  const existed = existsSync(path);
  const realPath = existed ? realpathSync(path) : makePlace(path);
  using _lock = lockForServer(realPath);
  const restoring = `${realPath}.restoring`;
  // What is left of a restore that was killed.
  removeDatabase(restoring);
  try {
    copyFileSync(backup, restoring);
    migrateFile(restoring, 'taken');
    const replacedAnimals = existed ? countAnimals(realPath) : undefined;
    const replacedWasRead = existed && raiseAbove(restoring, realPath);
    if (!replacedWasRead) raiseBy(restoring, idGap);
    const auditTrailWasKept = recordRestore(
      restoring,
      existed ? realPath : undefined,
      manifest,
      now,
    );
    foldLog(restoring);
    await verifiedSummary(restoring);
    flush(restoring);
    if (existed) foldLog(realPath);
    renameSync(restoring, realPath);
    flush(dirname(realPath));
    return { manifest, replacedAnimals, replacedWasRead, auditTrailWasKept };
  } catch (error) {
    removeDatabase(restoring);
    throw unusable(`${path} cannot be restored`, error);
  }
}

const manifestSchema = z.object({
  madeAt: z.string(),
  schemaVersion: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  animals: z.int(),
  workspaces: z.array(z.object({ name: z.string(), animals: z.int(), nextId: z.int() })),
  apiKeys: z.int(),
  audit: z.object({ count: z.int(), digest: z.string() }).default(emptyAuditHead),
});

function isManifest(path: string): boolean {
  try {
    return manifestSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).success;
  } catch {
    return false;
  }
}

/** The manifest of a backup that is what it says. */
async function readManifest(backup: string): Promise<BackupManifest> {
  if (!existsSync(backup)) throw new DatabaseUnusable(`There is no file ${backup}`);
  const path = manifestPath(backup);
  let parsed: z.infer<typeof manifestSchema>;
  try {
    parsed = manifestSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new DatabaseUnusable(`${path} is missing or no manifest of a backup`, { cause });
  }
  if ((await measureFile(backup)).sha256 !== parsed.sha256) {
    throw new DatabaseUnusable(`${backup} is damaged: it is not what its manifest says`);
  }
  if (parsed.schemaVersion > schemaVersion) {
    throw new DatabaseUnusable(
      `${backup} has schema version ${parsed.schemaVersion}, and this program knows versions up to ${schemaVersion}`,
    );
  }
  return parsed;
}

async function verifiedSummary(path: string): Promise<StoreSummary> {
  const result = await verifyInThread(path);
  if ('faults' in result) {
    throw new DatabaseUnusable(`The data is damaged: ${result.faults.join('; ')}`);
  }
  return result;
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

/** Raises the counters of a restored file to those of the one it replaces; false where that cannot be read. */
function raiseAbove(restored: string, replaced: string): boolean {
  try {
    using connection = openWritableConnection(restored);
    connection.run('ATTACH ? AS replaced', [replaced]);
    connection.transaction(() => {
      connection.run(`
        UPDATE workspaces SET next_pet_id = max(next_pet_id, coalesce(
          (SELECT next_pet_id FROM replaced.workspaces AS before WHERE before.id = workspaces.id), 0))`);
      connection.run(`
        UPDATE sqlite_sequence SET seq = max(seq, coalesce(
          (SELECT seq FROM replaced.sqlite_sequence AS before WHERE before.name = sqlite_sequence.name), 0))`);
    })();
    connection.run('DETACH replaced');
    return true;
  } catch {
    // Damaged, which may be why it is replaced.
    return false;
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
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

async function measureFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hasher = new Bun.CryptoHasher('sha256');
  let bytes = 0;
  for await (const chunk of Bun.file(path).stream()) {
    hasher.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hasher.digest('hex') };
}

function manifestPath(backup: string): string {
  return `${backup}.json`;
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
