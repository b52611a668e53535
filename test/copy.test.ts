import { Database as Connection } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Client } from 'pg';
import { background } from '../src/context/context.ts';
import type { NewApiKey } from '../src/domain/access/api-key.ts';
import type { NewPet } from '../src/domain/pet.ts';
import { int64Max, int64Min } from '../src/domain/values/int64.ts';
import { copyLockId } from '../src/postgres/open-for-copy.ts';
import type { Database } from '../src/storage/contract/database.ts';
import { appendedTables } from '../src/storage/copies/copy-database.ts';
import { prepareData, type TestData } from './support/engines.ts';
import { createKey } from './support/new-key.ts';
import { okOf } from './support/outcome.ts';
import { connectTo, createTestDatabase } from './support/postgres.ts';
import { startPostgresServer } from './support/postgres-server.ts';
import { refusal, runProgram, spawnProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { readApiKeys, readWorkspaces } from './support/whole-lists.ts';

/** Each breaks code that quotes, sorts, trims, normalises or converts text incorrectly. */
const oddNames = [
  'NULL',
  '"Rex"',
  'back\\slash \\x41 \\',
  "O'Malley",
  '{a,b}',
  '[1,"2"]',
  ' Rex ',
  '\ufeffRex',
  'e\u0301 is not \u00e9',
  'ß ẞ ı İ ﬁ',
  '👩‍👩‍👧‍👦',
  '\u{10ffff}\ufffd\u2028\u202e',
  'مرحبا',
  '😀'.repeat(255),
];

const categoryIds = [int64Min, int64Max, 0n, -1n, 9007199254740993n];

/** Some of them are equal in a language and different in their bytes. */
const oddKeys = ['a', 'B', '_', '~', '"', '\\', '{}', ',', 'NULL', 'a"b\\c', '10', '9'];

/** Fills new data with records of every kind, and with counters above the existing ids. */
async function fill(database: Database): Promise<void> {
  const now = 1_800_000_000_000;
  await database.write(background, 'claimEnvironment', { environment: 'staging' });
  for (const name of ['shop', 'empty', 'gone']) {
    await database.write(background, 'createWorkspace', { name, now });
  }
  const createNamed = (name: string, workspaceName: string, more: Partial<NewApiKey> = {}) => {
    const own = { name, digest: `digest of ${name}`, scopes: ['pets:read'] } as const;
    return createKey(database, { ...own, ...more }, { workspaceName, now });
  };
  await createNamed('plain', 'default');
  await createNamed('Ünal’s "key" \\', 'shop', {
    rateLimit: { count: 600, seconds: 60 },
    expiresAt: now + 1,
    scopes: ['pets:read', 'pets:write'],
  });
  await createNamed('revoked', 'shop');
  await database.write(background, 'revokeApiKey', { id: 3n, now: now + 7 });
  await createNamed('gone', 'gone');
  const shop = await database.findWorkspace(background, 'shop');
  const gone = await database.findWorkspace(background, 'gone');
  const pets: NewPet[] = oddNames.flatMap((name) =>
    categoryIds.map((categoryId) => ({ name, categoryId, status: 'sold' as const })),
  );
  for (const workspace of [shop, gone]) {
    await database.write(background, 'createPets', { workspaceId: workspace?.id ?? 0n, pets });
  }
  for (const [index, key] of oddKeys.entries()) {
    const scope = { workspaceId: 1n, operationId: 'createPet', requestDigest: `${index}`, now };
    await database.writeKeyed(
      background,
      'createPet',
      { workspaceId: 1n, pet: { name: 'Rex', categoryId: categoryIds[index % 5] ?? 0n } },
      { ...scope, key, expiresAt: now + index },
    );
  }
  const deprecatedCalls = ['getPet', 'GetPet', 'get_pet'].map((operationId) => ({
    operationId,
    count: 3,
    lastCalledAt: now,
  }));
  const uses = [0n, 1n, 2n].map((apiKeyId) => ({
    apiKeyId,
    workspaceId: apiKeyId === 2n ? (shop?.id ?? 0n) : 1n,
    lastUsedAt: now,
    deprecatedCalls,
  }));
  await database.write(background, 'saveApiKeyUses', { uses });
  const step = { id: gone?.id ?? 0n, rowsMax: 1000, now: Date.now() };
  await database.write(background, 'deleteWorkspaceStep', step);
}

async function prepareFilled(engine: 'sqlite' | 'postgres'): Promise<TestData> {
  const data = await prepareData(engine);
  await using database = await data.open();
  await fill(database);
  return data;
}

function copy(from: string, to: string, ...more: string[]) {
  return runProgram(['copy', '--from', from, '--to', to, ...more]);
}

const refusalOfOther = refusal(
  'The target holds other data, and nothing was copied: choose an empty database',
);

const complete = 'The copy is complete and identical to the source.\n';

/** Every row of a file, read without the program. The life of a file is its own. */
function dump(url: string): Record<string, unknown[]> {
  using connection = new Connection(url.replace('sqlite:', ''), { safeIntegers: true });
  const tables = connection
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'life'",
    )
    .all();
  return Object.fromEntries(
    tables.map(({ name }) => {
      const rows = connection.query(`SELECT * FROM ${name}`).values();
      return [name, rows.map((row) => row.map(String).join('\t')).sort()];
    }),
  );
}

