import { recordAudit } from '../storage/access/audit.ts';
import { deleteOwnRows } from '../storage/copies/local-rows.ts';
import { resetFeeds } from '../storage/feed/events.ts';
import { raiseCounters } from '../storage/records/counters.ts';
import { openConnections } from './connection.ts';
import { readSystem, takeIdentity } from './identity.ts';
import { noDataLine, prepareTables } from './migrate.ts';
import { runTransaction } from './transaction.ts';

export interface RestoredOptions {
  readonly allowDataLoss: boolean;
  /** More than the number of ids of any kind that were assigned after the state that was restored. */
  readonly idGap: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** For raising the counters of very many workspaces. */
const statementMillisecondsMax = 10 * 60_000;

/**
 * Prepares tables that the tools of PostgreSQL restored: new ids start above all ids that were assigned before the restore, and
 * servers accept the tables.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function acceptRestoredTables(url: string, options: RestoredOptions): Promise<void> {
  const { allowDataLoss, idGap, now } = options;
  await using connections = openConnections(url, { allowDataLoss, takesRestored: true });
  // Migrates older tables too, because no server could do that before this command or after it.
  await prepareTables(connections, { refusalIfMissing: noDataLine, older: 'migrated', now });
  const client = await connections.connect();
  try {
    const system = await readSystem(client);
    await runTransaction(
      client,
      async (transaction) => {
        takeIdentity(transaction, system);
        await deleteOwnRows(transaction);
        await raiseCounters(transaction, idGap);
        // Without a gap nothing was lost, so positions in the feeds stay valid.
        if (idGap > 0) await resetFeeds(transaction, now);
        const details = { idGap };
        await recordAudit(transaction, { at: now, event: 'tables_restored', details });
      },
      statementMillisecondsMax,
    );
  } finally {
    await client.end();
  }
}
