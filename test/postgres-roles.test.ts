import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgresDatabase } from '../src/postgres/open-postgres.ts';
import { describeDatabase } from './database-suite.ts';
import { call } from './support/call-server.ts';
import { makeNewerProgram } from './support/newer-program.ts';
import { createTestDatabase, runSql } from './support/postgres.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const role = 'animals_that_only_serve';

/** The statements of docs/operations.md for the owner of the tables, with a role of the tests. */
const documentedGrants = (() => {
  const text = readFileSync(join(import.meta.dir, '../docs/operations.md'), 'utf8');
  const block = /```sql\n(GRANT .*?)```/s.exec(text)?.[1] ?? '';
  return block.replace(/\b(TO|FROM) animals;/g, `$1 ${role};`);
})();

const makeRole = `
  DO $$ BEGIN CREATE ROLE ${role} LOGIN PASSWORD 'secret'; EXCEPTION WHEN duplicate_object THEN NULL; END $$`;

function servedUrl(url: string): string {
  return url.replace(/\/\/[^@]*@/, `//${role}:secret@`);
}

/** A database with the tables, and its address for a role with only the documented rights. */
async function prepareServed() {
  const database = await createTestDatabase();
  await runSql(database.url, `${makeRole}; ${documentedGrants}`);
  return { ...database, servedUrl: servedUrl(database.url) };
}

describeDatabase({
  name: 'PostgreSQL, as a role that only serves,',
  async prepare() {
    const { servedUrl: url, [Symbol.asyncDispose]: dispose } = await prepareServed();
    return {
      open: (now = Date.now) =>
        openPostgresDatabase({
          url,
          asServer: false,
          now,
          // With this limit, the version of the data rises only with commits and not with time.
          staleMillisecondsMax: 3_600_000,
          // No write is to be refused on a busy machine.
          limits: { waitMillisecondsMax: 50_000 },
        }),
      [Symbol.asyncDispose]: dispose,
    };
  },
});

describe('a PostgreSQL role that only serves', () => {
  test('runs every command', async () => {
    await using data = await prepareServed();
    await using other = await prepareServed();
    using folder = makeTemporaryFolder();
    const file = `sqlite:${folder.path}/copy.db`;
    {
      await using server = await startServerProcess(data.servedUrl);
      const response = await call(
        server,
        server.firstKey,
        '/v1/pets',
        'POST',
        { name: 'Rex', categoryId: 1 },
        { 'idempotency-key': 'once' },
      );
      expect(response.status).toBe(201);
      expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    }
    const commands = [
      ['keys', 'create', '--name', 'till'],
      ['keys', 'rotate', '2'],
      ['keys', 'revoke', '3'],
      ['keys', 'list'],
      ['workspaces', 'create', 'shop'],
      ['demo', '--animals', '10', '--workspace', 'shop'],
      ['workspaces', 'list'],
      ['workspaces', 'delete', 'shop', '--yes'],
      ['deprecated-calls'],
      ['audit'],
      ['verify'],
      ['copy', '--from', data.servedUrl, '--to', file],
      ['copy', '--from', file, '--to', other.servedUrl],
      ['accept-restored'],
    ];
    for (const command of commands) {
      const { exitCode, stderr } = await runProgram(command, { DATABASE_URL: data.servedUrl });
      expect([command, exitCode, stderr]).toEqual([command, 0, '']);
    }
  });

  test('cannot change the audit trail, the tables or their identity', async () => {
    await using data = await prepareServed();
    for (const sql of [
      'UPDATE audit_entries SET id = id',
      'DELETE FROM audit_entries',
      'TRUNCATE audit_entries',
      'ALTER TABLE audit_entries DISABLE TRIGGER ALL',
      'DELETE FROM meta',
      'DROP TABLE pets',
      'CREATE TABLE mine (a int)',
    ]) {
      const running = runSql(data.servedUrl, sql);
      await expect(running, sql).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  test('gets one line that names the role that can create or upgrade the tables', async () => {
    // This database is new, because others are used again.
    await using data = await createTestDatabase('empty');
    await runSql(data.url, makeRole);
    const url = servedUrl(data.url);
    const line = (reason: string) =>
      `animal-store: The tables are missing or outdated, and this role cannot create or change them (${reason}): run animal-store migrate as their owner\n`;
    const serve = async (command?: readonly string[]) =>
      (await runProgram(['serve', '--port', '0'], { DATABASE_URL: url }, undefined, command))
        .stderr;
    expect(await serve()).toBe(line(`permission denied for database ${data.name}`));
    await runProgram(['workspaces', 'create', 'shop'], { DATABASE_URL: data.url });
    await runSql(data.url, documentedGrants);
    using newer = makeNewerProgram();
    expect(await serve(newer.command)).toBe(line('must be owner of table workspaces'));
  });

  test('creates the tables in a schema of its own, without other rights', async () => {
    await using empty = await createTestDatabase('empty');
    await runSql(empty.url, `${makeRole}; CREATE SCHEMA animal_store AUTHORIZATION ${role}`);
    const env = { DATABASE_URL: servedUrl(empty.url) };
    expect((await runProgram(['keys', 'create', '--name', 'a'], env)).exitCode).toBe(0);
  });
});
