import { recordAudit } from './audit.ts';
import { createConnections } from './connection.ts';
import { translateError } from './errors.ts';
import { readSystem, takeIdentity } from './identity.ts';
import { parseLocation } from './location.ts';
import { noStoreLine, prepareTables } from './prepare-tables.ts';
import { type Session, statement } from './statement.ts';
import { runTransaction, sessionOf } from './transaction.ts';

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
export async function takeRestoredTables(url: string, options: RestoredOptions): Promise<void> {
  const { allowDataLoss, idGap, now } = options;
  const location = parseLocation(url);
  await using connections = createConnections({
    location,
    connectionsMax: 1,
    allowDataLoss,
    takesRestored: true,
  });
  // Older tables as well: whose rows they are, and what their schema is, could not be told one after the other.
  await prepareTables(connections, { refusalIfMissing: noStoreLine, older: 'migrated' });
  const client = await connections.connect();
  try {
    const system = await readSystem(client);
    await runTransaction(client, async () => {
      await client.query(`SET LOCAL statement_timeout = ${statementMillisecondsMax}`);
      const session = sessionOf(client, statementMillisecondsMax);
      await takeIdentity(session, system);
      await raiseCounters(session, idGap);
      await recordAudit(session, { at: now, event: 'tables_restored', details: { idGap } });
    });
  } catch (error) {
    throw translateError(error);
  } finally {
    await client.end();
  }
}

const raiseStoreCounters = statement(`
  UPDATE store SET next_workspace_id = next_workspace_id + $1::bigint, next_api_key_id = next_api_key_id + $1::bigint`);

// A server may still keep pages under the revisions that were lost.
const raiseWorkspaceCounters = statement(`
  UPDATE workspaces SET next_pet_id = next_pet_id + $1::bigint,
    revision = revision + 1 + floor(random() * 1000000)::bigint`);

async function raiseCounters(session: Session, idGap: number): Promise<void> {
  await session.run(raiseStoreCounters, [idGap]);
  await session.run(raiseWorkspaceCounters, [idGap]);
}
