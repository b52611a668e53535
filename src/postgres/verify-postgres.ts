import { unchecked, verifyRecords } from '../storage/copies/verify-records.ts';
import type { Queryable } from '../storage/queryable.ts';
import { statement } from '../storage/statement.ts';
import { openSnapshot } from './connections.ts';
import { describeError, sqlState } from './driver-errors.ts';
import { openExisting } from './prepare-tables.ts';

/** PostgreSQL reports these if it cannot read its own files. */
const corruptionStates = new Set(['XX001', 'XX002']);

/**
 * Checks a whole database while servers run: it reads every animal, and compares counters, references, digests, audit trail and
 * keys. PostgreSQL has its own tools for pages and indexes. `notedDigest` is the digest of an earlier entry of the trail. Returns
 * the result, and lines about the data that was not checked.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function verifyDatabase(url: string, notedDigest?: string) {
  await using connections = await openExisting(url, {
    durability: 'unchecked',
    unfinishedCopy: 'taken',
  });
  await using snapshot = await openSnapshot(connections);
  try {
    const found = await verifyRecords(snapshot, notedDigest);
    return { found, notes: [uncheckedInTables, await describeChecksums(snapshot)] };
  } catch (error) {
    if (!corruptionStates.has(sqlState(error) ?? '')) throw error;
    const faults = [`PostgreSQL cannot read all data: ${describeError(error)}`];
    return { found: { faults }, notes: [] };
  }
}

/** On SQLite, indexes hold these values a second time, so that a change is found. */
const uncheckedInTables =
  'Not checked: indexes; ids, names and categories of animals; orders, except their notes and the status of the animal of an open ' +
  `order; names of workspaces without keys; ${unchecked}.`;

const selectChecksums = statement<{ setting: string }>(
  "SELECT current_setting('data_checksums') AS setting",
);

async function describeChecksums(queryable: Queryable): Promise<string> {
  const [row] = await queryable.all(selectChecksums);
  return row?.setting === 'on'
    ? 'Data checksums are on: PostgreSQL checked every page that it read from disk.'
    : 'Data checksums are off: enable them with pg_checksums, so that PostgreSQL finds damaged pages.';
}
