import type { Sha256 } from '../database/precondition.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Awaitable } from '../values/awaitable.ts';
import type { ApiKey } from './api-key.ts';
import type { SignInKind } from './console.ts';
import { formatRateLimit } from './rate-limit.ts';

/**
 * The audit trail: who changed who may do what, and what happened to the data as a whole. Each entry bears a digest of
 * itself and of the one before, and the data tells the last: so none can be changed or left out unnoticed, except by
 * someone who writes all later ones anew. Against that helps a digest that was noted elsewhere.
 */

/** What each event tells besides. Times are milliseconds since 1970. */
export interface AuditDetails {
  workspace_created: { readonly workspace: string };
  workspace_deleted: { readonly workspace: string };
  api_key_created: AuditedApiKey & InConsole;
  /** A new key in the place of `replaces`, which ends at `replacedEndsAt`. */
  api_key_rotated: AuditedApiKey &
    InConsole & { readonly replaces: number; readonly replacedEndsAt: number };
  api_key_revoked: InConsole & { readonly apiKeyId: number; readonly endsAt: number };
  /** All that the workspace had, before it is deleted. */
  api_keys_deleted: { readonly workspace: string; readonly count: number };
  /** `apiKeyId` is that of the key that was given: 0 for the operator's own, null for an owner, who came with a link. */
  console_signed_in: {
    readonly session: string;
    readonly kind: SignInKind;
    readonly apiKeyId: number | null;
    readonly workspace: string;
    /** Of the client; null where it is not known. */
    readonly address: string | null;
  };
  /** By `sessions end`. */
  console_session_ended: {
    readonly session: string;
    readonly kind: SignInKind;
    readonly apiKeyId: number | null;
    /** The one that it was in; null where that is gone. */
    readonly workspace: string | null;
  };
  schema_migrated: { readonly from: number; readonly to: number };
  /** The data is from then on as it was after the first `entryCount` entries. */
  backup_restored: {
    readonly madeAt: string;
    readonly sha256: string;
    readonly entryCount: number;
  };
  /**
   * The engine's own tools brought back the tables, and this trail with them, of an earlier time; or they were only
   * moved. Ids go on so far above those that the tables had.
   */
  tables_restored: { readonly idGap: number };
}

/** Of what was done in the console: in which session, which `console_signed_in` tells of. */
export interface InConsole {
  readonly session?: string;
}

/** What is stored of a key, apart from when it was used. */
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

/** What the trail tells of a key that was just made. */
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

/** As it is stored. */
export interface AuditEntry {
  /** Its place, from 1. */
  readonly id: number;
  readonly at: number;
  /** Whose process it was, as far as the engine can tell. */
  readonly actor: string;
  readonly event: string;
  /** A JSON object. */
  readonly details: string;
  /** SHA-256, in hexadecimal. */
  readonly digest: string;
}

/** Where a trail ends: how many entries it has, and the digest of the last; an empty text where there is none. */
export interface AuditHead {
  readonly count: number;
  readonly digest: string;
}

export const emptyAuditHead: AuditHead = { count: 0, digest: '' };

export interface AuditReads {
  /** A page of the audit trail, newest first. */
  listAuditEntries(page: PageRequest): Awaitable<Page<AuditEntry>>;
}

/** The entry that comes next. */
export function nextAuditEntry(
  head: AuditHead,
  actor: string,
  { at, event, details }: NewAuditEntry,
  sha256: Sha256,
): AuditEntry {
  const entry = { id: head.count + 1, at, actor, event, details: JSON.stringify(details) };
  return { ...entry, digest: sha256(digestedText(head.digest, entry)) };
}

function digestedText(previousDigest: string, entry: Omit<AuditEntry, 'digest'>): string {
  const { id, at, actor, event, details } = entry;
  return JSON.stringify([previousDigest, id, at, actor, event, details]);
}

/** What a trail is compared with. */
export interface AuditExpectation {
  /** Where the data says that it ends. */
  readonly head: AuditHead;
  /** The digest of an entry, as it was noted elsewhere. */
  readonly notedDigest?: string | undefined;
}

