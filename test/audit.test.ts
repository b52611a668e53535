import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import type { Database } from '../src/storage/contract/database.ts';
import { damageAdvice } from './support/damage-advice.ts';
import { engineNames, forceSqlOn, prepareData, sqlOn } from './support/engines.ts';
import { createKey, makeKey } from './support/new-key.ts';
import { okOf } from './support/outcome.ts';
import { runProgram } from './support/server-process.ts';
import { readAuditTrail } from './support/whole-lists.ts';

const now = Date.UTC(2027, 0, 1);

const createNamed = (database: Database, name: string, workspaceName = 'default') =>
  createKey(
    database,
    { name, digest: `digest of ${name}`, lastFour: 'wxyz', scopes: ['pets:read'] },
    { workspaceName, now },
  );

/** One record of each kind in the trail: 9 entries, and keys 1, 2 and 3, of which 3 is deleted. */
async function fill(database: Database): Promise<void> {
  const shop = okOf(await database.write(background, 'createWorkspace', { name: 'shop', now }));
  await createNamed(database, 'One');
  await database.write(background, 'rotateApiKey', {
    id: 1n,
    digest: 'digest of the next',
    lastFour: 'abcd',
    overlapMilliseconds: 60_000,
    now,
  });
  await createNamed(database, 'Three', 'shop');
  await database.write(background, 'revokeApiKey', { id: 1n, now: now + 1000 });
  await database.write(background, 'deleteWorkspaceStep', { id: shop.id, rowsMax: 10, now });
  await createNamed(database, 'Four');
}

test('verify finds a change of the audit triggers in a file', async () => {
  await using data = await prepareData('sqlite');
  await (await data.open())[Symbol.asyncDispose]();
  await sqlOn('sqlite', data.url, 'DROP TRIGGER audit_entries_are_not_changed');
  const { exitCode, stderr } = await runProgram(['verify'], { DATABASE_URL: data.url });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('of trigger audit_entries_are_not_changed is missing or was changed'),
  ]);
});

