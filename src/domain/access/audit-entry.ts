import type { Page, PageRequest } from '../page.ts';
import type { Actor } from '../record.ts';
import type { Awaitable } from '../values/awaitable.ts';
import type { Context } from '../values/context.ts';
import type { Sha256 } from '../values/digest.ts';
import type { WebhookStatus } from '../webhook.ts';
import type { ApiKey } from './api-key.ts';
import type { SignInKind } from './console-session.ts';
import { formatRateLimit } from './rate-limit.ts';

/**
 * The audit trail lists changes of permissions, of webhooks and of the data as a whole. Each entry has a digest of itself and the entry
 * before it, and `meta` has the last digest. So a change or a gap is found, unless all later digests were computed again. A
 * digest that was noted elsewhere reveals that too.
 */

/** The details of each event. Times are milliseconds since 1970. */
export interface AuditDetails {
  workspace_created: { readonly workspace: string };
  workspace_deleted: { readonly workspace: string };
  api_key_created: AuditedApiKey & InConsole;
  /** A new key replaces the key `replaces`, which ends at `replacedEndsAt`. */
  api_key_rotated: AuditedApiKey &
    InConsole & { readonly replaces: number; readonly replacedEndsAt: number };
  api_key_revoked: InConsole & { readonly apiKeyId: number; readonly endsAt: number };
  /** All keys of a workspace, before it is deleted. */
  api_keys_deleted: { readonly workspace: string; readonly count: number };
  /** `apiKeyId` is 0 for the operator's own key, and null for an owner, because owners sign in with a link. */
  console_signed_in: {
    readonly session: string;
    readonly kind: SignInKind;
    readonly apiKeyId: number | null;
    readonly workspace: string;
    /** The client's address; null if unknown. */
    readonly address: string | null;
  };
  /** `endedBy` is the session of the console that ended this one; undefined for the command `sessions end`. */
  console_session_ended: {
    readonly session: string;
    readonly endedBy?: string;
    readonly kind: SignInKind;
    readonly apiKeyId: number | null;
    /** The workspace of the session; null if it was deleted. */
    readonly workspace: string | null;
  };
  webhook_created: AuditedWebhook & ByCaller;
  /** The webhook after the change. `changed` has the names of the members that changed, separated by spaces. */
  webhook_changed: AuditedWebhook & ByCaller & { readonly changed: string };
  /** Until `previousSecretExpiresAt`, deliveries are signed with the previous secret too. Undefined without an overlap. */
  webhook_secret_rotated: AuditedWebhook &
    ByCaller & { readonly previousSecretExpiresAt: number | undefined };
  webhook_deleted: AuditedWebhook & ByCaller;
  schema_migrated: { readonly from: number; readonly to: number };
  /** The restored data is the state after the first `entryCount` entries. */
  backup_restored: {
    readonly madeAt: string;
    readonly sha256: string;
    readonly entryCount: number;
  };
  /** The tools of PostgreSQL restored or moved the tables, with this trail. New ids start `idGap` above those of the tables. */
  tables_restored: { readonly idGap: number };
}

/** The session of the console that made the change. */
export interface InConsole {
  readonly session?: string;
}

/** The key or session of the request that made the change. Undefined for a command of the program. */
export interface ByCaller {
  readonly caller: Actor | undefined;
  readonly session: string | undefined;
}

/** A webhook without what can contain secrets. */
export interface AuditedWebhook {
  readonly webhookId: number;
  readonly workspace: string;
  /** Without a user and a query. */
  readonly url: string;
  /** Separated by spaces; null for all. */
  readonly types: string | null;
  readonly status: WebhookStatus;
  readonly position: number;
}

/** A stored key without the times of its use. */
export interface AuditedApiKey {
  readonly apiKeyId: number;
  readonly workspace: string;
  readonly name: string;
  /** SHA-256 of the key, in hexadecimal. */
  readonly digest: string;
  readonly lastFour: string;
  readonly scopes: string;
  readonly rateLimit: string | null;
  readonly expiresAt: number | undefined;
}

/** The details of a new key. */
export function auditedApiKey(apiKey: ApiKey, digest: string): AuditedApiKey {
  const { id, workspaceName, name, lastFour, scopes, rateLimit, expiresAt } = apiKey;
  return {
    apiKeyId: Number(id),
    workspace: workspaceName,
    name,
    digest,
    lastFour,
    scopes: scopes.join(' '),
    rateLimit: rateLimit === undefined ? null : formatRateLimit(rateLimit),
    expiresAt,
  };
}

export type AuditEvent = keyof AuditDetails;

export interface NewAuditEntry<Event extends AuditEvent = AuditEvent> {
  readonly at: number;
  readonly event: Event;
  readonly details: AuditDetails[Event];
}

/** A stored entry. */
export interface AuditEntry {
  /** The position, from 1. */
  readonly id: number;
  readonly at: number;
  /** The account of the process, as far as the engine knows it. */
  readonly actor: string;
  readonly event: string;
  /** A JSON object. */
  readonly details: string;
  /** SHA-256, in hexadecimal. */
  readonly digest: string;
}

/** The end of a trail: the number of entries and the digest of the last one, which is empty if there are none. */
export interface AuditHead {
  readonly count: number;
  readonly digest: string;
}

export const emptyAuditHead: AuditHead = { count: 0, digest: '' };

export interface AuditReads {
  /** A page of the audit trail, newest first. */
  listAuditEntries(context: Context, page: PageRequest): Awaitable<Page<AuditEntry>>;
}

export function nextAuditEntry(
  head: AuditHead,
  actor: string,
  { at, event, details }: NewAuditEntry,
  sha256: Sha256,
): AuditEntry {
  const entry = { id: head.count + 1, at, actor, event, details: JSON.stringify(details) };
  return { ...entry, digest: sha256(digestedText(head.digest, entry)) };
}

/** The text whose SHA-256 is the digest of an entry. */
export function digestedText(previousDigest: string, entry: Omit<AuditEntry, 'digest'>): string {
  const { id, at, actor, event, details } = entry;
  return JSON.stringify([previousDigest, id, at, actor, event, details]);
}

/** A key with its end, in the data or derived from the trail. */
export interface StoredApiKey extends AuditedApiKey {
  readonly revokedAt: number | undefined;
  /** 1 if the key is rejected at any time. */
  readonly isRevoked: number;
}
