import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { background } from '../src/context/context.ts';
import { openPostgresDatabase, type PostgresOptions } from '../src/postgres/open-postgres.ts';
import { sessionLists } from '../src/storage/access/session-list.ts';
import { selectNames, selectSummaries } from '../src/storage/access/workspaces.ts';
import { DatabaseUnusable } from '../src/storage/contract/database-error.ts';
import { selectOfRecord } from '../src/storage/feed/event-feed.ts';
import { orderPages } from '../src/storage/records/orders.ts';
import { selectNearby } from '../src/storage/records/pet-positions.ts';
import { petPages } from '../src/storage/records/pets.ts';
import { schemaVersion } from '../src/storage/schema/prepare-schema.ts';
import type { Statement } from '../src/storage/statement.ts';
import { describeDatabase } from './database-suite.ts';
import { startBlackHole } from './faults/black-hole.ts';
import { prepareData } from './support/engines.ts';
import { createKey } from './support/new-key.ts';
import { okOf } from './support/outcome.ts';
import {
  administer,
  connectTo,
  createTestDatabase,
  runSql,
  untilWaiting,
} from './support/postgres.ts';
import { startPostgresServer } from './support/postgres-server.ts';
import { refusal, runProgram } from './support/server-process.ts';

describeDatabase({
  name: 'PostgreSQL',
  async prepare() {
    const data = await prepareData('postgres');
    return {
      // With this limit, the version of the data rises only with commits and not with time.
      open: () => data.open({ staleMillisecondsMax: 3_600_000 }),
      [Symbol.asyncDispose]: () => data[Symbol.asyncDispose](),
    };
  },
});

function open(url: string, options: Partial<PostgresOptions> = {}) {
  return openPostgresDatabase({ url, asServer: false, now: Date.now, ...options });
}

const rex = { name: 'Rex', categoryId: 1n };

/** The plan of a statement with these values, as text. */
async function explain(url: string, sql: string, values: readonly string[]): Promise<string> {
  const text = values.reduce(
    (filled, value, index) => filled.replaceAll(`$${index + 1}`, value),
    sql,
  );
  return JSON.stringify(await runSql(url, `EXPLAIN ${text}`));
}

