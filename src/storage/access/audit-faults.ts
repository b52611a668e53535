import {
  type AuditDetails,
  type AuditEntry,
  type AuditEvent,
  type AuditHead,
  digestedText,
  emptyAuditHead,
  type StoredApiKey,
} from '../../domain/access/audit-entry.ts';
import { faultsMax } from '../contract/verification.ts';
import { sha256 } from '../sha256.ts';

/** A trail and the keys can have any length, so they are read in pages, and no page is kept. */
type Pages<Item> = Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>;

interface TrailOptions {
  /** The digest of an entry, noted by the operator. */
  readonly notedDigest?: string | undefined;
  /** Receives each entry that is as it was written. */
  readonly onEntry?: (entry: AuditEntry) => void;
}

/**
 * Returns the first fault of a trail as one line, or undefined if it is complete. The pages are in the order of the trail, and
 * `head` is the end that `meta` states.
 */
export async function findAuditFault(
  pages: Pages<AuditEntry>,
  head: AuditHead,
  { notedDigest, onEntry }: TrailOptions = {},
): Promise<string | undefined> {
  let last = emptyAuditHead;
  let isNotedMissing = notedDigest !== undefined;
  for await (const page of pages) {
    for (const entry of page) {
      const expected = last.count + 1;
      if (entry.id !== expected) return `Entry ${expected} of the audit trail is missing`;
      if (!isUnchanged(entry, last.digest)) return changed(expected);
      last = { count: expected, digest: entry.digest };
      if (entry.digest === notedDigest) isNotedMissing = false;
      onEntry?.(entry);
    }
  }
  if (last.count !== head.count) {
    return `The audit trail has ${last.count} entries instead of ${head.count}`;
  }
  if (last.digest !== head.digest) return changed(last.count);
  return isNotedMissing ? `The audit trail has no entry with the digest ${notedDigest}` : undefined;
}

/** The columns of a table that was made again can have values of any type. */
function isUnchanged(entry: AuditEntry, previousDigest: string): boolean {
  const { actor, event, details, digest } = entry;
  const areTexts = [actor, event, details, digest].every((value) => typeof value === 'string');
  return areTexts && digest === sha256(digestedText(previousDigest, entry));
}

function changed(id: number): string {
  return `Entry ${id} of the audit trail was changed`;
}

/** The first and the last id of entries that a restore undid. */
type UndoneEntries = readonly [first: number, last: number];

/**
 * Returns the entries that restores undid, oldest first: for each restore, those between the backup and the entry of the restore. The
 * pages have the entries of restores, newest first, because a restore can undo an earlier one.
 */
export async function findUndoneEntries(
  restores: Pages<AuditEntry>,
): Promise<readonly UndoneEntries[]> {
  const undone: UndoneEntries[] = [];
  let lastInEffect = Number.POSITIVE_INFINITY;
  for await (const page of restores) {
    for (const entry of page) {
      const parsed = entry.id > lastInEffect ? undefined : parseEntry(entry);
      if (parsed?.event !== 'backup_restored') continue;
      lastInEffect = parsed.details.entryCount;
      undone.push([lastInEffect + 1, entry.id - 1]);
    }
  }
  return undone.reverse();
}

type ParsedEntry = {
  readonly [Event in AuditEvent]: { readonly event: Event; readonly details: AuditDetails[Event] };
}[AuditEvent];

/** Returns undefined for details that the service does not write: such an entry changes nothing. */
function parseEntry({ event, details }: AuditEntry): ParsedEntry | undefined {
  try {
    const parsed: unknown = JSON.parse(details);
    const isObject = typeof parsed === 'object' && parsed !== null;
    return isObject ? ({ event, details: parsed } as ParsedEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** Derives the keys from all entries, which are added in their order. `undone` are those without effect. */
export function createKeyReplay(undone: readonly UndoneEntries[]) {
  const keys = new Map<number, StoredApiKey>();
  const idsByWorkspace = new Map<string, Set<number>>();
  let next = 0;

  function isUndone(id: number): boolean {
    while ((undone[next]?.[1] ?? id) < id) next += 1;
    return id >= (undone[next]?.[0] ?? Number.POSITIVE_INFINITY);
  }

  /** After a rotation with an overlap, the key ends later than the entry. */
  function revoke(id: number, revokedAt: number, at: number): void {
    const key = keys.get(id);
    if (key !== undefined) keys.set(id, { ...key, revokedAt, isRevoked: revokedAt > at ? 0 : 1 });
  }

  function add(key: AuditDetails['api_key_created']): void {
    const { session: _session, ...stored } = key;
    keys.set(key.apiKeyId, { ...stored, revokedAt: undefined, isRevoked: 0 });
    const ids = idsByWorkspace.get(key.workspace);
    if (ids === undefined) idsByWorkspace.set(key.workspace, new Set([key.apiKeyId]));
    else ids.add(key.apiKeyId);
  }

  return {
    keys,
    addEntry(entry: AuditEntry): void {
      const parsed = isUndone(entry.id) ? undefined : parseEntry(entry);
      if (parsed?.event === 'api_key_created') {
        add(parsed.details);
      } else if (parsed?.event === 'api_key_rotated') {
        const { replaces, replacedEndsAt, ...key } = parsed.details;
        revoke(replaces, replacedEndsAt, entry.at);
        add(key);
      } else if (parsed?.event === 'api_key_revoked') {
        revoke(parsed.details.apiKeyId, parsed.details.endsAt, entry.at);
      } else if (parsed?.event === 'api_keys_deleted') {
        const { workspace } = parsed.details;
        for (const id of idsByWorkspace.get(workspace) ?? []) {
          if (keys.get(id)?.workspace === workspace) keys.delete(id);
        }
        idsByWorkspace.delete(workspace);
      }
    },
  };
}

/**
 * Returns a line for each stored key that differs from those of an intact trail. Such keys were changed outside the service. Removes
 * the stored keys from the others.
 */
export async function findApiKeyFaults(
  keys: Map<number, StoredApiKey>,
  stored: Pages<StoredApiKey>,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const page of stored) {
    for (const found of page) {
      const fault = compareKey(found, keys.get(found.apiKeyId));
      keys.delete(found.apiKeyId);
      if (fault !== undefined && faults.length < faultsMax) faults.push(fault);
    }
  }
  for (const id of keys.keys()) {
    if (faults.length >= faultsMax) break;
    faults.push(`Key ${id} is missing but in the audit trail`);
  }
  return faults;
}

function compareKey(found: StoredApiKey, expected: StoredApiKey | undefined): string | undefined {
  const id = found.apiKeyId;
  if (expected === undefined) return `Key ${id} is not in the audit trail`;
  const values = new Map<string, unknown>(Object.entries(expected));
  const differing = Object.entries(found).filter(([name, value]) => values.get(name) !== value);
  const names = differing.map(([name]) => name).join(', ');
  return names === '' ? undefined : `Key ${id} differs from the audit trail: ${names}`;
}
