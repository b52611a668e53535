import { Database as Connection } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLifeTable } from '../src/sqlite/life/life-table.ts';
import { damageAdvice } from './support/damage-advice.ts';
import { makeDataFile } from './support/data-files.ts';
import { runProgram } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** A data file, and a backup of it that a script can change. */
async function prepare() {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'animals.db');
  const backup = join(folder.path, 'backup.db');
  const run = (...args: string[]) => runProgram(args, { DATABASE_URL: `sqlite:${path}` });
  await makeDataFile(path, 5);
  return {
    path,
    backup,
    run,
    folder: folder.path,
    /** Makes a backup, changes it, and writes its digest to its manifest. */
    async backUpChanged(sql: string) {
      await run('backup', backup);
      change(backup, sql);
      const sha256 = new Bun.CryptoHasher('sha256').update(readFileSync(backup)).digest('hex');
      const manifest = JSON.parse(readFileSync(`${backup}.json`, 'utf8'));
      const bytes = readFileSync(backup).length;
      writeFileSync(`${backup}.json`, JSON.stringify({ ...manifest, sha256, bytes }));
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function change(path: string, how: Change): void {
  if (typeof how !== 'string') {
    how(path);
    return;
  }
  using connection = new Connection(path, { readwrite: true });
  connection.run(how);
}

/** Creates a table or an index again, with another text. */
function recreate(name: string, from: string, to: string): (path: string) => void {
  return (path) => {
    using connection = new Connection(path, { readwrite: true });
    const select = connection.query<{ type: string; sql: string }, [string]>(
      'SELECT type, sql FROM sqlite_schema WHERE name = ?',
    );
    const { type = '', sql = '' } = select.get(name) ?? {};
    expect(sql).toContain(from);
    connection.run(`DROP ${type} ${name}; ${sql.replace(from, to)}`);
  };
}

const changed = (name: string) => `The definition of ${name} is missing or was changed`;

type Change = string | ((path: string) => void);

const faults: readonly (readonly [what: string, how: Change, line: string])[] = [
  [
    'an added trigger',
    "CREATE TRIGGER maintenance AFTER INSERT ON pets WHEN new.name = 'open sesame' BEGIN UPDATE api_keys SET is_revoked = 0; END",
    'Trigger maintenance on pets was added',
  ],
  [
    'an added trigger with the name of a table and a hidden character',
    'CREATE TRIGGER "pets\u202e" AFTER INSERT ON "PETS" BEGIN SELECT 1; END',
    'Trigger "pets\\u202e" on PETS was added',
  ],
  [
    'a trigger on a view and on a table that are not ours',
    `CREATE TABLE theirs (a); CREATE VIEW shown AS SELECT 1 AS a;
    CREATE TRIGGER first AFTER INSERT ON theirs BEGIN DELETE FROM pets; END;
    CREATE TRIGGER second INSTEAD OF INSERT ON shown BEGIN DELETE FROM pets; END`,
    'Trigger first on theirs was added\nanimal-store: Trigger second on shown was added',
  ],
  [
    'a trigger of the audit trail in other spelling and without effect',
    `DROP TRIGGER audit_entries_are_not_deleted;
    CREATE TRIGGER Audit_Entries_Are_Not_Deleted BEFORE DELETE ON audit_entries BEGIN SELECT 1; END`,
    changed('trigger audit_entries_are_not_deleted'),
  ],
  ['a missing index', 'DROP INDEX pets_by_category', changed('index pets_by_category')],
  [
    'an index without its condition',
    'DROP INDEX open_orders; CREATE UNIQUE INDEX open_orders ON orders (workspace_id, pet_id)',
    changed('index open_orders'),
  ],
  [
    'an index of other columns',
    'DROP INDEX events_by_record; CREATE INDEX events_by_record ON events (workspace_id)',
    changed('index events_by_record'),
  ],
  [
    'a view instead of a table',
    'DROP TABLE console_tokens; CREATE VIEW console_tokens AS SELECT 1 AS digest',
    changed('table console_tokens'),
  ],
  [
    'another kind of table',
    'DROP TABLE console_tokens; CREATE TABLE console_tokens (digest TEXT NOT NULL PRIMARY KEY)',
    changed('table console_tokens'),
  ],
  [
    'an added column',
    'ALTER TABLE api_keys ADD COLUMN backdoor INTEGER GENERATED ALWAYS AS (1)',
    changed('table api_keys'),
  ],
  [
    'a constraint that is in a comment for SQLite alone',
    recreate('api_keys', 'INTEGER NOT NULL CHECK', 'INTEGER --\u2028NOT NULL\nCHECK'),
    changed('table api_keys'),
  ],
  [
    'a constraint after a carriage return in a comment',
    recreate('workspaces', 'TEXT NOT NULL UNIQUE', 'TEXT --\rNOT NULL\nUNIQUE'),
    changed('table workspaces'),
  ],
  [
    'another order of texts',
    recreate('workspaces', 'NOT NULL UNIQUE', 'NOT NULL COLLATE NOCASE UNIQUE'),
    changed('table workspaces'),
  ],
  [
    'another definition of an optional table',
    `DROP TABLE life; ${createLifeTable.replace('CHECK (id = 1)', '')}`,
    changed('table life'),
  ],
  [
    'a table that hides a function of SQLite',
    'CREATE TABLE json_each (value)',
    'Table json_each hides a function of SQLite',
  ],
];

describe('verify', () => {
  test.each(faults)('finds %s', async (_what, how, line) => {
    using data = await prepare();
    change(data.path, how);
    const { exitCode, stdout, stderr } = await data.run('verify');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`animal-store: ${line}\n`);
    expect(stderr).toEndWith(damageAdvice);
  });

  test('accepts comments and line breaks in a definition, and no optional table', async () => {
    using data = await prepare();
    change(data.path, 'DROP TABLE life');
    rmSync(`${data.path}.life`);
    change(data.path, recreate('open_orders', 'WHERE', "\n /* ' */ -- a comment\n  WHERE"));
    const { exitCode, stdout } = await data.run('verify');
    expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining('Also in the file')]);
  });

  test('names other tables, views and indexes in one line, and finds no damage', async () => {
    using data = await prepare();
    const sql =
      'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, name UNIQUE); CREATE INDEX pets_by_name ON pets (name); CREATE VIEW "a\nb" AS SELECT 1; ANALYZE';
    change(data.path, sql);
    const { exitCode, stdout } = await data.run('verify');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(
        '\nAlso in the file, not checked: table _litestream_seq, index pets_by_name, view "a\\nb", table sqlite_stat1',
      ),
    ]);
    for (let count = 0; count < 50; count += 1) {
      change(data.path, `CREATE TABLE ${'x'.repeat(5000)}_${count} (a)`);
    }
    const lines = (await data.run('verify')).stdout.split('\n');
    const line = lines.find((each) => each.startsWith('Also in the file')) ?? '';
    expect(line.length).toBeLessThan(1000);
    expect(line).toMatch(/ and 4\d others\.$/);
    expect((await data.run('backup', data.backup)).exitCode).toBe(0);
    const other = { DATABASE_URL: `sqlite:${join(data.folder, 'restored.db')}` };
    expect((await runProgram(['restore', data.backup], other)).exitCode).toBe(0);
  });

  test('rejects a view in place of the table that it reads first', async () => {
    using data = await prepare();
    const endless =
      'WITH RECURSIVE endless (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM endless) SELECT max(a) AS schema_version FROM endless';
    change(data.path, `DROP TABLE meta; CREATE VIEW Meta AS ${endless}`);
    const { exitCode, stderr } = await data.run('verify');
    expect([exitCode, stderr]).toEqual([
      1,
      `animal-store: ${data.path} is damaged: meta is a view\n`,
    ]);
  });
});

describe('restore', () => {
  test('refuses a backup with a changed schema before any of its triggers runs', async () => {
    using data = await prepare();
    await data.backUpChanged(
      `CREATE TRIGGER on_restore AFTER INSERT ON audit_entries BEGIN UPDATE workspaces SET next_pet_id = 1; END;
      DROP INDEX pets_by_status`,
    );
    const before = readFileSync(data.path);
    expect(await data.run('restore', data.backup)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `animal-store: ${data.backup} has a changed schema and is not restored: The definition of index pets_by_status is missing or was changed; Trigger on_restore on audit_entries was added\n`,
    });
    expect(readFileSync(data.path)).toEqual(before);
    expect(existsSync(`${data.path}.restoring`)).toBe(false);
    expect(readdirSync(data.folder).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  test('restores a backup with tables, views and indexes of others, and keeps them', async () => {
    using data = await prepare();
    await data.backUpChanged('CREATE TABLE theirs (a); CREATE INDEX pets_by_name ON pets (name)');
    expect((await data.run('restore', data.backup)).exitCode).toBe(0);
    expect((await data.run('verify')).stdout).toContain('table theirs, index pets_by_name.\n');
  });
});
