import { Database as Connection } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineName } from './engines.ts';
import { administer, createTestDatabase } from './postgres.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A store as the program of the first schema left it, with one animal. */
export interface OldStore extends AsyncDisposable {
  readonly url: string;
  /** The version of the schema as it is now. */
  readVersion(): Promise<number>;
}

export function prepareOldStore(engine: EngineName): Promise<OldStore> {
  return engine === 'sqlite' ? prepareOldFile() : prepareOldDatabase();
}

function firstMigration(engine: EngineName): string {
  const folder = join(import.meta.dir, `../../src/${engine}/migrations`);
  return readFileSync(join(folder, '0001-initial.sql'), 'utf8');
}

const animal = `
  UPDATE workspaces SET next_pet_id = 8;
  INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 7, 'Old', 1, 'sold');`;

async function prepareOldFile(): Promise<OldStore> {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'old.db');
  using connection = new Connection(path);
  connection.run(`${firstMigration('sqlite')}; ${animal}`);
  connection.run(`PRAGMA application_id = ${0x414e5354}; PRAGMA user_version = 1`);
  return {
    url: `sqlite:${path}`,
    async readVersion() {
      using reading = new Connection(path);
      return Number(Object.values(reading.query('PRAGMA user_version').get() ?? {})[0]);
    },
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
    },
  };
}

async function prepareOldDatabase(): Promise<OldStore> {
  const database = await createTestDatabase('empty');
  const server = database.url.replace(/\/[^/]*$/, '');
  const run = (sql: string) =>
    administer(server, `SET search_path = animal_store; ${sql}`, database.name);
  await run(`
    CREATE SCHEMA animal_store; ${firstMigration('postgres')}; ${animal}
    UPDATE store SET schema_version = 1`);
  return {
    url: database.url,
    async readVersion() {
      const [row] = await run('SELECT schema_version FROM store');
      return Number(row?.schema_version);
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