describe('a PostgreSQL database', () => {
  test('is migrated once when many machines open it at the same moment', async () => {
    await using empty = await createTestDatabase('empty');
    const script = `
      const { openPostgresDatabase } = await import('${join(import.meta.dir, '../src/postgres/open-postgres.ts')}');
      const { background } = await import('${join(import.meta.dir, '../src/context/context.ts')}');
      await using database = await openPostgresDatabase({ url: process.argv[1], asServer: false, now: Date.now });
      console.log((await database.listWorkspaceNames(background, '', 9)).length);
    `;
    const outputs = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const child = Bun.spawn([process.execPath, '-e', script, empty.url], { stderr: 'pipe' });
        await child.exited;
        return [await new Response(child.stdout).text(), await new Response(child.stderr).text()];
      }),
    );
    expect(outputs).toEqual(Array(6).fill(['1\n', '']));
  });

  test('with the schema of a newer program is refused, and not changed', async () => {
    await using migrated = await createTestDatabase();
    const setVersion = (version: number) =>
      runSql(migrated.url, `UPDATE meta SET schema_version = ${version}`);
    await setVersion(schemaVersion + 1);
    await expect(open(migrated.url)).rejects.toThrow(
      `The database has schema version ${schemaVersion + 1}, and this version of animal-store knows versions up to ${schemaVersion}`,
    );
    await setVersion(schemaVersion);
  });

  test('is refused if the schema animal_store belongs to another program', async () => {
    await using empty = await createTestDatabase('empty');
    await runSql(empty.url, 'CREATE SCHEMA animal_store; CREATE TABLE theirs (a int)');
    await expect(open(empty.url)).rejects.toThrow(
      'The schema animal_store of the database belongs to another program',
    );
  });

  test('is refused in one line without its password if no server listens', async () => {
    const opening = open('postgres://shop:secret@127.0.0.1:1/shop');
    await expect(opening).rejects.toThrow(/^PostgreSQL cannot be reached: [^\n]*ECONNREFUSED/);
    await expect(opening).rejects.not.toThrow('secret');
  });

  test('requires a password by any method, if the address has user@host or user:@host', async () => {
    await using server = await startPostgresServer();
    await administer(
      server.url,
      `SET password_encryption = 'md5'; CREATE ROLE shop LOGIN PASSWORD 'secret'`,
    );
    const missing = refusal('PostgreSQL requires a password: set it in the URL or in PGPASSWORD');
    const url = `postgres://shop@127.0.0.1:${server.port}/postgres`;
    for (const method of ['password', 'md5', 'scram-sha-256']) {
      const rules = `local all all trust\nhost all shop 127.0.0.1/32 ${method}\nhost all all 127.0.0.1/32 trust\n`;
      writeFileSync(join(server.folder, 'pg_hba.conf'), rules);
      await administer(server.url, 'SELECT pg_reload_conf()');
      for (const given of [url, url.replace('@', ':@')]) {
        const run = await runProgram(['keys', 'list'], { DATABASE_URL: given });
        expect([method, run]).toEqual([method, missing]);
      }
      const wrong = { DATABASE_URL: url, PGPASSWORD: 'wrong' };
      const { stderr } = await runProgram(['keys', 'list'], wrong);
      if (method === 'md5') expect(stderr).toMatch(/^animal-store: PostgreSQL answered 28P01: /);
      const scram = "ALTER ROLE shop PASSWORD 'secret'";
      await administer(server.url, `SET password_encryption = 'scram-sha-256'; ${scram}`);
    }
  });

  test.each([
    'postgres://u:p@ss@127.0.0.1:1/shop',
    'postgres://u:12/ss@127.0.0.1:1/shop',
    'postgres://u:s@%zz/shop',
  ])('%s is refused as malformed, without any part of its password', async (url) => {
    await expect(open(url)).rejects.toThrow(
      /^The PostgreSQL URL is malformed: special characters of the user and the password must be percent-encoded \(@ as %40, \/ as %2F, # as %23\)$/,
    );
  });

  test('is refused with the name of an unreadable file in its address, and without its password', async () => {
    const opening = open('postgres://shop:secret@127.0.0.1:1/shop?sslrootcert=/nowhere/root.crt');
    await expect(opening).rejects.toThrow(
      new DatabaseUnusable(
        "A file named in the PostgreSQL URL cannot be read: ENOENT: no such file or directory, open '/nowhere/root.crt'",
      ),
    );
  });

  test('gets another LISTEN after each one that failed', async () => {
    await using migrated = await createTestDatabase();
    const { port } = new URL(migrated.url);
    await using hole = startBlackHole(Number(port));
    const asked = hole.watch('LISTEN');
    const failures = 4;
    hole.breakAt('LISTEN', 'before');
    await using _server = await open(migrated.url.replace(`:${port}`, `:${hole.port}`), {
      asServer: true,
    });
    for (let failed = 1; failed <= failures; failed += 1) {
      while (hole.isArmed) await new Promise(setImmediate);
      expect(asked()).toBe(failed);
      hole.breakAt('LISTEN', 'before');
    }
  });

  test('lists workspaces without reading animals, and deletes one without reading those of others', async () => {
    await using migrated = await createTestDatabase('empty');
    const run = (...args: string[]) => runProgram(args, { DATABASE_URL: migrated.url });
    await run('workspaces', 'create', 'shop');
    await run('demo', '--animals', '10');
    await run('demo', '--animals', '20', '--workspace', 'shop');
    await runSql(
      migrated.url,
      `CREATE FUNCTION look_at(workspace_id bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 10000 AS $$
         BEGIN
           RAISE EXCEPTION 'an animal was looked at';
         END $$;
       ALTER TABLE pets RENAME TO all_pets;
       CREATE VIEW pets AS SELECT ctid, * FROM all_pets WHERE look_at(workspace_id)`,
    );
    const listed = await run('workspaces', 'list');
    expect([listed.exitCode, listed.stderr]).toEqual([0, '']);
    expect(listed.stdout).toMatch(/^default +10 +0 .*\nshop +20 +0 /m);
    await runSql(
      migrated.url,
      `CREATE OR REPLACE FUNCTION look_at(workspace_id bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 10000 AS $$
         BEGIN
           IF workspace_id = 1 THEN RAISE EXCEPTION 'another workspace'; END IF;
           RETURN true;
         END $$`,
    );
    expect(await run('workspaces', 'delete', 'shop', '--yes')).toEqual({
      exitCode: 0,
      stdout: 'Deleted workspace shop with 20 animals and 0 active keys.\n',
      stderr: '',
    });
  });

  test('clears and deletes at most the given number of idempotency keys in a step, with any query plan', async () => {
    await using migrated = await createTestDatabase('empty');
    await runSql(
      migrated.url,
      `ALTER DATABASE ${migrated.name} SET enable_hashagg = off;
       ALTER DATABASE ${migrated.name} SET enable_hashjoin = off;
       ALTER DATABASE ${migrated.name} SET enable_mergejoin = off;
       ALTER DATABASE ${migrated.name} SET enable_sort = off;
       ALTER DATABASE ${migrated.name} SET enable_material = off`,
    );
    await using database = await open(migrated.url);
    const shop = okOf(
      await database.write(background, 'createWorkspace', { name: 'shop', now: 0 }),
    );
    const scope = { workspaceId: shop.id, operationId: 'createPet', requestDigest: 'a', now: 0 };
    for (const key of ['1', '2', '3', '4', '5', '6', '7']) {
      await database.writeKeyed(background, 'touch', {}, { ...scope, key, expiresAt: 1 });
    }
    await runSql(migrated.url, 'ANALYZE idempotency_keys');
    const left = () => runSql(migrated.url, 'SELECT 1 FROM idempotency_keys');
    expect(
      await database.write(background, 'deleteExpiredIdempotencyKeys', { now: 2, keysMax: 2 }),
    ).toEqual({
      ok: 2,
    });
    expect(await left()).toHaveLength(5);
    const step = { id: shop.id, rowsMax: 2, now: 0 };
    const outcome = await database.write(background, 'deleteWorkspaceStep', step);
    expect(outcome).toMatchObject({ ok: { gone: false } });
    expect(await left()).toHaveLength(3);
  });

  test('deletes a workspace with all its idempotency keys, although some expire at the same moment', async () => {
    await using migrated = await createTestDatabase();
    await using database = await open(migrated.url);
    const shop = okOf(
      await database.write(background, 'createWorkspace', { name: 'shop', now: 0 }),
    );
    const scope = { workspaceId: shop.id, operationId: 'createPet', requestDigest: 'a', now: 0 };
    for (const key of ['1', '2', '3', '4', '5']) {
      await database.writeKeyed(background, 'touch', {}, { ...scope, key, expiresAt: Number(key) });
    }
    const other = await connectTo(migrated.url);
    await other.query('BEGIN');
    await other.query('DELETE FROM idempotency_keys WHERE expires_at <= 1');
    const step = { id: shop.id, rowsMax: 2, now: 0 };
    const first = database.write(background, 'deleteWorkspaceStep', step);
    await untilWaiting(migrated.url);
    await other.query('COMMIT');
    await other.end();
    expect(await first).toEqual({ ok: { petsDeleted: 0, gone: false } });
    while (!okOf(await database.write(background, 'deleteWorkspaceStep', step)).gone);
    expect(await runSql(migrated.url, 'SELECT 1 FROM idempotency_keys')).toEqual([]);
  });

  test('deletes a workspace with all its API keys, although their use is recorded at the same moment', async () => {
    await using migrated = await createTestDatabase();
    await using database = await open(migrated.url);
    const shop = okOf(
      await database.write(background, 'createWorkspace', { name: 'shop', now: 0 }),
    );
    await createKey(database, {}, { workspaceName: 'shop' });
    const other = await connectTo(migrated.url);
    await other.query('BEGIN; UPDATE api_keys SET last_used_at = 60000');
    const deleted = database.write(background, 'deleteWorkspaceStep', {
      id: shop.id,
      rowsMax: 10,
      now: 0,
    });
    await untilWaiting(migrated.url);
    await other.query('COMMIT');
    await other.end();
    expect(await deleted).toEqual({ ok: { petsDeleted: 0, gone: true } });
    expect(await runSql(migrated.url, 'SELECT 1 FROM api_keys')).toEqual([]);
  });

  test('locks the row of meta before that of a workspace when a key is created, as the deletion of a workspace does', async () => {
    await using migrated = await createTestDatabase();
    await using database = await open(migrated.url);
    const other = await connectTo(migrated.url);
    await other.query('BEGIN; SELECT 1 FROM meta FOR UPDATE');
    const made = createKey(database);
    await untilWaiting(migrated.url);
    // Otherwise each would wait for the other.
    await other.query('SELECT 1 FROM workspaces FOR UPDATE NOWAIT');
    await other.query('COMMIT');
    await other.end();
    expect(await made).toMatchObject({ id: 1n });
  });

  test('answers every page from an index', async () => {
    await using migrated = await createTestDatabase();
    await using database = await open(migrated.url);
    for (let count = 0; count < 5; count += 1) {
      const statuses = ['available', 'pending', 'sold'] as const;
      const pets = Array.from({ length: 2000 }, (_, index) => ({
        name: 'Rex',
        categoryId: BigInt(index % 50),
        status: statuses[index % 3] ?? 'sold',
      }));
      await database.write(background, 'createPets', { workspaceId: 1n, pets });
    }
    await runSql(
      migrated.url,
      `INSERT INTO orders SELECT 1, n, 1 + n % 50, 'cancelled', NULL FROM generate_series(1, 10000) AS n;
       ANALYZE pets; ANALYZE orders`,
    );
    /** The kinds of page requests. */
    const plan = async ({ postgres }: Statement<object>) => {
      const isOfMany = /ANY|unnest/.test(postgres);
      const values = ['1', '5000', '21', isOfMany ? "'{1,2}'" : '1'];
      const last = isOfMany ? ['null', "'{1,2}'"] : ["'sold'"];
      const isByStatus = !postgres.includes('$5') && /status = \$4/.test(postgres);
      const given = [...values.slice(0, 3), ...(isByStatus ? last : [values[3] ?? '', ...last])];
      const lines = await explain(migrated.url, postgres, given);
      const found = lines.matchAll(/Seq Scan|Scan (?:Backward )?using (\w+)/g);
      return [...found].map(([scan, index]) => index ?? scan);
    };
    for (const [table, pages] of [
      ['pets', petPages['-id']],
      ['pets', petPages.id],
      ['orders', orderPages],
    ] as const) {
      const parent = table === 'pets' ? 'category' : 'pet';
      expect(await plan(pages.all)).toEqual([`${table}_pkey`]);
      expect(await plan(pages.byStatus)).toEqual([`${table}_by_status`]);
      expect(await plan(pages.byParentAndStatus)).toEqual([`${table}_by_${parent}`]);
      expect(await plan(pages.byParent)).toEqual(Array(3).fill(`${table}_by_${parent}`));
      // An animal has at most one open order, which is in another index too.
      const ofMany = (await plan(pages.byParents)).map((name) =>
        name.replace('open_orders', 'orders_by_pet'),
      );
      expect(ofMany).toEqual(Array(3).fill(`${table}_by_${parent}`));
      expect(await plan(pages.byIds)).not.toContain('Seq Scan');
    }
    for (const { all, ofStatus } of Object.values(selectNearby)) {
      expect(await plan(all)).toEqual(['pets_pkey']);
      expect(await plan(ofStatus)).toEqual(['pets_by_status']);
    }
  });

  test('reads the events of a record from an index, among many of others with its number', async () => {
    await using migrated = await createTestDatabase();
    await using _database = await open(migrated.url);
    await runSql(
      migrated.url,
      `INSERT INTO events SELECT 1, n, 'category.updated', n % 2, 0, '{}' FROM generate_series(1, 10000) AS n;
       ANALYZE events`,
    );
    const types = ['feed.reset', 'pet.created', 'pet.updated', 'pet.deleted'];
    const values = ['1', '10', '21', '1', ...types.map((type) => `'${type}'`)];
    const plan = await explain(migrated.url, selectOfRecord.postgres, values);
    const scans = plan.match(/Seq Scan on events|using events_\w+/g);
    expect(scans?.filter((scan) => scan !== 'using events_pkey')).toEqual(
      Array(4).fill('using events_by_record'),
    );
  });

  test('lists the sessions of one key, of owners and of a workspace from an index, among many of others', async () => {
    await using migrated = await createTestDatabase();
    await using _database = await open(migrated.url);
    await runSql(
      migrated.url,
      `INSERT INTO console_tokens SELECT encode(sha256(n::text::bytea), 'hex'), 0, n % 200,
         CASE WHEN n % 100 > 0 THEN (n % 200)::text END, n, n, 20000 FROM generate_series(1, 20000) AS n;
       INSERT INTO workspaces (id, name, version, created_at) SELECT n, 'shop-' || n, 0, 0 FROM generate_series(2, 200) AS n;
       ANALYZE`,
    );
    const plan = async ({ postgres }: Statement<object>, ...values: string[]) => {
      const lines = await explain(migrated.url, postgres, ['0', '9999', "''", '101', ...values]);
      const found = lines.matchAll(/Seq Scan on console_tokens|(?:on|using) (console_tokens_\w+)/g);
      return [...found].map(([scan, index]) => index ?? scan);
    };
    const ofUser = 'console_tokens_by_api_key';
    expect(await plan(sessionLists.ofKey, "'7'")).toEqual([ofUser]);
    expect(await plan(sessionLists.ofOwners)).toEqual([ofUser]);
    expect(await plan(sessionLists.ofOwnersAndKeys, '7')).toEqual([
      ofUser,
      'console_tokens_by_workspace',
    ]);
    expect(await plan(sessionLists.ofDigests, "'7'", "'7g'")).toEqual(['console_tokens_pkey']);
  });

  test('finds a page of workspaces by name in an index, with every locale of the database', async () => {
    await using migrated = await createTestDatabase();
    await using _database = await open(migrated.url);
    await runSql(
      migrated.url,
      `INSERT INTO workspaces (id, name, version, created_at) SELECT n, 'shop-' || n, 0, 0 FROM generate_series(2, 10000) AS n;
       ANALYZE workspaces`,
    );
    for (const found of [
      await explain(migrated.url, selectNames.postgres, ["'shop-5'", "'shop-5{'", '101']),
      await explain(migrated.url, selectSummaries.postgres, ['0', "'shop-5'", '101']),
    ]) {
      expect(found).toContain('using workspaces_name_key');
      expect(found).not.toMatch(/Sort|Seq Scan on workspaces/);
    }
  });
});

