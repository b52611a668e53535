import {
  type AuditDetails,
  type AuditEntry,
  type AuditEvent,
  type AuditHead,
  type AuditReads,
  emptyAuditHead,
  type NewAuditEntry,
  nextAuditEntry,
  type StoredApiKey,
} from '../../domain/access/audit-entry.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import { assignedIdMax } from '../../domain/values/int64.ts';
import { escapeHidden } from '../../domain/values/visible-text.ts';
import type { Queryable, Transaction } from '../queryable.ts';
import { pageRowsMax, readPages } from '../read-rows.ts';
import { cutPage } from '../records/pages.ts';
import { sha256 } from '../sha256.ts';
import { statement } from '../statement.ts';
import type { Within } from '../within.ts';
import {
  createKeyReplay,
  findApiKeyFaults,
  findAuditFault,
  findUndoneEntries,
} from './audit-faults.ts';

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

function selectEntries(where: string) {
  const text = 'SELECT id, at, actor, event, details, digest FROM audit_entries WHERE';
  return statement<AuditEntry>(`${text} ${where}`, ['id', 'at']);
}

const selectNext = selectEntries(`id > $1 ORDER BY id LIMIT ${pageRowsMax}`);
const selectRestores = selectEntries(
  `event = 'backup_restored' AND id < $1 ORDER BY id DESC LIMIT ${pageRowsMax}`,
);
const selectPage = selectEntries('id < $1 ORDER BY id DESC LIMIT $2');

/**
 * Locks the row of `meta`. A transaction that adds to the trail calls this before it locks other rows. The order is the same
 * in all transactions, so that they do not wait for each other.
 */
export async function lockAuditTrail(transaction: Transaction): Promise<void> {
  await transaction.all(lockHead);
}

/** Adds an entry to the trail, in the transaction of what it records. */
export function addAuditEntry<Event extends AuditEvent>(
  transaction: Transaction,
  at: number,
  event: Event,
  details: AuditDetails[Event],
): Promise<void> {
  return addAuditEntries(transaction, [{ at, event, details }]);
}

/** Adds entries in their order, with the same statements for any number. */
export async function addAuditEntries(
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

export function createAuditReads(within: Within): AuditReads {
  return {
    listAuditEntries: (context, { limit, afterId = assignedIdMax + 1n }) =>
      andThen(within(context).all(selectPage, [afterId, limit + 1]), (rows) => {
        const { items, next } = cutPage(rows, limit);
        return { items, nextAfterId: next && BigInt(next.id) };
      }),
  };
}

const selectStoredApiKeys = statement<StoredApiKey>(
  `SELECT api_keys.id AS "apiKeyId", workspaces.name AS workspace, api_keys.name, digest, last_four AS "lastFour",
    scopes, rate_limit AS "rateLimit", expires_at AS "expiresAt", revoked_at AS "revokedAt", is_revoked AS "isRevoked"
  FROM api_keys JOIN workspaces ON workspaces.id = workspace_id
  WHERE api_keys.id > $1 ORDER BY api_keys.id LIMIT ${pageRowsMax}`,
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
  const restores = readPages(queryable, selectRestores, ({ id }) => [id], [assignedIdMax + 1n]);
  const replay = createKeyReplay(await findUndoneEntries(restores));
  const fault = await findAuditFault(readTrail(queryable), await readAuditHead(queryable), {
    notedDigest,
    onEntry: replay.addEntry,
  });
  if (fault !== undefined) return [fault];
  const stored = readPages(queryable, selectStoredApiKeys, ({ apiKeyId }) => [apiKeyId], [0]);
  return findApiKeyFaults(replay.keys, stored);
}

function readTrail(queryable: Queryable, afterId = 0) {
  return readPages(queryable, selectNext, ({ id }) => [id], [afterId]);
}

/**
 * Whether the trail in other data continues the present one, so that `continueTrail` can add its later entries. It does not if it is
 * damaged or begins differently.
 */
export async function continuesTrail(present: AuditHead, other: Queryable): Promise<boolean> {
  let isSame = present.count === 0;
  const fault = await findAuditFault(readTrail(other), await readAuditHead(other), {
    onEntry({ id, digest }) {
      if (id === present.count) isSame = digest === present.digest;
    },
  });
  return fault === undefined && isSame;
}

/** Adds the later entries of the trail in other data. */
export async function continueTrail(transaction: Transaction, other: Queryable): Promise<void> {
  const present = await readAuditHead(transaction);
  for await (const entries of readTrail(other, present.count)) {
    transaction.insert(
      'audit_entries',
      entries.map((entry) => ({ ...entry })),
    );
  }
  const head = await readAuditHead(other);
  transaction.runDeferred(updateHead, [head.count, head.digest]);
}
