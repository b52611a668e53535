import {
  type AuditEntry,
  type AuditHead,
  type AuditReads,
  emptyAuditHead,
  findApiKeyFaults,
  findAuditFault,
  type NewAuditEntry,
  nextAuditEntry,
  type StoredApiKey,
} from '../../domain/access/audit.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import { assignedIdMax } from '../../domain/values/int64.ts';
import { escapeHidden } from '../../domain/values/visible-text.ts';
import type { Queryable, Transaction } from '../queryable.ts';
import { sha256 } from '../sha256.ts';
import { statement } from '../statement.ts';
import { lastBeforeNextPage, pageItems } from '../to-page.ts';

const selectHead = statement<AuditHead>(
  'SELECT audit_count AS count, audit_digest AS digest FROM meta',
  ['count'],
);

// In PostgreSQL, the actor is the role and the address that the database sees. A client cannot choose them.
const lockHead = statement<AuditHead & { readonly actor: string | null }>(
  {
    sqlite: 'SELECT audit_count AS count, audit_digest AS digest, NULL AS actor FROM meta',
    postgres: `
      SELECT audit_count AS count, audit_digest AS digest,
        session_user || '@' || coalesce(host(inet_client_addr()), 'localhost') AS actor
      FROM meta FOR UPDATE`,
  },
  ['count'],
);

const updateHead = statement('UPDATE meta SET audit_count = $1, audit_digest = $2');

const selectEntries = 'SELECT id, at, actor, event, details, digest FROM audit_entries';

const selectTrail = statement<AuditEntry>(`${selectEntries} ORDER BY id`, ['id', 'at']);

const selectPage = statement<AuditEntry>(
  `${selectEntries} WHERE id < $1 ORDER BY id DESC LIMIT $2`,
  ['id', 'at'],
);

/**
 * Locks the row of `meta`. A transaction that adds to the trail calls this before it locks other rows. The order is the same
 * in all transactions, so that they do not wait for each other.
 */
export async function lockAuditTrail(transaction: Transaction): Promise<void> {
  await transaction.all(lockHead);
}

/** Adds an entry to the trail, in the transaction of what it records. */
export function recordAudit(transaction: Transaction, newEntry: NewAuditEntry): Promise<void> {
  return recordAudits(transaction, [newEntry]);
}

/** Adds entries in their order, with the same statements for any number. */
export async function recordAudits(
  transaction: Transaction,
  newEntries: readonly NewAuditEntry[],
): Promise<void> {
  const [found] = await transaction.all(lockHead);
  // Other programs can print the stored text too.
  const actor = escapeHidden(found?.actor ?? transaction.processActor ?? '');
  let head: AuditHead = found ?? emptyAuditHead;
  const rows = newEntries.map((newEntry) => {
    const entry = nextAuditEntry(head, actor, newEntry, sha256);
    head = { count: entry.id, digest: entry.digest };
    return { ...entry };
  });
  if (rows.length === 0) return;
  transaction.insert('audit_entries', rows);
  transaction.runDeferred(updateHead, [head.count, head.digest]);
}

export async function readAuditHead(queryable: Queryable): Promise<AuditHead> {
  const [head] = await queryable.all(selectHead);
  return head ?? emptyAuditHead;
}

export function createAuditReads(queryable: Queryable): AuditReads {
  return {
    listAuditEntries: ({ limit, afterId = assignedIdMax + 1n }) =>
      andThen(queryable.all(selectPage, [afterId, limit + 1]), (rows) => {
        const last = lastBeforeNextPage(rows, limit);
        return { items: pageItems(rows, limit), nextAfterId: last && BigInt(last.id) };
      }),
  };
}

const selectStoredApiKeys = statement<StoredApiKey>(
  `SELECT api_keys.id AS "apiKeyId", workspaces.name AS workspace, api_keys.name, digest, last_four AS "lastFour",
    scopes, rate_limit AS "rateLimit", expires_at AS "expiresAt", revoked_at AS "revokedAt", is_revoked AS "isRevoked"
  FROM api_keys JOIN workspaces ON workspaces.id = workspace_id ORDER BY api_keys.id`,
  ['apiKeyId', 'expiresAt', 'revokedAt', 'isRevoked'],
);

/**
 * A line for each fault of the trail or, if the trail is complete, of the keys that it records. `notedDigest` is the digest of
 * an entry that the trail must contain.
 */
export async function findAuditFaults(
  queryable: Queryable,
  notedDigest: string | undefined,
): Promise<readonly string[]> {
  const { entries, head } = await readTrail(queryable);
  const fault = findAuditFault(entries, head, sha256, notedDigest);
  if (fault !== undefined) return [fault];
  return findApiKeyFaults(entries, await queryable.all(selectStoredApiKeys));
}

/** A whole audit trail. */
interface Trail {
  readonly entries: readonly AuditEntry[];
  readonly head: AuditHead;
}

export async function readTrail(queryable: Queryable): Promise<Trail> {
  const entries = await queryable.all(selectTrail);
  return { entries, head: await readAuditHead(queryable) };
}

/** Adds the later entries of another trail. Returns false and adds nothing if that trail is damaged or begins differently. */
export async function continueTrail(
  transaction: Transaction,
  { entries, head }: Trail,
): Promise<boolean> {
  const here = await readAuditHead(transaction);
  const isWhole = findAuditFault(entries, head, sha256) === undefined;
  const isSame = here.count === 0 || entries[here.count - 1]?.digest === here.digest;
  if (!isWhole || !isSame) return false;
  transaction.insert(
    'audit_entries',
    entries.slice(here.count).map((entry) => ({ ...entry })),
  );
  transaction.runDeferred(updateHead, [head.count, head.digest]);
  return true;
}
