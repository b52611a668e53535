import { expect, test } from 'bun:test';
import {
  type AuditDetails,
  type AuditEntry,
  type AuditEvent,
  emptyAuditHead,
  type NewAuditEntry,
  nextAuditEntry,
  type StoredApiKey,
} from '../../domain/access/audit-entry.ts';
import { sha256 } from '../sha256.ts';
import {
  createKeyReplay,
  findApiKeyFaults,
  findAuditFault,
  findUndoneEntries,
} from './audit-faults.ts';

function key(apiKeyId: number): AuditDetails['api_key_created'] {
  return {
    apiKeyId,
    workspace: 'default',
    name: `Key ${apiKeyId}`,
    digest: `digest ${apiKeyId}`,
    lastFour: 'wxyz',
    scopes: 'pets:read',
    rateLimit: null,
    expiresAt: undefined,
  };
}

function createTrail() {
  const entries: AuditEntry[] = [];
  const head = () => {
    const last = entries.at(-1);
    return last === undefined ? emptyAuditHead : { count: last.id, digest: last.digest };
  };
  return {
    entries,
    head,
    add<Event extends AuditEvent>(event: Event, details: AuditDetails[Event]) {
      const entry: NewAuditEntry = { at: 0, event, details };
      entries.push(nextAuditEntry(head(), 'an operator', entry, sha256));
    },
    restore(entryCount: number) {
      this.add('backup_restored', { madeAt: '', sha256: '', entryCount });
    },
  };
}

function* pagesOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let index = 0; index < items.length; index += 3) yield items.slice(index, index + 3);
}

/** The faults of stored keys. The pages of entries and keys have other lengths than in the service. */
async function keyFaults(entries: readonly AuditEntry[], stored: readonly StoredApiKey[]) {
  const restores = entries.filter(({ event }) => event === 'backup_restored').toReversed();
  const replay = createKeyReplay(await findUndoneEntries(pagesOf(restores)));
  for (const entry of entries) replay.addEntry(entry);
  return await findApiKeyFaults(replay.keys, pagesOf(stored));
}

test('the keys of each restored backup are found after further restores', async () => {
  const trail = createTrail();
  trail.add('api_key_created', key(1));
  trail.add('api_key_revoked', { apiKeyId: 1, endsAt: 0 });
  trail.restore(1);
  trail.add('api_key_created', key(2));
  // Keys of the backup from before the first restore, and of one from after it.
  trail.restore(2);
  expect(await keyFaults(trail.entries, [{ ...key(1), revokedAt: 0, isRevoked: 1 }])).toEqual([]);
  trail.restore(4);
  const both = [1, 2].map((id) => ({ ...key(id), revokedAt: undefined, isRevoked: 0 }));
  expect(await keyFaults(trail.entries, both)).toEqual([]);
  trail.restore(0);
  expect(await keyFaults(trail.entries, both)).toEqual([
    'Key 1 is not in the audit trail',
    'Key 2 is not in the audit trail',
  ]);
});

test('data that is restored every night from the last backup is scanned once', async () => {
  const trail = createTrail();
  for (let night = 1; night <= 400; night += 1) {
    trail.add('api_key_created', key(night));
    trail.restore(trail.entries.length);
  }
  const stored = Array.from({ length: 400 }, (_, index) => ({
    ...key(index + 1),
    revokedAt: undefined,
    isRevoked: 0,
  }));
  expect(await findAuditFault(pagesOf(trail.entries), trail.head())).toBeUndefined();
  expect(await keyFaults(trail.entries, stored)).toEqual([]);
});