describe.each(engineNames)('the audit trail on %s', (engine) => {
  async function prepareFilled() {
    const data = await prepareData(engine);
    {
      await using database = await data.open();
      await fill(database);
    }
    return {
      ...data,
      verify: (...args: string[]) => runProgram(['verify', ...args], { DATABASE_URL: data.url }),
      [Symbol.asyncDispose]: () => data[Symbol.asyncDispose](),
    };
  }

  test('lists every change in order, and nothing else', async () => {
    await using data = await prepareData(engine);
    await using database = await data.open();
    await fill(database);
    // These commands change nothing.
    await database.write(background, 'createWorkspace', { name: 'default', now });
    await database.write(background, 'revokeApiKey', { id: 1n, now: now + 2000 });
    await database.write(background, 'revokeApiKey', { id: 99n, now });
    const nowhere = { workspaceName: 'nowhere', apiKey: makeKey(), now };
    await database.write(background, 'createApiKey', nowhere);
    await database.write(background, 'deleteWorkspaceStep', { id: 99n, rowsMax: 10, now });
    const entries = await readAuditTrail(database);
    expect(entries.map(({ id, event }) => [id, event])).toEqual([
      [1, 'workspace_created'],
      [2, 'api_key_created'],
      [3, 'api_key_rotated'],
      [4, 'api_key_created'],
      [5, 'api_key_revoked'],
      [6, 'api_keys_deleted'],
      [7, 'workspace_deleted'],
      [8, 'api_key_created'],
    ]);
    expect(entries[2]).toMatchObject({ at: now, actor: expect.stringMatching(/./) });
    expect(JSON.parse(entries[2]?.details ?? '')).toEqual({
      apiKeyId: 2,
      workspace: 'default',
      name: 'One',
      digest: 'digest of the next',
      lastFour: 'abcd',
      scopes: 'pets:read',
      rateLimit: null,
      replaces: 1,
      replacedEndsAt: now + 60_000,
    });
  });

  test('links each entry to the one before it when many are written at once', async () => {
    await using data = await prepareData(engine);
    await using first = await data.open();
    await using second = await data.open();
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        createNamed(index % 2 === 0 ? first : second, `Key ${index}`),
      ),
    );
    expect((await readAuditTrail(first)).map(({ id }) => id)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
    const { exitCode, stdout } = await runProgram(['verify'], { DATABASE_URL: data.url });
    expect(stdout).toContain('Audit trail: 40 entries');
    expect(exitCode).toBe(0);
  });

  test('cannot be changed or deleted in the database', async () => {
    await using data = await prepareFilled();
    for (const sql of ["UPDATE audit_entries SET actor = 'other'", 'DELETE FROM audit_entries']) {
      await expect(sqlOn(engine, data.url, sql)).rejects.toThrow(
        'the audit trail is only added to',
      );
    }
    expect((await data.verify()).exitCode).toBe(0);
  });

  const tamperings: readonly (readonly [string, string, string])[] = [
    [
      'an entry removed',
      'DELETE FROM audit_entries WHERE id = 4',
      'Entry 4 of the audit trail is missing',
    ],
    [
      'all entries removed',
      'DELETE FROM audit_entries',
      'The audit trail has 0 entries instead of 8',
    ],
    [
      'the last entry changed with its digest',
      `UPDATE audit_entries SET digest = 'another' WHERE id = 8`,
      'Entry 8 of the audit trail was changed',
    ],
    [
      'a key with more scopes',
      `UPDATE api_keys SET scopes = 'pets:read pets:write' WHERE id = 2`,
      'Key 2 differs from the audit trail: scopes',
    ],
    [
      'a revoked key that is valid again',
      'UPDATE api_keys SET revoked_at = NULL WHERE id = 1',
      'Key 1 differs from the audit trail: revokedAt',
    ],
    [
      'a revoked key that a clock can make valid again',
      'UPDATE api_keys SET is_revoked = 0 WHERE id = 1',
      'Key 1 differs from the audit trail: isRevoked',
    ],
    [
      'a key put in',
      `INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, created_at, is_revoked)
       VALUES (3, 1, 'Back door', 'digest of a back door', 'door', 'pets:write', 0, 0)`,
      'Key 3 is not in the audit trail',
    ],
  ];

  test.each(tamperings)('verify notices %s', async (_what, sql, line) => {
    await using data = await prepareFilled();
    await forceSqlOn(engine, data.url, sql);
    const { exitCode, stderr } = await data.verify();
    expect(stderr).toBe(`animal-store: ${line}\n${damageAdvice}`);
    expect(exitCode).toBe(1);
  });

  test('verify finds a noted digest in the trail, and rejects one that is missing', async () => {
    await using data = await prepareFilled();
    const { stdout } = await data.verify();
    const [digest = ''] = /[0-9a-f]{64}/.exec(stdout) ?? [];
    {
      await using database = await data.open();
      await createNamed(database, 'Later');
    }
    expect((await data.verify('--audit-digest', digest)).exitCode).toBe(0);
    const other = 'ab'.repeat(32);
    const { exitCode, stderr } = await data.verify('--audit-digest', other);
    expect(stderr).toBe(
      `animal-store: The audit trail has no entry with the digest ${other}\n${damageAdvice}`,
    );
    expect(exitCode).toBe(1);
    expect((await data.verify('--audit-digest', 'none')).exitCode).toBe(2);
  });

  test('is printed as a table and as JSON', async () => {
    await using data = await prepareFilled();
    const run = (...args: string[]) => runProgram(args, { DATABASE_URL: data.url });
    const { stdout } = await run('audit');
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^ENTRY +TIME +ACTOR +EVENT +DETAILS$/);
    expect(lines[4]).toMatch(
      /^5 +2027-01-01T00:00:01Z .* api_key_revoked +apiKeyId=1 endsAt=2027-01-01T00:00:01Z$/,
    );
    const entries = JSON.parse((await run('audit', '--json')).stdout);
    expect(entries).toHaveLength(8);
    expect(entries[7]).toMatchObject({
      event: 'workspace_created',
      details: { workspace: 'shop' },
    });
    expect(entries[3]).toMatchObject({
      at: '2027-01-01T00:00:01Z',
      details: { apiKeyId: 1, endsAt: '2027-01-01T00:00:01Z' },
    });
  });
});
