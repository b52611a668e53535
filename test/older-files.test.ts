import { Database as Connection } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemaVersion } from '../src/storage/schema/prepare-schema.ts';
import { goldenVersions, loadGoldenData, readGoldenAnswers } from './support/golden-data.ts';
import { makeNewerProgram } from './support/newer-program.ts';
import { makeOlderFile } from './support/older-data.ts';
import { runProgram, spawnProgram } from './support/server-process.ts';
import { hasSmallDisks, onReadOnlyFolder } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const newer = makeNewerProgram();
afterAll(() => newer[Symbol.dispose]());

const current = newer.schemaVersion;

function runNewer(...args: string[]) {
  return runProgram(args, {}, undefined, newer.command);
}

/** The data of a released version as the backup that it makes, in a folder without other files. */
async function prepareGolden(version: string) {
  const folder = makeTemporaryFolder();
  const backups = join(folder.path, 'backups');
  mkdirSync(backups);
  const backup = join(backups, 'backup.db');
  await loadGoldenData(version, 'sqlite', `sqlite:${backup}`);
  const count = (sql: string) => {
    using connection = new Connection(backup, { readonly: true });
    return Number(connection.query<{ found: number }, []>(`SELECT (${sql}) AS found`).get()?.found);
  };
  const workspaces = () => {
    using connection = new Connection(backup, { readonly: true });
    const select = `SELECT name, (SELECT count(*) FROM pets WHERE workspace_id = workspaces.id) AS animals,
      next_pet_id AS nextId FROM workspaces ORDER BY name`;
    return connection.query(select).all();
  };
  const auditDigest = readGoldenAnswers(version, 'sqlite').auditDigest;
  const describe_ = () => {
    const bytes = readFileSync(backup);
    const manifest = {
      madeAt: '2026-11-23T00:00:00.000Z',
      schemaVersion: count('SELECT schema_version FROM meta'),
      bytes: bytes.length,
      sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
      animals: count('SELECT count(*) FROM pets'),
      workspaces: workspaces(),
      apiKeys: count('SELECT count(*) FROM api_keys'),
      audit: { count: count('SELECT audit_count FROM meta'), digest: auditDigest },
    };
    writeFileSync(`${backup}.json`, JSON.stringify(manifest));
  };
  describe_();
  return {
    backup,
    backups,
    auditDigest,
    describe: describe_,
    version: count('SELECT schema_version FROM meta'),
    change(sql: string) {
      using connection = new Connection(backup, { readwrite: true });
      connection.run(sql);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe.each(goldenVersions)('a backup of version %s', (released) => {
  test('is verified without a restore, and nothing is written', async () => {
    using data = await prepareGolden(released);
    const { backup, auditDigest } = data;
    const before = readFileSync(backup);
    const { exitCode, stdout, stderr } = await runProgram(
      ['verify', backup, '--audit-digest', auditDigest],
      {},
    );
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`\n${backup} matches its manifest.\nNo damage was found.\n`);
    const note = `The data has schema version ${data.version}. serve, migrate and restore change it to version ${schemaVersion}.\n`;
    if (data.version < schemaVersion) expect(stdout).toContain(note);
    else expect(stdout).not.toContain('schema version');
    expect(readFileSync(backup)).toEqual(before);
    expect(readdirSync(data.backups).sort()).toEqual(['backup.db', 'backup.db.json']);
  });

  test('is verified by the next version too', async () => {
    using data = await prepareGolden(released);
    const { exitCode, stdout, stderr } = await runNewer('verify', data.backup);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`schema version ${data.version}. `);
  });

  test.skipIf(!hasSmallDisks(tmpdir()))('is verified in a read-only folder', async () => {
    using data = await prepareGolden(released);
    data.change('PRAGMA journal_mode = WAL');
    data.describe();
    const args = ['verify', data.backup];
    const child = spawnProgram(args, {}, undefined, onReadOnlyFolder(data.backups));
    expect(await new Response(child.stderr).text()).toBe('');
    expect(await child.exited).toBe(0);
  });
});

test.each([
  [
    'UPDATE workspaces SET sold_count = sold_count + 1 WHERE id = 1',
    'Workspace default counts other animals than it has',
  ],
  [
    'UPDATE events SET at = at + 1 WHERE sequence = 2 AND workspace_id = 1',
    'has a changed event 2',
  ],
  [
    'UPDATE api_keys SET is_revoked = 1 - is_revoked WHERE id = 1',
    'Key 1 differs from the audit trail',
  ],
  ['DROP INDEX pets_by_status', 'The definition of index pets_by_status is missing or was changed'],
  [
    'CREATE TRIGGER added AFTER INSERT ON pets BEGIN SELECT 1; END',
    'Trigger added on pets was added',
  ],
])('a backup of 1.0.0 is damaged after %s', async (sql, line) => {
  using data = await prepareGolden('1.0.0');
  data.change(sql);
  data.describe();
  const { exitCode, stderr } = await runProgram(['verify', data.backup], {});
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(line)]);
});

test('a file of 1.0.0 with a table of that name from a later version is refused by verify and restore', async () => {
  using data = await prepareGolden('1.0.0');
  data.change('CREATE TABLE Webhooks (a)');
  data.describe();
  const line = 'Table Webhooks belongs to a later version of the schema';
  expect((await runProgram(['verify', data.backup], {})).stderr).toContain(line);
  const target = { DATABASE_URL: `sqlite:${data.backup}.restored` };
  expect((await runProgram(['restore', data.backup], target)).stderr).toContain(line);
});

test('verify checks the data of an older server, and names the change of the schema', async () => {
  using folder = makeTemporaryFolder();
  const path = join(folder.path, 'older.db');
  await makeOlderFile(path, 100);
  const before = statSync(path).mtimeMs;
  const { exitCode, stdout, stderr } = await runNewer('verify', '--database', `sqlite:${path}`);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^default +105 +106$/m);
  expect(stdout).toContain(
    `The data has schema version ${current - 1}. serve, migrate and restore change it to version ${current}.\n`,
  );
  expect(statSync(path).mtimeMs).toBe(before);
});
