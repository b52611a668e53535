import { DatabaseUnavailable } from '../domain/database-error.ts';
import type { Verification } from '../domain/verification.ts';
import { verifyRecords } from '../storage/verify.ts';
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
export async function verifyDatabase(url: string, notedDigest?: string): Promise<Verification> {
  const location = parseLocation(url);
  await using connections = createConnections({ location, connectionsMax: 1, allowDataLoss: true });
  await prepareTables(connections, {
    refusalIfMissing: noDataLine,
    unfinishedCopy: 'taken',
    now: 0,
  });
  await using snapshot = await openSnapshot(connections);
  try {
    return await verifyRecords(snapshot, notedDigest);
  } catch (error) {
    const cause = error instanceof DatabaseUnavailable ? error.cause : error;
    if (!corruptionStates.has(sqlState(cause) ?? '')) throw error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { faults: [`PostgreSQL cannot read all data: ${reason}`] };
  }
}
