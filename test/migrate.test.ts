import { describe, expect, test } from 'bun:test';
import { schemaVersion as postgresVersion } from '../src/postgres/migrate.ts';
import { schemaVersion as sqliteVersion } from '../src/sqlite/migrate.ts';
import { engineNames, prepareStore } from './support/engines.ts';
import { prepareOldStore } from './support/old-store.ts';
import { createTestDatabase } from './support/postgres.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const versions = { sqlite: sqliteVersion, postgres: postgresVersion };

const commands = [
  ['keys', 'create', '--name', 'a'],
  ['keys', 'list'],
  ['keys', 'rotate', '1'],
  ['keys', 'revoke', '1'],
  ['workspaces', 'create', 'shop'],
  ['workspaces', 'list'],
  ['workspaces', 'delete', 'shop', '--yes'],
  ['deprecated-calls'],
  ['audit'],
  ['demo', '--animals', '1'],
  ['copy', '--from', '$', '--to', 'sqlite:copy.db'],
  ['copy', '--from', 'sqlite:source.db', '--to', '$'],
];

describe.each(engineNames)('data of an older schema on %s', (engine) => {
  const current = versions[engine];
  const nameOf = (url: string) =>
    engine === 'sqlite' ? url.replace('sqlite:', '') : 'The database';
  const refusalOf = (url: string) => ({
    exitCode: 1,
    stdout: '',
    stderr: `animal-store: ${nameOf(url)} has schema version 1, and this program works with version ${current}: run animal-store migrate, after which older programs refuse it\n`,
  });

  test('is refused by every command that does not migrate, in one line that says what to run', async () => {
    await using old = await prepareOldStore(engine);
    using folder = makeTemporaryFolder();
    const env = { DATABASE_URL: old.url };
    const source = { DATABASE_URL: 'sqlite:source.db' };
    expect((await runProgram(['demo', '--animals', '1'], source, folder.path)).exitCode).toBe(0);
    for (const command of commands) {
      const args = command.map((arg) => arg.replace('$', old.url));
      expect([command, await runProgram(args, env, folder.path)]).toEqual([
        command,
        refusalOf(old.url),
      ]);
      expect(await old.readVersion()).toBe(1);
    }
  });

  test('is migrated by migrate, which says so, and says when nothing was to do', async () => {
    await using old = await prepareOldStore(engine);
    const run = (...args: string[]) => runProgram(args, { DATABASE_URL: old.url });
    expect(await run('migrate')).toEqual({
      exitCode: 0,
      stdout: `Brought the data from schema version 1 to version ${current}.\n`,
      stderr: '',
    });
    expect(await old.readVersion()).toBe(current);
    expect(await run('migrate')).toEqual({
      exitCode: 0,
      stdout: `The data has schema version ${current} already: nothing was to do.\n`,
      stderr: '',
    });
    expect((await run('workspaces', 'list')).stdout).toMatch(/^default +1 +0 /m);
    const entries = JSON.parse((await run('audit', '--json')).stdout);
    expect(entries).toMatchObject([
      { event: 'schema_migrated', details: { from: 1, to: current, nextApiKeyId: 1 } },
    ]);
  });

  test('is migrated by a server', async () => {
    await using old = await prepareOldStore(engine);
    await using _server = await startServerProcess(old.url);
    expect(await old.readVersion()).toBe(current);
  });

  test('is verified as it is, where that can be, and never migrated by it', async () => {
    await using old = await prepareOldStore(engine);
    const verified = await runProgram(['verify'], { DATABASE_URL: old.url });
    if (engine === 'sqlite') expect(verified.stdout).toMatch(/^default +1 +8$/m);
    else expect(verified).toEqual(refusalOf(old.url));
    expect(await old.readVersion()).toBe(1);
  });
});

describe('migrate', () => {
  test('refuses a SQLite file that a server has, and works beside one on PostgreSQL', async () => {
    for (const engine of engineNames) {
      await using store = await prepareStore(engine);
      await using _server = await startServerProcess(store.url);
      const { exitCode, stderr } = await runProgram(['migrate'], { DATABASE_URL: store.url });
      if (engine === 'postgres') expect([exitCode, stderr]).toEqual([0, '']);
      else expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is in use by another')]);
    }
  });

  test('makes the tables in an empty database of PostgreSQL, and no file', async () => {
    using folder = makeTemporaryFolder();
    await using empty = await createTestDatabase('empty');
    const inFile = await runProgram(['migrate'], { DATABASE_URL: 'sqlite:a.db' }, folder.path);
    expect([inFile.exitCode, inFile.stderr]).toEqual([
      1,
      expect.stringMatching(/^animal-store: There is no store in \S+a\.db\n$/),
    ]);
    const inDatabase = await runProgram(['migrate'], { DATABASE_URL: empty.url });
    expect([inDatabase.exitCode, inDatabase.stdout]).toEqual([
      0,
      expect.stringMatching(/^Made the tables, of schema version \d+\.\n$/),
    ]);
  });
});
