import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { damageAdvice } from './support/damage-advice.ts';
import { prepareStore } from './support/engines.ts';
import { administer, runSql } from './support/postgres.ts';
import { startPostgresServer } from './support/postgres-server.ts';
import { runProgram } from './support/server-process.ts';

async function prepareFilled() {
  const store = await prepareStore('postgres');
  {
    await using database = await store.open();
    for (const name of ['Rex', 'Tom']) {
      await database.write('createPet', { workspaceId: 1n, pet: { name, categoryId: 1n } });
    }
  }
  return {
    change: (sql: string) => runSql(store.url, sql),
    verify: () => runProgram(['verify'], { DATABASE_URL: store.url }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

describe('verify of PostgreSQL', () => {
  test('tells what a sound store holds', async () => {
    await using store = await prepareFilled();
    const { exitCode, stdout, stderr } = await store.verify();
    expect(stdout).toBe(
      'WORKSPACE  ANIMALS  NEXT ID\ndefault    2        3\nNo damage was found.\n',
    );
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  const damages: readonly (readonly [string, string])[] = [
    ['UPDATE workspaces SET next_pet_id = 2', 'Workspace default would give out an id again'],
    [
      'UPDATE store SET next_workspace_id = 1',
      'The store would give out an id of workspaces again',
    ],
    [
      `INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (9, 1, 'Lost', 1, 'sold')`,
      'A row of pets belongs to one of workspaces that is not there',
    ],
    [
      `INSERT INTO once_keys (workspace_id, operation_id, key, request_digest, output, expires_at)
       VALUES (9, 'createPet', 'k', '', '', 0)`,
      'A row of once_keys belongs to one of workspaces that is not there',
    ],
  ];

  test.each(damages)('notices %s', async (sql, line) => {
    await using store = await prepareFilled();
    await store.change(sql);
    const { exitCode, stderr } = await store.verify();
    expect(stderr).toBe(`animal-store: ${line}\n${damageAdvice}`);
    expect(exitCode).toBe(1);
  });

  test('refuses a database without a store, and notices a page that cannot be read', async () => {
    await using server = await startPostgresServer();
    const url = `${server.url}/postgres`;
    const run = (...args: string[]) => runProgram(args, { DATABASE_URL: url });
    const empty = await run('verify');
    expect(empty.stderr).toBe('animal-store: The database holds no store\n');
    expect(empty.exitCode).toBe(1);

    await run('demo', '--animals', '2000');
    const [row] = await administer(server.url, `SELECT pg_relation_filepath('animal_store.pets')`);
    const path = join(server.folder, String(row?.pg_relation_filepath));
    await server.end('SIGINT');
    const bytes = readFileSync(path);
    bytes.fill(0xff, 8192, 8192 + 64);
    writeFileSync(path, bytes);
    await server.start();
    const damaged = await run('verify');
    expect(damaged.stderr).toMatch(
      /^animal-store: PostgreSQL cannot read the data to its end: invalid page in block 1 /,
    );
    expect(damaged.exitCode).toBe(1);
  });
});
