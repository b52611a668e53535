import { Database as Connection } from 'bun:sqlite';
import { join } from 'node:path';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { type StoredAnimal, storedAnimalsQuery } from './compare-answers.ts';
import { type Load, startLoad } from './load.ts';

export const apiKey = 'key-of-the-fault-runs-0001';

export const authorization = { authorization: `Bearer ${apiKey}` } as const;

/** A file of data in some folder, on which servers are started and ended again and again. */
export interface SqliteStore {
  readonly path: string;
  start(options?: StoreStartOptions): Promise<ServerProcess>;
  /** All animals, once no server runs; throws where the file is not sound. */
  readAnimals(): StoredAnimal[];
}

export interface StoreStartOptions {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
}

export function sqliteDataIn(folder: string): SqliteStore {
  const path = join(folder, 'animals.db');
  return {
    path,
    start: ({ args = [], env = {} } = {}) =>
      startServerProcess(`sqlite:${path}`, {
        args,
        env: { ANIMAL_STORE_API_KEY: apiKey, ...env },
      }),
    readAnimals() {
      using connection = new Connection(path, { readwrite: true });
      const checked = connection.query('PRAGMA integrity_check').all() as {
        integrity_check: string;
      }[];
      if (checked[0]?.integrity_check !== 'ok') throw new Error('The file is not sound');
      return connection.query(storedAnimalsQuery('sqlite')).all() as StoredAnimal[];
    },
  };
}

/** Clients of one server. */
export function loadOf(
  { origin }: ServerProcess,
  writers: number,
  readers: number,
  namePrefix: string,
): Load {
  return startLoad({
    origins: [origin],
    apiKey,
    writersPerServer: writers,
    readersPerServer: readers,
    namePrefix,
  });
}

/** Adds one animal; returns the status, 0 where there was no answer. */
export async function addOne(origin: string, name: string): Promise<number> {
  try {
    const response = await fetch(`${origin}/v1/pets`, {
      method: 'POST',
      headers: { ...authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name, categoryId: 1 }),
      signal: AbortSignal.timeout(20_000),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
