import { Database as Connection } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { background } from '../src/context/context.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { verifyFile } from '../src/sqlite/verify.ts';
import { createKey } from './support/new-key.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const now = Date.UTC(2026, 10, 21);

/** All data that clients and keys depend on, except for what `verify` does not check. */
const checked = [
  'SELECT * FROM pets',
  'SELECT * FROM categories',
  'SELECT * FROM orders',
  'SELECT * FROM events',
  'SELECT workspace_id, id, url, types, description, secret, previous_secret, previous_secret_expires_at, created_at FROM webhooks',
  'SELECT * FROM audit_entries',
  'SELECT id, name, available_count, pending_count, sold_count FROM workspaces',
  'SELECT id, workspace_id, name, digest, last_four, scopes, rate_limit, expires_at, revoked_at, is_revoked FROM api_keys',
];

/** Data of every kind, in a closed file. */
async function fill(path: string): Promise<void> {
  await using database = await openSqliteDatabase({ path, asServer: false, now: () => now });
  for (let index = 1; index <= 40; index += 1) {
    const caller = {
      workspaceId: 1n,
      origin: { requestId: `request ${index}`, actor: 'owner', now } as const,
    };
    const pet = { name: `Rex ${index}`, categoryId: 9n };
    const key = {
      workspaceId: 1n,
      operationId: 'createPet',
      key: `key ${index}`,
      requestDigest: 'digest',
      now,
      expiresAt: now + 1,
    };
    await database.writeKeyed(background, 'createPet', { ...caller, pet }, key);
    const category = { name: `Kind ${index}`, description: 'Of every size' };
    await database.write(background, 'createCategory', { ...caller, category });
    if (index % 4 === 0)
      await database.write(background, 'createOrder', {
        ...caller,
        order: { petId: BigInt(index), note: 'For Ada, on Monday. '.repeat(20) },
      });
    if (index % 4 === 1) {
      await database.write(background, 'createWebhook', {
        ...caller,
        url: `https://shop-${index}.example/hooks/animals`,
        types: ['pet.*', 'order.created'],
        description: 'For the website, in the same building. '.repeat(10),
        secret: `whsec_${'A'.repeat(40 + index)}`,
        now,
      });
      const rotation = { secret: 'whsec_B', overlapSeconds: 60, precondition: {}, now };
      await database.write(background, 'rotateWebhookSecret', { ...caller, id: 1n, ...rotation });
    }
    const digest = `digest ${index}`;
    await createKey(database, { name: `Key ${index}`, digest, scopes: ['pets:read'] }, { now });
  }
}

/** Undefined if the data cannot be read. */
function readChecked(path: string): string | undefined {
  try {
    using connection = new Connection(path, { readonly: true });
    return JSON.stringify(checked.map((select) => connection.query(select).values()));
  } catch {
    return undefined;
  }
}

async function isFound(path: string): Promise<boolean> {
  try {
    return 'faults' in (await verifyFile(path)).found;
  } catch {
    return true;
  }
}

test('verify finds every flipped bit in the data that it checks', async () => {
  using folder = makeTemporaryFolder();
  const path = join(folder.path, 'test.db');
  await fill(path);
  {
    using connection = new Connection(path);
    connection.run('PRAGMA journal_mode = DELETE');
  }
  const sound = readFileSync(path);
  const before = readChecked(path);
  const missed: number[] = [];
  let changed = 0;
  // The positions are far apart, and the bit differs each time.
  for (let bit = 1; bit < 8 * sound.length; bit += 2053) {
    const flipped = Buffer.from(sound);
    flipped[bit >> 3] = (sound[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(path, flipped);
    if (readChecked(path) === before) continue;
    changed += 1;
    if (!(await isFound(path))) missed.push(bit);
  }
  expect(missed).toEqual([]);
  expect(changed).toBeGreaterThan(100);
});