/** What is wrong with a trail, in one line; undefined where it is whole. */
export function findAuditFault(
  entries: readonly AuditEntry[],
  { head, notedDigest }: AuditExpectation,
  sha256: Sha256,
): string | undefined {
  let last = emptyAuditHead;
  for (const entry of entries) {
    const expected = last.count + 1;
    if (entry.id !== expected) return `Entry ${expected} of the audit trail is missing`;
    if (entry.digest !== sha256(digestedText(last.digest, entry))) return changed(expected);
    last = { count: expected, digest: entry.digest };
  }
  if (last.count !== head.count) {
    return `The audit trail has ${last.count} entries instead of ${head.count}`;
  }
  if (last.digest !== head.digest) return changed(last.count);
  return notedDigest === undefined || entries.some(({ digest }) => digest === notedDigest)
    ? undefined
    : `The audit trail has no entry with the digest ${notedDigest}`;
}

function changed(id: number): string {
  return `Entry ${id} of the audit trail was changed`;
}

/** A key as it is stored and as the trail tells of it. */
export interface StoredApiKey extends AuditedApiKey {
  readonly revokedAt: number | undefined;
  /** 1 if the key is rejected whatever the clock says. */
  readonly isRevoked: number;
}

/** Where stored keys are not those of a sound trail: a line for each. Such were changed behind the service's back. */
export function findApiKeyFaults(
  entries: readonly AuditEntry[],
  stored: readonly StoredApiKey[],
): readonly string[] {
  const keys = replay(entries);
  const faults: string[] = [];
  for (const found of stored) {
    const told = keys.get(found.apiKeyId);
    keys.delete(found.apiKeyId);
    if (told === undefined) {
      faults.push(`Key ${found.apiKeyId} is not in the audit trail`);
      continue;
    }
    const differing = apiKeyColumns.filter((column) => told[column] !== found[column]);
    if (differing.length > 0) {
      faults.push(`Key ${found.apiKeyId} differs from the audit trail: ${differing.join(', ')}`);
    }
  }
  for (const id of keys.keys()) faults.push(`Key ${id} is missing but in the audit trail`);
  return faults;
}

const apiKeyColumns = [
  'workspace',
  'name',
  'digest',
  'lastFour',
  'scopes',
  'rateLimit',
  'expiresAt',
  'revokedAt',
  'isRevoked',
] as const satisfies readonly (keyof StoredApiKey)[];

type Effect = (details: unknown, at: number) => void;

/**
 * The keys that there are after all entries. What a restore goes back to is remembered on the way there, so that each
 * entry is gone through once, however often data was restored.
 */
function replay(entries: readonly AuditEntry[]): Map<number, StoredApiKey> {
  const needed = new Set(
    entries
      .filter(({ event }) => event === 'backup_restored')
      .map(({ details }) => (JSON.parse(details) as { entryCount: number }).entryCount),
  );
  const states = new Map<number, Map<number, StoredApiKey>>();
  let keys = new Map<number, StoredApiKey>();

  function remember(entryCount: number): void {
    if (needed.has(entryCount)) states.set(entryCount, new Map(keys));
  }

  /** With an overlap, the end is after the entry. */
  function revoke(id: number, revokedAt: number, at: number): void {
    const key = keys.get(id);
    if (key !== undefined) keys.set(id, { ...key, revokedAt, isRevoked: revokedAt > at ? 0 : 1 });
  }

  function add(key: AuditedApiKey): void {
    keys.set(key.apiKeyId, { ...key, revokedAt: undefined, isRevoked: 0 });
  }

  const effects: {
    readonly [Event in AuditEvent]?: (details: AuditDetails[Event], at: number) => void;
  } = {
    api_key_created: add,
    api_key_rotated({ replaces, replacedEndsAt, ...key }, at) {
      revoke(replaces, replacedEndsAt, at);
      add(key);
    },
    api_key_revoked: ({ apiKeyId, endsAt }, at) => revoke(apiKeyId, endsAt, at),
    api_keys_deleted({ workspace }) {
      for (const [id, key] of keys) if (key.workspace === workspace) keys.delete(id);
    },
    backup_restored({ entryCount }) {
      keys = new Map(states.get(entryCount));
    },
  };
  remember(0);
  for (const { id, at, event, details } of entries) {
    const effect = effects[event as AuditEvent] as Effect | undefined;
    effect?.(JSON.parse(details), at);
    remember(id);
  }
  return keys;
}
