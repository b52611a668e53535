import { addAuditEntry } from '../storage/access/audit-trail.ts';
import { DatabaseUnusable } from '../storage/contract/database-error.ts';
import { deleteLocalRows } from '../storage/copies/copy-database.ts';
import { resetFeeds } from '../storage/feed/event-feed.ts';
import { raiseCounters, readHighestCounter } from '../storage/records/counters.ts';
import { pauseWebhooks } from '../storage/webhooks/pause.ts';
import { copyFile } from './backup/copy-file.ts';
import { checkBackup } from './backup/plain-file.ts';
import { type ReplaceOptions, replaceData, setAsideForeignLog } from './backup/replace-data.ts';
import { findFile } from './file/data-file.ts';
import { isRefused, lacksKnownCommits, withoutGapLine } from './life/check-life.ts';
import { idMaxOf } from './life/replace-life.ts';
import { prepareFile } from './migrate-file.ts';
import { changeFile } from './transaction.ts';

/**
 * Prepares a file for use that another program restored, or that lost commits: new ids start above all ids that were assigned
 * before, and servers accept the file. They get a changed copy of it, and the file itself is kept. No process may use it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator. The data is then unchanged, and its log can have another name.
 */
export function acceptRestoredFile(givenPath: string, options: ReplaceOptions) {
  const { idGap, now } = options;
  const path = findFile(givenPath);
  return replaceData(path, `${path} cannot be accepted`, options, async (accepted) => {
    setAsideForeignLog(path, options);
    if (idGap === 0 && lacksKnownCommits(path)) {
      throw new DatabaseUnusable(withoutGapLine(path));
    }
    await checkBackup(path, path);
    await copyFile(path, accepted, { older: 'migrated' });
    await prepareFile(accepted, { older: 'migrated', now });
    const changed = await changeFile(accepted, async (transaction) => {
      await deleteLocalRows(transaction);
      const pausedWebhooks = await pauseWebhooks(transaction);
      await raiseCounters(transaction, idGap, idMaxOf(path));
      // Without a gap nothing was lost, so positions in the feeds stay valid.
      if (idGap > 0) await resetFeeds(transaction, now);
      await addAuditEntry(transaction, now, 'tables_restored', { idGap });
      return { pausedWebhooks, idMax: await readHighestCounter(transaction) };
    });
    return { ...changed, isWhole: !isRefused(path) };
  });
}
