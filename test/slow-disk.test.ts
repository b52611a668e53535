import { Database as Connection } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { background } from '../src/context/context.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../src/storage/contract/database-error.ts';
import { addAnimal } from './support/call-server.ts';
import { okOf } from './support/outcome.ts';
import { startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** Blocks every commit of the file until it is released, as a disk without an answer would. */
function holdWrites(path: string) {
  const connection = new Connection(path, { readwrite: true });
  // The server may write at its start.
  connection.run('PRAGMA busy_timeout = 5000');
  connection.run('BEGIN IMMEDIATE');
  return {
    [Symbol.dispose]() {
      if (connection.inTransaction) connection.run('ROLLBACK');
      connection.close();
    },
  };
}

const rex = { name: 'Rex', categoryId: 1n };

describe('while commits are blocked', () => {
  test('reads are answered, and the write is answered when it is on disk', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await using server = await startServerProcess(`sqlite:${path}`);
    const headers = { authorization: `Bearer ${server.firstKey}` };
    let isAnswered = false;
    let write: Promise<Response>;
    {
      using _held = holdWrites(path);
      write = addAnimal(server, server.firstKey).then((response) => {
        isAnswered = true;
        return response;
      });
      for (let count = 0; count < 200; count += 1) {
        const path = count % 2 === 0 ? '/v1/pets' : '/v1/pets/1';
        const response = await fetch(`${server.origin}${path}`, { headers });
        expect(response.status).toBe(count % 2 === 0 ? 200 : 404);
      }
      expect(isAnswered).toBe(false);
    }
    expect((await write).status).toBe(201);
  });

  test('a full queue refuses at once, and no write waits for ever', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    const limits = { groupCommandsMax: 1, queueCommandsMax: 5, waitMillisecondsMax: 300 };
    await using database = await openSqliteDatabase({
      path,
      asServer: false,
      now: Date.now,
      limits,
    });
    const write = () => database.write(background, 'createPet', { workspaceId: 1n, pet: rex });
    const settled: PromiseSettledResult<unknown>[] = [];
    {
      using _held = holdWrites(path);
      const running = write();
      // The first one starts its commit, which is blocked.
      await new Promise(setImmediate);
      const waiting = Array.from({ length: 5 }, write);
      const refused = await Promise.allSettled(Array.from({ length: 3 }, write));
      expect(refused.map(reasonOf)).toEqual(Array(3).fill('The command queue is full'));
      settled.push(...(await Promise.allSettled([running, ...waiting])));
    }
    const [first, ...others] = settled.map(
      (result) => result.status === 'rejected' && result.reason,
    );
    expect(first).toBeInstanceOf(DatabaseOutcomeUnknown);
    for (const other of others) expect(other).toBeInstanceOf(DatabaseUnavailable);

    // The first write may have been done. The refused ones were not.
    const pet = await write();
    expect([1n, 2n]).toContain(okOf(pet).id);
  });
});

function reasonOf(result: PromiseSettledResult<unknown>): string {
  return result.status === 'rejected' ? result.reason.message : 'was done';
}
