import { recordAudit } from '../storage/access/audit.ts';
import { deleteOwnRows } from '../storage/copies/local-rows.ts';
import { resetFeeds } from '../storage/feed/events.ts';
import { raiseCounters } from '../storage/records/counters.ts';
import { createConnections } from './connection.ts';
import { translateError } from './errors.ts';
import { readSystem, takeIdentity } from './identity.ts';
import { parseLocation } from './location.ts';
import { noDataLine, prepareTables } from './migrate.ts';
import { runTransaction } from './transaction.ts';

export interface RestoredOptions {
  readonly allowDataLoss: boolean;
  /** More than the ids of any kind that were given out since the tables were as they are now. */
  readonly idGap: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** As long as raising the counters of very many workspaces may take. */
const statementMillisecondsMax = 10 * 60_000;

/**
 * Makes tables ready for use that PostgreSQL's own tools restored: ids go on above all that were given out since they
 * were so, and from now on these are the tables that servers take.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function acceptRestoredTables(url: string, options: RestoredOptions): Promise<void> {
  const { allowDataLoss, idGap, now } = options;
  const location = parseLocation(url);
  await using connections = createConnections({
    location,
    connectionsMax: 1,
    allowDataLoss,
    takesRestored: true,
  });
  // Older tables as well: whose rows they are, and what their schema is, could not be told one after the other.
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
        // Without a gap nothing was lost, and every position holds.
        if (idGap > 0) await resetFeeds(transaction, now);
        const details = { idGap };
        await recordAudit(transaction, { at: now, event: 'tables_restored', details });
      },
      statementMillisecondsMax,
    );
  } catch (error) {
    throw translateError(error);
  } finally {
    await client.end();
  }
}