describe('a PostgreSQL server that may lose commits', () => {
  test('is refused in one line, unless a loss of data is accepted', async () => {
    await using server = await startPostgresServer({
      flags: ['fsync=off', 'full_page_writes=off'],
    });
    const url = `${server.url}/postgres`;
    await expect(open(url)).rejects.toThrow(
      `PostgreSQL at 127.0.0.1:${server.port} runs with fsync=off, full_page_writes=off and can lose committed data`,
    );
    await using _database = await open(url, { durability: 'unchecked' });
  });
});

describe('several servers on one PostgreSQL database', () => {
  test('add one animal for one Idempotency-Key sent to all at once', async () => {
    await using data = await prepareData('postgres');
    await using one = await data.open({ asServer: true });
    await using two = await data.open({ asServer: true });
    await using three = await data.open({ asServer: true });
    for (let round = 0; round < 50; round += 1) {
      const idempotencyKey = {
        workspaceId: 1n,
        operationId: 'createPet',
        key: `round ${round}`,
        requestDigest: 'a',
        now: 0,
        expiresAt: 1,
      };
      const outcomes = await Promise.all(
        [one, two, three].map((database) =>
          database.writeKeyed(
            background,
            'createPet',
            { workspaceId: 1n, pet: rex },
            idempotencyKey,
          ),
        ),
      );
      const ids = outcomes.map((outcome) => okOf(outcome).id);
      expect(ids).toEqual(Array(3).fill(BigInt(round + 1)));
      const replays = outcomes.filter((outcome) => 'ok' in outcome && outcome.replayed);
      expect(replays).toHaveLength(2);
    }
  });

  test('are notified of each other’s writes', async () => {
    await using data = await prepareData('postgres');
    const forever = 1000 * 3600;
    await using writing = await open(data.url);
    await using listening = await open(data.url, {
      asServer: true,
      staleMillisecondsMax: forever,
    });
    // The first change of the version shows that LISTEN is active.
    const start = listening.dataVersion();
    while (listening.dataVersion() === start) await new Promise(setImmediate);
    const before = listening.dataVersion();
    await writing.write(background, 'createPet', { workspaceId: 1n, pet: rex });
    while (listening.dataVersion() === before) await new Promise(setImmediate);
  });

  test('use cached data no longer than their limit if no notice arrives', async () => {
    await using data = await prepareData('postgres');
    await using unnotified = await open(data.url, { staleMillisecondsMax: 50 });
    const before = unnotified.dataVersion();
    while (unnotified.dataVersion() === before) await new Promise(setImmediate);
  });

  test('check the version for each request if the limit is 0', async () => {
    await using data = await prepareData('postgres');
    await using strict = await open(data.url, { staleMillisecondsMax: 0 });
    expect(strict.dataVersion()).not.toBe(strict.dataVersion());
  });
});
