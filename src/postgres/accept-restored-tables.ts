import { background } from '../context/context.ts';
import { addAuditEntry } from '../storage/access/audit-trail.ts';
import type { Durability } from '../storage/contract/durability.ts';
import { deleteLocalRows } from '../storage/copies/copy-database.ts';
import { resetFeeds } from '../storage/feed/event-feed.ts';
import { raiseCounters } from '../storage/records/counters.ts';
import { pauseWebhooks } from '../storage/webhooks/pause.ts';
import { openConnections } from './connections.ts';
import { readSystem, takeIdentity } from './identity.ts';
import { noDataLine, prepareTables } from './prepare-tables.ts';
import { runTransaction } from './run-transaction.ts';

/** For raising the counters of very many workspaces. */
const statementMillisecondsMax = 10 * 60_000;

/**
 * Prepares tables that the tools of PostgreSQL restored: new ids start above all ids that were assigned before the restore, and
 * servers accept the tables. Returns the number of webhooks, which are all paused. `idGap` is more than the number of ids of any kind that were assigned after the restored state.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function acceptRestoredTables(
  url: string,
  durability: Durability,
  idGap: number,
  now: number,
): Promise<number> {
  await using connections = openConnections(url, { durability, takesRestored: true });
  // Migrates older tables too, because no server could do that before this command or after it.
  await prepareTables(connections, { refusalIfMissing: noDataLine, older: 'migrated', now });
  return await connections.use(async (client) => {
    const system = await readSystem(client);
    const { result } = await runTransaction(
      client,
      background,
      async (transaction) => {
        takeIdentity(transaction, system);
        await deleteLocalRows(transaction);
        const pausedWebhooks = await pauseWebhooks(transaction);
        await raiseCounters(transaction, idGap);
        // Without a gap nothing was lost, so positions in the feeds stay valid.
        if (idGap > 0) await resetFeeds(transaction, now);
        await addAuditEntry(transaction, now, 'tables_restored', { idGap });
        return pausedWebhooks;
      },
      statementMillisecondsMax,
    );
    return result;
  });
}
