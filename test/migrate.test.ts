import { afterAll, describe, expect, test } from 'bun:test';
import { addAnimal, call } from './support/call-server.ts';
import { engineNames, prepareData } from './support/engines.ts';
import { makeNewerProgram } from './support/newer-program.ts';
import { prepareOlderData } from './support/older-data.ts';
import { createTestDatabase } from './support/postgres.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const newer = makeNewerProgram();
const newerForWriters = makeNewerProgram(true);
afterAll(() => {
  newer[Symbol.dispose]();
  newerForWriters[Symbol.dispose]();
});

const current = newer.schemaVersion;

function runNewer(args: readonly string[], url: string, folder?: string) {
  return runProgram(args, { DATABASE_URL: url }, folder, newer.command);
}

const commands = [
  ['keys', 'create', '--name', 'a'],
  ['keys', 'list'],
  ['keys', 'rotate', '1'],
  ['keys', 'revoke', '1'],
  ['workspaces', 'create', 'market'],
  ['workspaces', 'list'],
  ['workspaces', 'delete', 'shop', '--yes'],
  ['deprecated-calls'],
  ['audit'],
  ['verify'],
  ['demo', '--animals', '1'],
  ['copy', '--from', '$', '--to', 'sqlite:copy.db'],
  ['copy', '--from', 'sqlite:source.db', '--to', '$'],
];

describe.each(engineNames)('data of an older schema on %s', (engine) => {
  const refusalOf = (url: string) => {
    const name = engine === 'sqlite' ? url.replace('sqlite:', '') : 'The database';
    return `animal-store: ${name} has schema version ${current - 1}, and this version of animal-store needs version ${current}: run animal-store migrate (older versions cannot use the data afterwards)\n`;
  };

  test('is refused by every command that uses it except migrate, in one line that names migrate', async () => {
    await using older = await prepareOlderData(engine);
    using folder = makeTemporaryFolder();
    const demo = await runNewer(['demo', '--animals', '1'], 'sqlite:source.db', folder.path);
    expect(demo.exitCode).toBe(0);
    // On SQLite, verify reads older data too: test/older-files.test.ts.
    const all =
      engine === 'sqlite'
        ? [...commands.filter(([name]) => name !== 'verify'), ['backup', 'a.bak']]
        : commands;
    for (const command of all) {
      const args = command.map((arg) => arg.replace('$', older.url));
      expect([command, await runNewer(args, older.url, folder.path)]).toEqual([
        command,
        { exitCode: 1, stdout: '', stderr: refusalOf(older.url) },
      ]);
      expect(await older.readVersion()).toBe(current - 1);
    }
  });

  test('is migrated by migrate, which reports it, and reports when nothing is left to do', async () => {
    await using older = await prepareOlderData(engine);
    expect(await runNewer(['migrate'], older.url)).toEqual({
      exitCode: 0,
      stdout: `Migrated the data from schema version ${current - 1} to ${current}.\n`,
      stderr: '',
    });
    expect(await older.readVersion()).toBe(current);
    expect(await runNewer(['migrate'], older.url)).toEqual({
      exitCode: 0,
      stdout: `The data already has schema version ${current}.\n`,
      stderr: '',
    });
    expect((await runNewer(['workspaces', 'list'], older.url)).stdout).toMatch(
      /^default +5 .*\nshop +3 /m,
    );
    const entries = JSON.parse((await runNewer(['audit', '--json'], older.url)).stdout);
    expect(entries[0]).toMatchObject({
      event: 'schema_migrated',
      details: { from: current - 1, to: current },
    });
    expect((await runNewer(['verify'], older.url)).exitCode).toBe(0);
  });

  test('is migrated by a server, whose log has both versions once', async () => {
    await using older = await prepareOlderData(engine);
    const line = `"from":${current - 1},"to":${current},"msg":"migrated the data: older versions cannot use it any more"`;
    {
      await using server = await startServerProcess(older.url, { program: newer.command });
      expect(await older.readVersion()).toBe(current);
      expect(server.output().stdout).toContain(line);
      await server.stop('SIGTERM');
    }
    await using next = await startServerProcess(older.url, { program: newer.command });
    expect(next.output().stdout).not.toContain('migrated');
  });
});

describe.each([
  ['a migration that changes what a write must maintain', newerForWriters, 503],
  ['any other migration', newer, 201],
] as const)('a server that runs during %s', (_title, program, httpStatus) => {
  test(`answers writes with ${httpStatus}, and reads as before`, async () => {
    await using data = await createTestDatabase('empty');
    await using server = await startServerProcess(data.url);
    const migrated = await runProgram(
      ['migrate'],
      { DATABASE_URL: data.url },
      undefined,
      program.command,
    );
    expect(migrated.exitCode).toBe(0);
    const added = await addAnimal(server, server.firstKey);
    expect(added.status).toBe(httpStatus);
    const list = await call(server, server.firstKey, '/v1/pets');
    expect([list.status, await list.json()]).toEqual([
      200,
      httpStatus === 201 ? [expect.objectContaining({ name: 'Rex' })] : [],
    ]);
    if (httpStatus === 503) {
      expect(server.output().stdout).toContain('The data was migrated by a newer version');
    }
  });
});

describe('migrate', () => {
  test('refuses a SQLite file of a running server, and works beside a server on PostgreSQL', async () => {
    for (const engine of engineNames) {
      await using data = await prepareData(engine);
      await using _server = await startServerProcess(data.url);
      const { exitCode, stderr } = await runProgram(['migrate'], { DATABASE_URL: data.url });
      if (engine === 'postgres') expect([exitCode, stderr]).toEqual([0, '']);
      else
        expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is in use by a server')]);
    }
  });

  test('creates the tables in an empty database of PostgreSQL, and creates no file', async () => {
    using folder = makeTemporaryFolder();
    await using empty = await createTestDatabase('empty');
    const inFile = await runProgram(['migrate'], { DATABASE_URL: 'sqlite:a.db' }, folder.path);
    expect([inFile.exitCode, inFile.stderr]).toEqual([
      1,
      expect.stringMatching(/^animal-store: There is no data in \S+a\.db\n$/),
    ]);
    const inDatabase = await runProgram(['migrate'], { DATABASE_URL: empty.url });
    expect([inDatabase.exitCode, inDatabase.stdout]).toEqual([
      0,
      expect.stringMatching(/^Created the tables with schema version \d+\.\n$/),
    ]);
  });
});
