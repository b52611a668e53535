import { Database as Connection } from 'bun:sqlite';
import { join } from 'node:path';
import { openPostgresDatabase } from '../../src/postgres/open-postgres.ts';
import { openSqliteDatabase } from '../../src/sqlite/database.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { createTestDatabase, runSql } from './postgres.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A new, empty database for one test, which removes it at the end. */
export interface TestData extends AsyncDisposable {
  /** In the form of `DATABASE_URL`. */
  readonly url: string;
  /** On SQLite, no data is ever stale. */
  open(options?: {
    now?: () => number;
    asServer?: boolean;
    staleMillisecondsMax?: number;
  }): Promise<Database>;
}

export const engineNames = ['sqlite', 'postgres'] as const;
export type EngineName = (typeof engineNames)[number];

/** The engine of this run, for tests that work on either. */
export const chosenEngine: EngineName =
  process.env.ANIMAL_STORE_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

/** A database of PostgreSQL has its tables, unless `content` is `empty`. */
export async function prepareData(
  engine: EngineName = chosenEngine,
  content?: 'empty',
): Promise<TestData> {
  return engine === 'sqlite' ? prepareFile() : preparePostgresDatabase(content);
}

/** Runs a statement without the program. */
export async function sqlOn(
  engine: EngineName,
  dataUrl: string,
  sql: string,
): Promise<Record<string, unknown>[]> {
  if (engine === 'postgres') return runSql(dataUrl, sql);
  using connection = new Connection(dataUrl.replace('sqlite:', ''));
  connection.run('PRAGMA busy_timeout = 10000');
  return connection.query<Record<string, unknown>, []>(sql).all();
}

/** Runs statements as the owner of the data can: without its triggers. */
export async function forceSqlOn(engine: EngineName, dataUrl: string, sql: string): Promise<void> {
  if (engine === 'postgres') {
    await runSql(dataUrl, `SET session_replication_role = replica; ${sql}`);
    return;
  }
  using connection = new Connection(dataUrl.replace('sqlite:', ''));
  const triggers = connection
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
    )
    .all();
  for (const { name } of triggers) connection.run(`DROP TRIGGER ${name}`);
  connection.run(sql);
  for (const trigger of triggers) connection.run(trigger.sql);
}

function prepareFile(): TestData {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'test.db');
  return {
    url: `sqlite:${path}`,
    open: ({ now = Date.now, asServer = false } = {}) =>
      openSqliteDatabase({ path, asServer, now }),
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
    },
  };
}

async function preparePostgresDatabase(content: 'empty' | undefined): Promise<TestData> {
  const { url, [Symbol.asyncDispose]: dispose } = await createTestDatabase(content);
  return {
    url,
    open: ({ now = Date.now, asServer = false, staleMillisecondsMax } = {}) =>
      openPostgresDatabase({ url, asServer, now, staleMillisecondsMax }),
    [Symbol.asyncDispose]: dispose,
  };
}