describe('copy', () => {
  test('moves everything to PostgreSQL and back, to the last digit and character', async () => {
    await using source = await prepareFilled('sqlite');
    await using middle = await prepareData('postgres');
    await using end = await prepareData('sqlite');
    const before = dump(source.url);
    const there = await copy(source.url, middle.url);
    expect(there).toMatchObject({ exitCode: 0, stderr: '' });
    expect(there.stdout).toEndWith(complete);
    expect(await copy(middle.url, end.url)).toEqual(there);
    for (const { url } of [source, end]) {
      const files = readdirSync(dirname(url.replace('sqlite:', '')));
      expect(files.sort()).toEqual(['test.db', 'test.db.life', 'test.db.lock']);
    }
    expect(dump(source.url)).toEqual(before);
    expect(dump(end.url)).toEqual(before);
    expect(before.pets).toHaveLength(oddNames.length * categoryIds.length + oddKeys.length);
    const lines = there.stdout.split('\n').map((line) => line.split(/ +/).slice(0, 2).join(' '));
    expect(lines.slice(0, 8)).toEqual([
      'TABLE ROWS',
      'meta 1',
      'workspaces 3',
      'api_keys 3',
      'audit_entries 10',
      'deprecated_calls 9',
      'idempotency_keys 12',
      'pets 82',
    ]);
  });

  test.each([
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
    ['sqlite', 'sqlite'],
    ['postgres', 'postgres'],
  ] as const)(
    'keeps API keys, pages and idempotency keys, and assigns no id again: %s to %s',
    async (from, to) => {
      await using source = await prepareFilled(from);
      await using target = await prepareData(to);
      expect(await copy(source.url, target.url)).toMatchObject({ exitCode: 0, stderr: '' });

      await using old = await source.open();
      await using database = await target.open();
      for (const digest of ['digest of plain', 'digest of Ünal’s "key" \\', 'digest of revoked']) {
        const apiKey = await database.findApiKey(background, digest);
        expect(apiKey?.id).toBeGreaterThan(0n);
        expect(apiKey).toEqual(await old.findApiKey(background, digest));
      }
      const now = 1_800_000_000_000;
      expect(await readWorkspaces(database, now)).toEqual(await readWorkspaces(old, now));
      const shop = await old.findWorkspace(background, 'shop');
      const workspaceId = shop?.id ?? 0n;
      const page = await database.readPetPage(background, workspaceId, { limit: 100 });
      expect(page).toEqual(await old.readPetPage(background, workspaceId, { limit: 100 }));
      expect(page.items.map(({ name }) => name)).toContain('\ufeffRex');
      const version = await database.readWorkspaceVersion(background, workspaceId);
      expect(version).toBe(await old.readWorkspaceVersion(background, workspaceId));

      const key = { workspaceId: 1n, operationId: 'createPet', key: '"', requestDigest: '4' };
      const again = await database.writeKeyed(
        background,
        'createPet',
        { workspaceId: 1n, pet: { name: 'Rex', categoryId: 0n } },
        { ...key, now: 0, expiresAt: 1 },
      );
      expect(again).toMatchObject({ replayed: true, ok: { categoryId: 9007199254740993n } });

      const environment = await database.write(background, 'claimEnvironment', {
        environment: 'production',
      });
      expect(environment).toEqual({ ok: 'staging' });
      const pet = await database.write(background, 'createPet', {
        workspaceId,
        pet: { name: 'Rex', categoryId: 1n },
      });
      expect(okOf(pet).id).toBe(BigInt(page.items.length + 1));
      // The last workspace and the last key were deleted with their ids.
      expect(
        await database.write(background, 'createWorkspace', { name: 'new', now: 0 }),
      ).toMatchObject({
        ok: { id: 5n },
      });
      const made = await createKey(database, {}, { workspaceName: 'new', now: 0 });
      expect(made.id).toBe(5n);
    },
  );

  test('leaves data that never had a key ready to create its first key at the start of a server', async () => {
    await using source = await prepareData('postgres');
    await using target = await prepareData('sqlite');
    expect(await copy(source.url, target.url)).toMatchObject({ exitCode: 0 });
    await using server = await startServerProcess(target.url);
    expect(server.firstKey).toStartWith('anst_live_');
  });

  test('reports that the target is complete, and refuses it after a change', async () => {
    await using source = await prepareFilled('sqlite');
    await using target = await prepareData('sqlite');
    const first = await copy(source.url, target.url);
    const again = await copy(source.url, target.url);
    expect(again).toMatchObject({ exitCode: 0, stderr: '' });
    expect(again.stdout).toBe(
      first.stdout.replace(
        complete,
        'The target is already a complete copy, identical to the source.\n',
      ),
    );
    using connection = new Connection(target.url.replace('sqlite:', ''));
    connection.run(
      "UPDATE pets SET name = 'O’Malley' WHERE name = 'O''Malley' AND category_id = 0",
    );
    expect(await copy(source.url, target.url)).toEqual(refusalOfOther);
  });

  test('keeps the order of keys in a database with any locale', async () => {
    await using source = await prepareFilled('sqlite');
    await using neighbour = await createTestDatabase('empty');
    const name = `${neighbour.name}_english`;
    await using client = await connectTo(neighbour.url);
    await client.query(
      `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`,
    );
    const run = await copy(source.url, neighbour.url.replace(neighbour.name, name));
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test.each([
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const)('from %s to %s omits the sessions of the console', async (from, to) => {
    await using source = await prepareFilled(from);
    await using target = await prepareData(to);
    const link = await runProgram(['console'], { DATABASE_URL: source.url });
    expect(link.exitCode).toBe(0);
    const { exitCode, stdout } = await copy(source.url, target.url);
    expect(exitCode).toBe(0);
    expect(stdout).toEndWith(complete);
    expect(stdout).not.toContain('console_tokens');
    const countIn = async ({ open }: TestData) => {
      await using database = await open();
      const expired = { now: Date.now() * 2, tokensMax: 10 };
      return (await database.write(background, 'deleteExpiredConsoleTokens', expired)).ok;
    };
    expect([await countIn(source), await countIn(target)]).toEqual([1, 0]);
  });
});

/** More than two batches, so that one is in the middle. */
const manyAnimals = 12_000;

/** The rows of all tables that are copied before idempotency keys and animals. */
const firstRows = 3 + 3 + 10 + 9;

/** The rows of all tables that are copied before the animals. */
const rowsBeforeAnimals = firstRows + oddKeys.length;

/** The number of rows with the other animals. */
const allRows =
  rowsBeforeAnimals + oddNames.length * categoryIds.length + oddKeys.length + manyAnimals;

async function prepareMany(engine: 'sqlite' | 'postgres'): Promise<TestData> {
  const data = await prepareFilled(engine);
  await using database = await data.open();
  const pets = Array.from({ length: manyAnimals / 6 }, (_, index) => ({
    name: oddNames[index % oddNames.length] ?? '',
    categoryId: BigInt(index),
  }));
  const { id: workspaceId = 0n } = (await database.findWorkspace(background, 'empty')) ?? {};
  for (let round = 0; round < 6; round += 1) {
    await database.write(background, 'createPets', { workspaceId, pets });
  }
  return data;
}

/** Runs statements in a PostgreSQL database that make a session wait for a lock, and holds the lock. */
async function holdLock(url: string, sql: string) {
  const client = await connectTo(url);
  await client.query('SELECT pg_advisory_lock(7)');
  await client.query(sql);
  return {
    client,
    /** Resolves when a session waits for the lock. */
    async untilWaiting(): Promise<void> {
      const waiting = `
        SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`;
      while ((await client.query(waiting)).rowCount === 0) await new Promise(setImmediate);
    },
    /** Releases the lock, and runs statements that undo the first ones. */
    async release(undo: string): Promise<void> {
      await client.query('SELECT pg_advisory_unlock(7)');
      await client.query(undo);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Makes each write of certain rows wait for the lock. */
const waitInTrigger = (when: string) => `
  CREATE OR REPLACE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END $$;
  CREATE TRIGGER wait ${when} EXECUTE FUNCTION wait()`;

/** Replaces the animals by a view that waits for the lock when it reads a certain one. STABLE keeps it from waiting earlier. */
const waitAtAnimal = (workspaceId: number, id: number) => `
  CREATE FUNCTION wait_at(workspace_id bigint, id bigint, category_id bigint) RETURNS bigint
  LANGUAGE plpgsql STABLE COST 10000 AS $$
    BEGIN
      IF workspace_id = ${workspaceId} AND id = ${id} THEN PERFORM pg_advisory_xact_lock(7); END IF;
      RETURN category_id;
    END $$;
  ALTER TABLE pets RENAME TO all_pets;
  CREATE VIEW pets AS
    SELECT workspace_id, id, name, wait_at(workspace_id, id, category_id) AS category_id, status FROM all_pets`;

const noMoreView = 'DROP VIEW pets; ALTER TABLE all_pets RENAME TO pets; DROP FUNCTION wait_at';

/** Number of rows that were copied to a PostgreSQL database, without that of meta. */
async function countCopied(client: Client): Promise<number> {
  const counts = appendedTables.map((name) => `(SELECT count(*) FROM ${name})`);
  const { rows } = await client.query(`SELECT (${counts.join(' + ')})::int AS count`);
  return rows[0]?.count;
}

function startCopy(from: string, to: string) {
  const child = spawnProgram(['copy', '--from', from, '--to', to]);
  const stdout = new Response(child.stdout).text();
  const stderr = new Response(child.stderr).text();
  return {
    async end() {
      return { exitCode: await child.exited, stdout: await stdout, stderr: await stderr };
    },
    /** Returns the output of the command. */
    async kill(): Promise<string> {
      child.kill('SIGKILL');
      await child.exited;
      expect(child.signalCode).toBe('SIGKILL');
      return await stdout;
    },
  };
}

const differs = (tables: string) =>
  `animal-store: The copy differs from its source in ${tables}: stop all writers of both databases, empty the target and start again\n`;

describe('a copy that is interrupted', () => {
  test('by a kill at any step to PostgreSQL continues at the next start, and is not served before it is complete', async () => {
    await using source = await prepareMany('sqlite');
    await using target = await prepareData('postgres');
    const rowsAfterBatch = (batch: number) => rowsBeforeAnimals + batch * 5000;
    // The step and the table of the kill, and the number of rows after it. A running step is done completely or not at all.
    const steps = [
      ['BEFORE UPDATE ON meta', 'meta', undefined, undefined],
      ['BEFORE INSERT ON workspaces', 'workspaces', 0, 3],
      ['BEFORE INSERT ON idempotency_keys', 'idempotency_keys', firstRows, rowsBeforeAnimals],
      ['BEFORE INSERT ON pets', 'pets', rowsBeforeAnimals, rowsAfterBatch(1)],
      [
        'BEFORE INSERT ON pets FOR EACH ROW WHEN (NEW.id = 6000)',
        'pets',
        rowsAfterBatch(1),
        rowsAfterBatch(2),
      ],
      [
        `AFTER INSERT ON pets FOR EACH ROW WHEN (NEW.id = ${manyAnimals})`,
        'pets',
        rowsAfterBatch(2),
        allRows,
      ],
      ['AFTER UPDATE ON meta', 'meta', allRows, allRows],
    ] as const;
    let rowsBefore: number | undefined;
    for (const [when, table, rowsIfUndone, rowsIfDone] of steps) {
      await using hold = await holdLock(target.url, waitInTrigger(when));
      const run = startCopy(source.url, target.url);
      await hold.untilWaiting();
      const printed = await run.kill();
      const line = rowsBefore === undefined ? '' : `Continuing after ${rowsBefore} rows.\n`;
      expect(printed).toStartWith(line);
      // Waits for the end of the killed session on the server.
      await hold.release(`DROP TRIGGER wait ON ${table}`);
      rowsBefore = rowsIfUndone === undefined ? undefined : await countCopied(hold.client);
      expect([rowsIfUndone, rowsIfDone]).toContain(rowsBefore);
    }
    for (const args of [
      ['serve', '--port', '0'],
      ['keys', 'list'],
    ]) {
      expect(await runProgram([...args, '--database', target.url])).toEqual(
        refusal('The database holds an unfinished copy: start the same copy again'),
      );
    }
    const last = await copy(source.url, target.url);
    expect(last).toMatchObject({ exitCode: 0, stderr: '' });
    expect(last.stdout).toStartWith(`Continuing after ${allRows} rows.\n`);
    expect(last.stdout).toEndWith(complete);

    await using back = await prepareData('sqlite');
    expect(await copy(target.url, back.url)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(dump(back.url)).toEqual(dump(source.url));
  });

  test('by a kill at any step to SQLite continues at the next start, and is not served before it is complete', async () => {
    await using source = await prepareMany('postgres');
    await using target = await prepareData('sqlite');
    const path = target.url.replace('sqlite:', '');
    // The animal that is being read at the kill, and the number of animals that were copied before.
    const steps = [
      [2, 10, 0],
      [3, 7000, 5000],
      [3, 11_000, 10_000],
      [3, manyAnimals, 10_000],
    ] as const;
    let before: number | undefined;
    for (const [workspaceId, id, copied] of steps) {
      await using hold = await holdLock(source.url, waitAtAnimal(workspaceId, id));
      const run = startCopy(source.url, target.url);
      await hold.untilWaiting();
      using reading = new Connection(path);
      const count = reading.query<{ count: number }, []>('SELECT count(*) AS count FROM pets');
      while (count.get()?.count !== copied) await new Promise(setImmediate);
      const printed = await run.kill();
      expect(printed).toBe(before === undefined ? '' : `Continuing after ${before} rows.\n`);
      before = rowsBeforeAnimals + copied;
      await hold.release(noMoreView);
    }
    for (const args of [
      ['serve', '--port', '0'],
      ['keys', 'list'],
    ]) {
      expect(await runProgram([...args, '--database', target.url])).toEqual(
        refusal(`${path} holds an unfinished copy: start the same copy again`),
      );
    }
    const last = await copy(source.url, target.url);
    expect(last).toMatchObject({ exitCode: 0, stderr: '' });
    expect(last.stdout).toStartWith(`Continuing after ${before} rows.\n`);
    expect(last.stdout).toEndWith(complete);
    await using again = await prepareData('sqlite');
    expect(await copy(source.url, again.url)).toMatchObject({ exitCode: 0 });
    expect(dump(again.url)).toEqual(dump(target.url));
  });

  test('is not continued from another or a changed source, and is not accepted as a source', async () => {
    await using source = await prepareMany('postgres');
    await using target = await prepareData('sqlite');
    await using hold = await holdLock(source.url, waitAtAnimal(3, 7000));
    const run = startCopy(source.url, target.url);
    await hold.untilWaiting();
    await run.kill();
    await hold.release(noMoreView);
    const refused = refusal(
      'The target holds an unfinished copy of other data or of an older state of the source; empty it and start again',
    );
    await using other = await prepareFilled('sqlite');
    expect(await copy(other.url, target.url)).toEqual(refused);
    {
      await using database = await source.open();
      const pet = { name: 'Rex', categoryId: 1n };
      await database.write(background, 'createPet', { workspaceId: 1n, pet });
    }
    expect(await copy(source.url, target.url)).toEqual(refused);
    await using third = await prepareData('postgres');
    expect(await copy(target.url, third.url)).toEqual(
      refusal(
        `${target.url.replace('sqlite:', '')} holds an unfinished copy: start the same copy again`,
      ),
    );
  });

  test('is not completed if one byte of it was changed', async () => {
    await using source = await prepareMany('sqlite');
    await using target = await prepareData('postgres');
    const when = 'BEFORE INSERT ON pets FOR EACH ROW WHEN (NEW.id = 6000)';
    await using hold = await holdLock(target.url, waitInTrigger(when));
    const run = startCopy(source.url, target.url);
    await hold.untilWaiting();
    await run.kill();
    await hold.release('DROP TRIGGER wait ON pets');
    await hold.client.query(
      `UPDATE pets SET category_id = category_id + 1 WHERE workspace_id = 2 AND id = 3;
       UPDATE idempotency_keys SET ok = ok || ' ' WHERE key = 'NULL'`,
    );
    for (let round = 0; round < 2; round += 1) {
      const { exitCode, stdout, stderr } = await copy(source.url, target.url);
      expect([exitCode, stderr]).toEqual([1, differs('idempotency_keys, pets')]);
      expect(stdout).toMatch(/^pets +12082 +[0-9a-f]{64}, copied [0-9a-f]{64}$/m);
      expect(stdout).toMatch(/^workspaces +3 +[0-9a-f]{64}$/m);
    }
  });

  test('is not completed if the source changed during the copy', async () => {
    await using source = await prepareMany('postgres');
    await using target = await prepareData('sqlite');
    await using hold = await holdLock(source.url, waitAtAnimal(3, 7000));
    const run = startCopy(source.url, target.url);
    await hold.untilWaiting();
    await hold.client.query('DELETE FROM idempotency_keys');
    await hold.release('SELECT 1');
    const { exitCode, stdout, stderr } = await run.end();
    await hold.release(noMoreView);
    expect([exitCode, stderr]).toEqual([1, differs('idempotency_keys')]);
    expect(stdout).toMatch(/^idempotency_keys +0, copied 12 /m);
  });
});

describe('copy refuses in one line', () => {
  test('a target with other data, and leaves it as it was', async () => {
    await using source = await prepareFilled('sqlite');
    const ways: ((database: Database) => Promise<unknown>)[] = [
      (database) => database.write(background, 'claimEnvironment', { environment: 'staging' }),
      (database) => database.write(background, 'createWorkspace', { name: 'shop', now: 0 }),
      (database) =>
        database.write(background, 'createPet', {
          workspaceId: 1n,
          pet: { name: 'Rex', categoryId: 1n },
        }),
      async (database) => {
        await fill(database);
        await database.write(background, 'revokeApiKey', { id: 1n, now: 0 });
      },
    ];
    for (const engine of ['sqlite', 'postgres'] as const) {
      for (const write of ways) {
        await using target = await prepareData(engine);
        const open = async <Result>(use: (database: Database) => Promise<Result>) => {
          await using database = await target.open();
          return await use(database);
        };
        const read = async (database: Database) => [
          await readWorkspaces(database, 0),
          await readApiKeys(database),
        ];
        await open(write);
        const before = await open(read);
        expect(await copy(source.url, target.url)).toEqual(refusalOfOther);
        expect(await open(read)).toEqual(before);
      }
    }
  });

  test('a missing source, and creates none', async () => {
    await using target = await prepareData('sqlite');
    await using empty = await createTestDatabase('empty');
    const path = `${target.url.replace('sqlite:', '')}.missing`;
    expect(await copy(`sqlite:${path}`, target.url)).toEqual(
      refusal(`There is no data in ${path}`),
    );
    expect(existsSync(path)).toBe(false);
    expect(await copy(empty.url, target.url)).toEqual(
      refusal('The database holds no data to copy from'),
    );
    await using client = await connectTo(empty.url);
    const schemas = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = 'animal_store'");
    expect(schemas.rowCount).toBe(0);
  });

  test('a SQLite file of a running server, on either side, by any of its names', async () => {
    await using served = await prepareData('sqlite');
    await using other = await prepareFilled('sqlite');
    await using _server = await served.open({ asServer: true });
    const path = served.url.replace('sqlite:', '');
    symlinkSync(path, `${path}.link`);
    const refused = refusal(
      `${path} is in use by a server, or by a command that copies or restores it: stop it first`,
    );
    expect(await copy(served.url, other.url)).toEqual(refused);
    expect(await copy(`${served.url}.link`, other.url)).toEqual(refused);
    expect(await copy(other.url, served.url)).toEqual(refused);
    expect(await copy(other.url, `${served.url}.link`)).toEqual(refused);
  });

  test('a SQLite file as its own target, by another name', async () => {
    await using source = await prepareFilled('sqlite');
    const path = source.url.replace('sqlite:', '');
    symlinkSync(path, `${path}.link`);
    expect(await copy(source.url, `${source.url}.link`)).toEqual(
      refusal('--from and --to must be different databases', 2),
    );
  });

  test('a second copy to a PostgreSQL database while the first runs', async () => {
    await using source = await prepareFilled('sqlite');
    await using target = await prepareData('postgres');
    await using holder = await connectTo(target.url);
    await holder.query(`SELECT pg_advisory_lock(${copyLockId})`);
    expect(await copy(source.url, target.url)).toEqual(
      refusal('Another copy to this database is running: wait until it ends'),
    );
  });

  test('a server that claims a PostgreSQL database just when a copy to it begins', async () => {
    await using target = await prepareData('postgres');
    await using database = await target.open({ asServer: true });
    await using client = await connectTo(target.url);
    await client.query("UPDATE meta SET unfinished_copy_of = 'another'");
    await expect(
      database.write(background, 'claimEnvironment', { environment: 'production' }),
    ).rejects.toThrow('The database holds an unfinished copy: start the same copy again');
  });

  test('a PostgreSQL server that may lose commits as a target, unless --allow-data-loss is set', async () => {
    await using server = await startPostgresServer({ flags: ['fsync=off'] });
    const target = `${server.url}/postgres`;
    await using source = await prepareFilled('sqlite');
    const { exitCode, stderr } = await copy(source.url, target);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^animal-store: PostgreSQL at \S+ runs with fsync=off /);
    const accepted = await copy(source.url, target, '--allow-data-loss', 'true');
    expect(accepted).toMatchObject({ exitCode: 0, stderr: '' });
    // As a source it is accepted.
    await using back = await prepareData('sqlite');
    expect(await copy(target, back.url)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test.each([
    [['--from', 'sqlite:a.db'], "required option '--to <url>' not specified"],
    [
      ['--from', 'mysql://secret@host/db', '--to', 'sqlite:'],
      '--from must be sqlite: followed by the path of a file, or postgres://USER:PASSWORD@HOST:PORT/NAME\n' +
        'animal-store: --to must be sqlite: followed by the path of a file, or postgres://USER:PASSWORD@HOST:PORT/NAME\n',
    ],
    [
      ['--from', 'sqlite:a.db', '--to', 'sqlite:a.db'],
      '--from and --to must be different databases\n',
    ],
    [
      ['--from', 'sqlite:a.db', '--to', 'sqlite:./b/../a.db'],
      '--from and --to must be different databases\n',
    ],
  ])('invalid arguments, with exit code 2: %p', async (args, line) => {
    using folder = makeTemporaryFolder();
    const { exitCode, stdout, stderr } = await runProgram(['copy', ...args], {}, folder.path);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toStartWith(`animal-store: ${line}`);
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

test('a copy has what imports added, so that the same file adds no row again there', async () => {
  await using source = await prepareData('sqlite');
  await using target = await prepareData('postgres', 'empty');
  const now = Date.now();
  const command = {
    ...{ workspaceId: 1n, source: 'a'.repeat(64), now, row: 7 },
    pet: { name: 'Rex', categoryId: 1n },
  };
  {
    await using database = await source.open();
    okOf(await database.write(background, 'importPet', command));
  }
  expect((await copy(source.url, target.url)).exitCode).toBe(0);
  await using database = await target.open();
  const again = okOf(await database.write(background, 'importPet', command));
  expect(again).toMatchObject({ id: 1n, isNew: false });
});
