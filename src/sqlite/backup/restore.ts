import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseUnusable } from '../../storage/contract/database-error.ts';
import { deleteLocalRows } from '../../storage/copies/copy-database.ts';
import {
  continueRestoredTrail,
  type Replaced,
  type RestoredBackup,
  raiseRestoredCounters,
  readReplaced,
} from '../../storage/copies/restore.ts';
import { readHighestCounter } from '../../storage/records/counters.ts';
import { pauseWebhooks } from '../../storage/webhooks/pause.ts';
import { openReaderConnection } from '../connection.ts';
import { isDamage, readUnlessDamaged } from '../errors.ts';
import { findPath } from '../file/data-file.ts';
import { beginRead } from '../file/file-reader.ts';
import { hasContent, makeFolder, openNew } from '../file/file-system.ts';
import { isRefused, withoutGapLine } from '../life/check-life.ts';
import { idMaxOf } from '../life/replace-life.ts';
import { isOfOtherProgram, prepareFile } from '../migrate-file.ts';
import { createQueryable } from '../queryable.ts';
import { changeFile } from '../transaction.ts';
import { readManifest } from './backup-manifest.ts';
import { checkBackup, copyPlainFile } from './plain-file.ts';
import { type ReplaceOptions, replaceData, setAsideForeignLog } from './replace-data.ts';

/**
 * Replaces a file that no process uses with a backup, or with a plain file that has no manifest. New ids start above all ids of the replaced file. If it is missing,
 * unreadable or from another database, they start `idGap` above those of the backup.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator. The data is then unchanged, and its log can have another name.
 */
export async function restoreFile(backup: string, path: string, options: ReplaceOptions) {
  const { idGap, now } = options;
  const manifest = await readManifest(backup);
  const realPath = findPath(path);
  makeFolder(dirname(realPath));
  const fault = `${path} cannot be restored`;
  const check = () => {
    if (hasContent(realPath)) rejectReplacement(realPath, backup);
  };
  const make = async (restoring: string) => {
    const existed = hasContent(realPath);
    const isLacking = existed && isRefused(realPath);
    if (isLacking && idGap === 0) throw new DatabaseUnusable(withoutGapLine(path));
    if (existed) setAsideForeignLog(realPath, options);
    const origin = manifest ?? (await copyPlainFile(backup, restoring));
    if (manifest !== undefined) await copyContents(backup, restoring);
    await checkBackup(restoring, backup);
    const { replaced, wasKept } = await continueReplaced(existed, realPath, restoring, {
      now,
      backup: { madeAt: origin.madeAt, sha256: origin.sha256 },
    });
    await prepareFile(restoring, { older: 'migrated', unfinishedCopy: 'taken', now });
    const raising = { idGap, now, isLacking, idMax: idMaxOf(realPath) };
    return {
      ...(await changeRestored(restoring, replaced, raising)),
      isWhole: !isLacking,
      auditTrailWasKept: wasKept || !existed,
      replacedAnimals: replaced.animals,
    };
  };
  const made = await replaceData(realPath, fault, options, make, check);
  return {
    replaced: made.kind,
    /** Whether the restored audit trail contains that of the replaced data. */
    auditTrailWasKept: made.auditTrailWasKept,
    animals: made.animals,
    apiKeys: made.apiKeys,
    /** Undefined for a file without a manifest. */
    madeAt: manifest?.madeAt,
    pausedWebhooks: made.pausedWebhooks,
    /** The new name of the replaced file; undefined if there was none. */
    keptAs: made.keptAs,
    /** Undefined if the replaced data could not be read. */
    replacedAnimals: made.replacedAnimals,
  };
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

/** The copy uses one descriptor, so that a file that a signal removed is not created again. */
async function copyContents(from: string, to: string): Promise<void> {
  // Only the owner may read the data, so the copy does not have the mode of the backup.
  await using copy = await openNew(to);
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
  const found = readUnlessDamaged(() => {
    using connection = openReaderConnection(path);
    return isOfOtherProgram(connection);
  });
  return found === true;
}

/** Reads the replaced data, and lets the restored data continue its audit trail. */
async function continueReplaced(
  existed: boolean,
  path: string,
  restoring: string,
  { now, backup }: { readonly now: number; readonly backup: RestoredBackup },
) {
  // A file that is not a readable database is not read, because that can be why it is replaced.
  const open = () => beginRead(openReaderConnection(path));
  using reader = existed ? readUnlessDamaged(open) : undefined;
  const queryable = reader && createQueryable(reader.connection);
  const replaced: Replaced = queryable === undefined ? {} : await readReplaced(queryable, isDamage);
  const wasKept = await changeFile(restoring, (transaction) =>
    continueRestoredTrail(transaction, queryable, backup, { now, isDamage }),
  );
  return { replaced, wasKept };
}
