import { Database as Connection } from 'bun:sqlite';
import { join } from 'node:path';
import { administer } from '../support/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { type StoredAnimal, storedAnimalsQuery } from './compare-answers.ts';
import type { TestOutcome } from './long-test.ts';
import { apiKey } from './requests.ts';

/** A database on which servers are started and ended again and again. */
export interface TestDatabase {
  readonly url: string;
  start(options?: StartOptions): Promise<ServerProcess>;
  /** Reads all animals. Every server must have ended. Throws if the file is damaged. */
  readAnimals(): StoredAnimal[] | Promise<StoredAnimal[]>;
}

export type StartOptions = NonNullable<Parameters<typeof startServerProcess>[1]>;

export interface SqliteDatabase extends TestDatabase {
  readonly path: string;
  readAnimals(): StoredAnimal[];
}

export interface PostgresDatabase extends TestDatabase {
  readonly postgres: PostgresServer;
  /** Runs statements in this database. */
  sql(text: string): Promise<Record<string, unknown>[]>;
}

/** Starts a server that accepts the key of the tests. */
export function startServer(
  url: string,
  { env, ...options }: StartOptions = {},
): Promise<ServerProcess> {
  return startServerProcess(url, { ...options, env: { ANIMAL_STORE_API_KEY: apiKey, ...env } });
}

export function sqliteDatabaseIn(folder: string): SqliteDatabase {
  const path = join(folder, 'animals.db');
  const url = `sqlite:${path}`;
  return {
    path,
    url,
    start: (options) => startServer(url, options),
    readAnimals() {
      using connection = new Connection(path, { readwrite: true });
      const [row] = connection.query<[string], []>('PRAGMA integrity_check').values();
      if (row?.[0] !== 'ok') throw new Error('The file is damaged');
      return connection.query<StoredAnimal, []>(storedAnimalsQuery('sqlite')).all();
    },
  };
}

export function postgresDatabaseOn(postgres: PostgresServer): PostgresDatabase {
  const url = `${postgres.url}/postgres`;
  const sql = (text: string) => administer(postgres.url, text, 'postgres');
  return {
    postgres,
    url,
    sql,
    start: (options) => startServer(url, options),
    readAnimals: async () =>
      (await sql(storedAnimalsQuery('postgres'))) as unknown as StoredAnimal[],
  };
}

/** Runs a test on a new file. */
export async function onSqlite(
  run: (database: SqliteDatabase) => Promise<TestOutcome>,
): Promise<TestOutcome> {
  using folder = makeTemporaryFolder();
  return await run(sqliteDatabaseIn(folder.path));
}

/** Runs a test on a new PostgreSQL server. */
export async function onPostgres(
  run: (database: PostgresDatabase) => Promise<TestOutcome>,
): Promise<TestOutcome> {
  await using postgres = await startPostgresServer();
  return await run(postgresDatabaseOn(postgres));
}
