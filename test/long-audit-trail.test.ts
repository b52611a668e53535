import { Database as Connection } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openReaderConnection } from '../src/sqlite/connection.ts';
import { isDamage } from '../src/sqlite/errors.ts';
import { createQueryable } from '../src/sqlite/queryable.ts';
import { continuesTrail } from '../src/storage/access/audit-trail.ts';
import type { Database } from '../src/storage/contract/database.ts';
import { readReplaced } from '../src/storage/copies/restore.ts';
import { engineNames, forceSqlOn, prepareData, type TestData } from './support/engines.ts';
import { createKey } from './support/new-key.ts';
import { runProgram } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** More than two pages of entries and keys. */
const keyCount = 1100;

async function createKeys(database: Database, count: number, first = 0): Promise<void> {
  for (let start = first; start < first + count; start += 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, first + count - start) }, (_none, index) =>
        createKey(database, {
          name: `Key ${start + index}`,
          digest: `digest ${start + index}`,
          scopes: ['pets:read'],
        }),
      ),
    );
  }
}

describe.each(engineNames)('a long audit trail on %s', (engine) => {
  let data: TestData;
  const force = (sql: string) => forceSqlOn(engine, data.url, sql);
  const tables = ['audit_entries', 'api_keys'];
  beforeAll(async () => {
    data = await prepareData(engine);
    await using database = await data.open();
    await createKeys(database, keyCount);
    for (const table of tables) await force(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`);
  });
  afterEach(async () => {
    for (const table of tables) {
      await force(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM kept_${table}`);
    }
  });
  afterAll(async () => {
    for (const table of tables) await force(`DROP TABLE kept_${table}`);
    await data[Symbol.asyncDispose]();
  });

  test('is verified as a whole, with all keys and each noted digest', async () => {
    const run = (...args: string[]) => runProgram(args, { DATABASE_URL: data.url });
    const entries = JSON.parse((await run('audit', '--json', '--all')).stdout) as {
      digest: string;
    }[];
    expect(entries).toHaveLength(keyCount);
    for (const index of [0, keyCount - 500, keyCount - 501, keyCount - 1]) {
      const digest = entries[index]?.digest ?? '';
      const { exitCode, stdout } = await run('verify', '--audit-digest', digest);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`: ${keyCount} entries`)]);
    }
  });

  test.each([
    [
      'UPDATE audit_entries SET at = at + 1 WHERE id = 500',
      'Entry 500 of the audit trail was changed',
    ],
    [
      'UPDATE audit_entries SET at = at + 1 WHERE id = 501',
      'Entry 501 of the audit trail was changed',
    ],
    ['DELETE FROM audit_entries WHERE id = 1000', 'Entry 1000 of the audit trail is missing'],
    ['DELETE FROM api_keys WHERE id = 1001', 'Key 1001 is missing but in the audit trail'],
  ])('is damaged after %s', async (sql, line) => {
    await force(sql);
    const { exitCode, stderr } = await runProgram(['verify'], { DATABASE_URL: data.url });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(line)]);
    expect(stderr.split('\n')).toHaveLength(3);
  });
});

test('a restore continues a long audit trail, and a second one the trail of the first', async () => {
  await using data = await prepareData('sqlite');
  using folder = makeTemporaryFolder();
  const backup = join(folder.path, 'backup.db');
  const run = (...args: string[]) => runProgram(args, { DATABASE_URL: data.url });
  {
    await using database = await data.open();
    await createKeys(database, 5);
  }
  await run('backup', backup);
  {
    await using database = await data.open();
    await createKeys(database, keyCount, 5);
  }
  for (const count of [keyCount + 6, keyCount + 7]) {
    const { exitCode, stdout } = await run('restore', backup);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('5 keys')]);
    expect(stdout).not.toContain('was not kept');
    const { stdout: verified } = await run('verify');
    expect(verified).toContain(`Audit trail: ${count} entries`);
  }
});

test('a restore stops if another program has locked the data, which can have later entries', async () => {
  await using data = await prepareData('sqlite');
  using folder = makeTemporaryFolder();
  const path = data.url.replace('sqlite:', '');
  const backup = join(folder.path, 'backup.db');
  const run = (...args: string[]) => runProgram(args, { DATABASE_URL: data.url });
  await (await data.open())[Symbol.asyncDispose]();
  await run('backup', backup);
  await run('keys', 'create', '--name', 'Later');
  using connection = new Connection(path, { readwrite: true });
  connection.run('PRAGMA journal_mode = DELETE');
  // A read of the file by this process would end its lock.
  const before = readFileSync(path);
  connection.run('BEGIN EXCLUSIVE');
  expect(await run('restore', backup)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `animal-store: ${path} cannot be restored: the data is in use by another process; try again\n`,
  });
  expect(readFileSync(path)).toEqual(before);
});

test('data that is locked or closed is not taken for damaged, and its ids and audit trail are not given up', async () => {
  await using data = await prepareData('sqlite');
  const path = data.url.replace('sqlite:', '');
  await (await data.open())[Symbol.asyncDispose]();
  using locking = new Connection(path, { readwrite: true });
  locking.run('PRAGMA journal_mode = DELETE');
  using reader = openReaderConnection(path, 0);
  const queryable = createQueryable(reader);
  const found = await readReplaced(queryable, isDamage);
  expect([found.animals, found.ids?.counters.length]).toEqual([0, 2]);
  locking.run('BEGIN EXCLUSIVE');
  await expect(readReplaced(queryable, isDamage)).rejects.toThrow('SQLITE_BUSY');
  await expect(continuesTrail({ count: 0, digest: '' }, queryable)).rejects.toThrow('SQLITE_BUSY');
  locking.run('ROLLBACK; DROP TABLE pets');
  const { animals, ids } = await readReplaced(queryable, isDamage);
  expect([animals, ids?.counters.length]).toEqual([undefined, 2]);
  reader.close();
  await expect(readReplaced(queryable, isDamage)).rejects.toThrow('closed');
});
