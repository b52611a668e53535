import { DatabaseUnavailable } from '../domain/database/database-error.ts';
import type { VerificationReport } from '../domain/database/verification.ts';
import { unchecked, verifyRecords } from '../storage/copies/verify.ts';
import type { Queryable } from '../storage/queryable.ts';
import { statement } from '../storage/statement.ts';
import { createConnections } from './connection.ts';
import { sqlState } from './errors.ts';
import { parseLocation } from './location.ts';
import { noDataLine, prepareTables } from './migrate.ts';
import { openSnapshot } from './snapshot.ts';

/** What is found where PostgreSQL itself cannot read what it once wrote. */
const corruptionStates = new Set(['XX001', 'XX002']);

/**
 * Looks through a whole database while servers go on: every animal is read, counters, references, audit trail and keys
 * are compared. Pages and indexes are PostgreSQL's own to check. `notedDigest` is that of an entry that the trail had.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function verifyDatabase(
  url: string,
  notedDigest?: string,
): Promise<VerificationReport> {
  const location = parseLocation(url);
  await using connections = createConnections({ location, connectionsMax: 1, allowDataLoss: true });
  await prepareTables(connections, {
    refusalIfMissing: noDataLine,
    unfinishedCopy: 'taken',
    now: 0,
  });
  await using snapshot = await openSnapshot(connections);
  try {
    const found = await verifyRecords(snapshot, notedDigest);
    return { found, notes: [uncheckedInTables, await describeChecksums(snapshot)] };
  } catch (error) {
    const cause = error instanceof DatabaseUnavailable ? error.cause : error;
    if (!corruptionStates.has(sqlState(cause) ?? '')) throw error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const faults = [`PostgreSQL cannot read all data: ${reason}`];
    return { found: { faults }, notes: [] };
  }
}

/** SQLite has these in its indexes as well. */
const uncheckedInTables =
  `Not checked: indexes, ids, names and categories of animals, orders except that an open order reserves its animal, names of ` +
  `workspaces without keys, ${unchecked}.`;

const selectChecksums = statement<{ setting: string }>(
  "SELECT current_setting('data_checksums') AS setting",
);

async function describeChecksums(queryable: Queryable): Promise<string> {
  const [row] = await queryable.all(selectChecksums);
  return row?.setting === 'on'
    ? 'Data checksums are on: PostgreSQL checked every page that it read from disk.'
    : 'Data checksums are off: enable them with pg_checksums, so that PostgreSQL finds damaged pages.';
}
