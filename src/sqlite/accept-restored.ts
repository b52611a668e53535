import { DatabaseUnusable } from '../domain/database/database-error.ts';
import { recordAudit } from '../storage/access/audit.ts';
import { deleteLocalRows } from '../storage/copies/copy.ts';
import { resetFeeds } from '../storage/feed/events.ts';
import { raiseCounters, readHighestCounter } from '../storage/records/counters.ts';
import { pauseWebhooks } from '../storage/webhooks/pause.ts';
import type { BackupOptions } from './backup/backup.ts';
import { applyLog, copyFile } from './backup/copy-file.ts';
import { checkBackup } from './backup/plain-file.ts';
import { toOperatorError } from './errors.ts';
import { findFile, removeDatabase, setAsideForeignLog } from './file/data-file.ts';
import { flush } from './file/file-system.ts';
import { lockFile } from './file/lock-file.ts';
import { replaceFile } from './file/replace-file.ts';
import { hasForeignLog, isRefused, lacksKnownCommits, withoutGapLine } from './life/check-life.ts';
import { clearMarkOfReplaced, idMaxOf, prepareReplacement } from './life/replace-life.ts';
import { prepareFile } from './migrate-file.ts';
import { changeFile } from './transaction.ts';
import { verifySound } from './verify-in-thread.ts';

interface AcceptOptions extends Pick<BackupOptions, 'now' | 'onBegin'> {
  /** More than the number of ids of any kind that were assigned after the state of the file. */
  readonly idGap: number;
  /** Receives lines for the operator about what was found and done. */
  readonly report: (line: string) => void;
}

/**
 * Prepares a file for use that another program restored, or that lost commits: new ids start above all ids that were assigned
 * before, and servers accept the file. They get a changed copy of it, and the file itself is kept. No process may use it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator. The data is then unchanged, and its log can have another name.
 */
export async function acceptRestoredFile(
  givenPath: string,
  { idGap, now, report, onBegin }: AcceptOptions,
) {
  const path = findFile(givenPath);
  using lock = lockFile(path, 'copy or restore', report);
  const accepted = `${path}.restoring`;
  onBegin(() => {
    removeDatabase(accepted);
    lock[Symbol.dispose]();
  });
  // A killed command can leave files.
  removeDatabase(accepted);
  try {
    if (hasForeignLog(path)) setAsideForeignLog(path, now, report);
    if (idGap === 0 && lacksKnownCommits(path)) {
      throw new DatabaseUnusable(withoutGapLine(path));
    }
    await checkBackup(path, path);
    await copyFile(path, accepted, { older: 'migrated' });
    await prepareFile(accepted, { older: 'migrated', now });
    const { pausedWebhooks, idMax } = await changeFile(accepted, async (transaction) => {
      await deleteLocalRows(transaction);
      const count = await pauseWebhooks(transaction);
      await raiseCounters(transaction, idGap, idMaxOf(path));
      // Without a gap nothing was lost, so positions in the feeds stay valid.
      if (idGap > 0) await resetFeeds(transaction, now);
      await recordAudit(transaction, { at: now, event: 'tables_restored', details: { idGap } });
      return { pausedWebhooks: count, idMax: await readHighestCounter(transaction) };
    });
    const isWholeFile = !isRefused(path);
    const life = prepareReplacement(path, accepted, idMax);
    applyLog(accepted);
    const { animals, apiKeys } = await verifySound(accepted);
    flush(accepted);
    // SQLite would apply the log to the accepted file.
    applyLog(path);
    if (isWholeFile) clearMarkOfReplaced(path);
    life.before();
    const keptAs = replaceFile(path, accepted, now);
    life.after();
    lock.keep();
    return { pausedWebhooks, keptAs, animals, apiKeys };
  } catch (error) {
    removeDatabase(accepted);
    throw toOperatorError(`${path} cannot be accepted`, error);
  }
}
