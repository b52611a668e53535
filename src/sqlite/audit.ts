import { hostname, userInfo } from 'node:os';
import {
  type AuditEntry,
  type AuditHead,
  findApiKeyFaults,
  findAuditFault,
  type NewAuditEntry,
  nextAuditEntry,
} from '../domain/audit.ts';
import {
  type AuditEntryRow,
  type StoredApiKeyRow,
  toAuditEntry,
  toStoredApiKey,
} from '../domain/rows.ts';
import type { Connection } from './connection.ts';

const sha256 = (text: string): string => Bun.SHA256.hash(text, 'hex');

/** The account and the machine of this process. The name is what the environment says; the number is the system's. */
function actor(): string {
  const { username, uid } = userInfo();
  return `${username} (uid ${uid}) on ${hostname()}`;
}

const selectHead = 'SELECT audit_count AS count, audit_digest AS digest FROM store';

const insertEntry = `
  INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`;

const updateHead = 'UPDATE store SET audit_count = ?1, audit_digest = ?2';

const selectEntries = 'SELECT id, at, actor, event, details, digest FROM audit_entries ORDER BY id';

/** Adds to the trail, inside the transaction of what it tells of. */
export function prepareAudit(connection: Connection): (entry: NewAuditEntry) => void {
  const insert = connection.query<unknown, (string | number)[]>(insertEntry);
  const update = connection.query<unknown, [number, string]>(updateHead);
  return (newEntry) => {
    const entry = nextAuditEntry(readAuditHead(connection), actor(), newEntry, sha256);
    const { id, at, event, details, digest } = entry;
    insert.run(id, at, entry.actor, event, details, digest);
    update.run(id, digest);
  };
}

export function readAuditHead(connection: Connection): AuditHead {
  return toHead(connection.query<HeadRow, []>(selectHead).get());
}

interface HeadRow {
  readonly count: bigint;
  readonly digest: string;
}

function toHead(row: HeadRow | null): AuditHead {
  return { count: Number(row?.count ?? 0), digest: row?.digest ?? '' };
}

/** The prepared read, on a connection of its own. */
export function prepareAuditReads(connection: Connection) {
  const entries = connection.query<AuditEntryRow, []>(selectEntries);
  return {
    listAuditEntries: (): AuditEntry[] => entries.all().map(toAuditEntry),
  };
}

const selectReplacedHead = `
  SELECT audit_count AS count, audit_digest AS digest FROM replaced.store`;

const selectReplacedEntries = `
  SELECT id, at, actor, event, details, digest FROM replaced.audit_entries ORDER BY id`;

const copyReplacedEntries = `
  INSERT INTO audit_entries SELECT * FROM replaced.audit_entries WHERE id > ?1`;

/**
 * Adds what the trail of a store, attached as `replaced`, tells beyond this one. False, and nothing done, where it is
 * not whole or does not begin as this one does.
 */
export function continueTrail(connection: Connection): boolean {
  const here = readAuditHead(connection);
  const there = toHead(connection.query<HeadRow, []>(selectReplacedHead).get());
  const entries = connection
    .query<AuditEntryRow, []>(selectReplacedEntries)
    .all()
    .map(toAuditEntry);
  const isWhole = findAuditFault(entries, { head: there }, sha256) === undefined;
  const isSame = here.count === 0 || entries[here.count - 1]?.digest === here.digest;
  if (!isWhole || !isSame) return false;
  connection.query<unknown, [number]>(copyReplacedEntries).run(here.count);
  connection.query<unknown, [number, string]>(updateHead).run(there.count, there.digest);
  return true;
}

const selectStoredApiKeys = `
  SELECT api_keys.id AS apiKeyId, workspaces.name AS workspace, api_keys.name, digest, last_four AS lastFour, scopes,
    rate_limit AS rateLimit, expires_at AS expiresAt, revoked_at AS revokedAt
  FROM api_keys JOIN workspaces ON workspaces.id = workspace_id ORDER BY api_keys.id`;

/** What is wrong with the trail or, where it is whole, with what it tells of; a line for each. */
export function findAuditFaults(
  connection: Connection,
  notedDigest: string | undefined,
): readonly string[] {
  const entries = prepareAuditReads(connection).listAuditEntries();
  const expected = { head: readAuditHead(connection), notedDigest };
  const fault = findAuditFault(entries, expected, sha256);
  if (fault !== undefined) return [fault];
  const apiKeys = connection.query<StoredApiKeyRow, []>(selectStoredApiKeys).all();
  return findApiKeyFaults(entries, apiKeys.map(toStoredApiKey));
}
