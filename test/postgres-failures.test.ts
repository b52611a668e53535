import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { openConnections } from '../src/postgres/connections.ts';
import { createTransact } from '../src/postgres/run-transaction.ts';
import { DatabaseUnavailable } from '../src/storage/contract/database-error.ts';
import { statement } from '../src/storage/statement.ts';
import { startBlackHole } from './faults/black-hole.ts';
import { createTestDatabase, runSql } from './support/postgres.ts';

function connect(url: string) {
  return openConnections(url, { durability: 'checked' });
}

/** Runs transactions that announce no commits. */
function transactOn(connections: ReturnType<typeof connect>) {
  return createTransact(connections, () => {})(background);
}

describe('a transaction on PostgreSQL', () => {
  test('that fails by an error in the code runs once, and throws that error', async () => {
    await using database = await createTestDatabase();
    await using connections = connect(database.url);
    const mistake = new Error('a mistake of ours');
    let runs = 0;
    const running = transactOn(connections)(async () => {
      runs += 1;
      throw mistake;
    });
    await expect(running).rejects.toBe(mistake);
    expect(runs).toBe(1);
  });

  test('whose connection breaks before its commit runs again on another connection', async () => {
    await using database = await createTestDatabase();
    const { port } = new URL(database.url);
    await using hole = startBlackHole(Number(port));
    await using connections = connect(database.url.replace(`:${port}`, `:${hole.port}`));
    hole.breakAt('version = 7', 'before');
    let runs = 0;
    await transactOn(connections)(async (transaction) => {
      runs += 1;
      await transaction.run(statement('UPDATE workspaces SET version = 7'));
    });
    expect(runs).toBe(2);
    expect(await runSql(database.url, 'SELECT version::int FROM workspaces')).toEqual([
      { version: 7 },
    ]);
  });

  test.each(['SELECT FROM no_such_table', 'SET ROLE ordinary; SELECT FROM workspaces'])(
    'without the tables or the rights is unavailable: %s',
    async (sql) => {
      await using database = await createTestDatabase();
      await runSql(
        database.url,
        `DO $$ BEGIN CREATE ROLE ordinary; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
      );
      await using connections = connect(database.url);
      const running = transactOn(connections)(async (transaction) => {
        for (const text of sql.split('; ')) await transaction.run(statement(text));
      });
      await expect(running).rejects.toBeInstanceOf(DatabaseUnavailable);
    },
  );
});

test('a transaction whose deferred statement fails throws the error of that statement', async () => {
  await using database = await createTestDatabase();
  await using connections = connect(database.url);
  const running = transactOn(connections)(async (transaction) => {
    transaction.runDeferred(statement('SELECT FROM no_such_table'));
    await transaction.all(statement('SELECT 1'));
  });
  await expect(running).rejects.toThrow('PostgreSQL answered 42P01: ');
});

describe('an address of PostgreSQL', () => {
  const show = statement<{ memory: string; path: string }>(
    `SELECT current_setting('work_mem') AS memory, current_setting('search_path') AS path`,
  );
  const countPets = statement<{ count: bigint }>('SELECT count(*) AS count FROM pets');
  const options = '-c work_mem=12345kB -c search_path=elsewhere';

  test('keeps its options, except the search path', async () => {
    await using database = await createTestDatabase();
    await using connections = connect(`${database.url}?options=${encodeURIComponent(options)}`);
    const rows = await connections.reads(background).all(show);
    expect(rows).toEqual([{ memory: '12345kB', path: 'pg_catalog' }]);
    expect(await connections.reads(background).all(countPets)).toEqual([{ count: 0n }]);
  });
});
