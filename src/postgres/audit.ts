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
import { type Session, statement } from './statement.ts';

const sha256 = (text: string): string => Bun.SHA256.hash(text, 'hex');

interface HeadRow {
  readonly count: bigint;
  readonly digest: string;
}

const selectHead = statement<HeadRow>(`
  SELECT audit_count AS count, audit_digest AS digest FROM store`);

// The role and the machine as the server sees them, which whoever connects cannot choose.
const holdHead = statement<HeadRow & { readonly actor: string }>(`
  SELECT audit_count AS count, audit_digest AS digest,
    session_user || '@' || coalesce(host(inet_client_addr()), 'localhost') AS actor
  FROM store FOR UPDATE`);

const insertEntry = statement(`
  INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES ($1, $2, $3, $4, $5, $6)`);

const updateHead = statement('UPDATE store SET audit_count = $1, audit_digest = $2');

const selectEntries = statement<AuditEntryRow>(`
  SELECT id, at, actor, event, details, digest FROM audit_entries ORDER BY id`);

/**
 * Holds the row of the store. A transaction that adds to the trail does this before it holds anything else: all in the
 * same order, so that no two wait for each other.
 */
export async function holdAuditTrail(session: Session): Promise<void> {
  await session.run(holdHead);
}

/** Adds to the trail, inside the transaction of what it tells of. */
export async function recordAudit(session: Session, newEntry: NewAuditEntry): Promise<void> {
  const { rows } = await session.run(holdHead);
  const entry = nextAuditEntry(toHead(rows[0]), rows[0]?.actor ?? '', newEntry, sha256);
  const { id, at, actor, event, details, digest } = entry;
  await session.run(insertEntry, [id, at, actor, event, details, digest]);
  await session.run(updateHead, [id, digest]);
}

function toHead(row: HeadRow | undefined): AuditHead {
  return { count: Number(row?.count ?? 0), digest: row?.digest ?? '' };
}

export async function readAuditHead(session: Session): Promise<AuditHead> {
  const { rows } = await session.run(selectHead);
  return toHead(rows[0]);
}

export function createAuditReads(session: Session) {
  return {
    async listAuditEntries(): Promise<AuditEntry[]> {
      const { rows } = await session.run(selectEntries);
      return rows.map(toAuditEntry);
    },
  };
}

const selectStoredApiKeys = statement<StoredApiKeyRow>(`
  SELECT api_keys.id AS "apiKeyId", workspaces.name AS workspace, api_keys.name, digest, last_four AS "lastFour",
    scopes, rate_limit AS "rateLimit", expires_at AS "expiresAt", revoked_at AS "revokedAt"
  FROM api_keys JOIN workspaces ON workspaces.id = workspace_id ORDER BY api_keys.id`);

/**
 * What is wrong with the trail or, where it is whole, with what it tells of; a line for each. All is read at one
 * moment where the session is in a snapshot.
 */
export async function findAuditFaults(
  session: Session,
  notedDigest: string | undefined,
): Promise<readonly string[]> {
  const entries = await createAuditReads(session).listAuditEntries();
  const expected = { head: await readAuditHead(session), notedDigest };
  const fault = findAuditFault(entries, expected, sha256);
  if (fault !== undefined) return [fault];
  const { rows } = await session.run(selectStoredApiKeys);
  return findApiKeyFaults(entries, rows.map(toStoredApiKey));
}
