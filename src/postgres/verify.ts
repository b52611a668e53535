import type { Client } from 'pg';
import { DatabaseUnusable } from '../domain/database.ts';
import { olderSchemaLine } from '../domain/older-schema.ts';
import { faultsMax, type StoreSummary, type Verification } from '../domain/verification.ts';
import { findAuditFaults, readAuditHead } from './audit.ts';
import { createConnections } from './connection.ts';
import { sqlState, translateError } from './errors.ts';
import { parseLocation } from './location.ts';
import { readVersion, schemaVersion } from './migrate.ts';
import { noStoreLine } from './prepare-tables.ts';
import { type Session, statement } from './statement.ts';
import { beginLongReads } from './transaction.ts';

/** As long as reading a table of any size from end to end may take. */
const statementMillisecondsMax = 6 * 60 * 60_000;

/** What is found where PostgreSQL itself cannot read what it once wrote. */
const corruptionStates = new Set(['XX001', 'XX002']);

/**
 * Looks through a whole database while servers go on: every animal is read, counters, references, audit trail and keys
 * are compared. Pages and indexes are PostgreSQL's own to check. `notedDigest` is that of an entry that the trail had.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function verifyDatabase(url: string, notedDigest?: string): Promise<Verification> {
  const location = parseLocation(url);
  await using connections = createConnections({ location, connectionsMax: 1, allowDataLoss: true });
  const client = await connections.connect();
  try {
    return await verifyIn(client, notedDigest);
  } catch (error) {
    if (!corruptionStates.has(sqlState(error) ?? '')) throw translateError(error);
    const reason = error instanceof Error ? error.message : String(error);
    return { faults: [`PostgreSQL cannot read the data to its end: ${reason}`] };
  } finally {
    await client.end();
  }
}

async function verifyIn(client: Client, notedDigest: string | undefined): Promise<Verification> {
  const session = await beginLongReads(client, statementMillisecondsMax);
  const version = await readVersion(client);
  if (version === 0) throw new DatabaseUnusable(noStoreLine);
  if (version < schemaVersion) {
    throw new DatabaseUnusable(olderSchemaLine('The database', version, schemaVersion));
  }
  // Reads all there is first: what PostgreSQL cannot read it says here.
  const summary = await summarise(session);
  const faults = [...(await findFaults(session)), ...(await findAuditFaults(session, notedDigest))];
  return faults.length > 0 ? { faults: faults.slice(0, faultsMax) } : summary;
}

// With a column that is in no index, so that the rows themselves are read.
const selectWorkspaces = statement<{ name: string; animals: bigint; nextId: bigint }>(`
  SELECT workspaces.name, next_pet_id AS "nextId", coalesce(animals, 0) AS animals
  FROM workspaces LEFT JOIN (
    SELECT workspace_id, count(category_id) AS animals FROM pets GROUP BY workspace_id
  ) AS counted ON workspace_id = workspaces.id
  ORDER BY workspaces.name COLLATE "C"`);

const countApiKeys = statement<{ count: bigint }>('SELECT count(*) AS count FROM api_keys');

async function summarise(session: Session): Promise<StoreSummary> {
  const { rows } = await session.run(selectWorkspaces);
  const workspaces = rows.map(({ name, animals, nextId }) => ({
    name,
    animals: Number(animals),
    nextId: Number(nextId),
  }));
  const { rows: keys } = await session.run(countApiKeys);
  return {
    animals: workspaces.reduce((sum, { animals }) => sum + animals, 0),
    workspaces,
    apiKeys: Number(keys[0]?.count ?? 0),
    audit: await readAuditHead(session),
  };
}

const selectFaults = statement<{ fault: string }>(`
  SELECT 'Workspace ' || name || ' would give out an id again' AS fault FROM workspaces
  WHERE next_pet_id <= (SELECT max(id) FROM pets WHERE workspace_id = workspaces.id)
  UNION ALL SELECT 'The store would give out an id of workspaces again' FROM store
  WHERE next_workspace_id <= (SELECT max(id) FROM workspaces)
  UNION ALL SELECT 'The store would give out an id of keys again' FROM store
  WHERE next_api_key_id <= (SELECT max(id) FROM api_keys)
  UNION ALL SELECT 'A row of pets belongs to one of workspaces that is not there'
  WHERE EXISTS (SELECT 1 FROM (SELECT DISTINCT workspace_id FROM pets) AS used
    WHERE workspace_id NOT IN (SELECT id FROM workspaces))
  UNION ALL SELECT 'A row of api_keys belongs to one of workspaces that is not there'
  WHERE EXISTS (SELECT 1 FROM api_keys WHERE workspace_id NOT IN (SELECT id FROM workspaces))
  UNION ALL SELECT 'A row of once_keys belongs to one of workspaces that is not there'
  WHERE EXISTS (SELECT 1 FROM once_keys WHERE workspace_id NOT IN (SELECT id FROM workspaces))`);

async function findFaults(session: Session): Promise<readonly string[]> {
  const { rows } = await session.run(selectFaults);
  return rows.map(({ fault }) => fault);
}
